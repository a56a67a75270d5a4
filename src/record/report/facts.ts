import { join } from 'node:path';
import type { Outcome } from '../../base/outcome.ts';
import { counted, duration } from '../../base/quantity.ts';
import { type Identity, kindText, stackText } from '../../base/stack.ts';
import type { ChangedResources } from '../changed-resources.ts';
import type { DriftResult, OwnDeployment } from '../deployment.ts';
import { lastLines } from '../growing-lines.ts';
import type { ResourceStatement } from '../output/statement.ts';
import { isLocked, lockText } from '../stack-lock.ts';
import { changeText, driftedText, onlyPlans, resourcesText, statedText } from './change-text.ts';
import {
  isForeign,
  type JobReport,
  provenStackOf,
  type RunReport,
  type StepReport,
  stackOf,
} from './report.ts';

/*
 * The facts that a report shows of a run, chosen here once, as plain text and figures, for all renderers.
 */

/** Last lines of a failed step that are shown. */
export const TAIL_LINES = 20;

/** Characters of the message that can have a step's reason. */
const MAX_MESSAGE = 10_000;

/** Failed steps whose last lines are shown. */
const MAX_TAILS = 3;

export interface RunFacts {
  readonly headline: Headline;
  /** What is known about the locks of the run's stacks, those that are locked first; none that the message names. */
  readonly locks: readonly LockFact[];
  /** The deployments that the run started, then the other jobs that it ran. None for a run of a single job. */
  readonly deployments: readonly DeploymentFact[];
  /** The resources of each job. */
  readonly resources: readonly ResourcesFact[];
  /** Without the reasons that the message gives. */
  readonly steps: readonly StepReport[];
  /** The steps' own statements; none where the resources are listed. */
  readonly statements: readonly ResourceStatement[];
  readonly details: Details;
}

/** `acme/network/prod · update · #1042 · 10 s · 5 created`. */
export interface Headline {
  readonly outcome: Outcome;
  /** The stack, or else what the run was about. */
  readonly subject: string;
  readonly address?: string | undefined;
  readonly facts: readonly string[];
}

export interface LockFact {
  readonly text: string;
  readonly locked: boolean;
}

export interface DeploymentFact {
  /** Its stack, or else its ID. */
  readonly name: string;
  readonly address: string | undefined;
  readonly operation: string;
  readonly version: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly state: OwnDeployment['state'];
  /** Its changes; empty if unknown. */
  readonly resources: string;
  readonly drift: DriftResult['drift'];
  readonly driftRun: DriftResult['driftRun'];
  readonly seconds: number | undefined;
  /** `here`, `elsewhere`. */
  readonly place: string;
  /** The directory of its record, relative to the run's, if it has one. */
  readonly directory: string | undefined;
}

export interface ResourcesFact {
  /** The job's stack, for a run of several jobs; empty if unknown. */
  readonly stack: string | undefined;
  readonly resources: ChangedResources;
}

/** Facts about one job, and about the run of several: of those, each job's report has the rest. */
export interface Details {
  readonly isOfSeveral: boolean;
  readonly deployment: WorkFact | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | undefined;
  readonly waitSeconds: number | undefined;
  /** Of a run with a claim. */
  readonly runSeconds: number | undefined;
  readonly image: string | undefined;
  readonly imageDigest: string | undefined;
  /** The runtime that confined the job, and its engine's features. */
  readonly confinement: readonly string[];
  /** Names, never values. */
  readonly forwarded: readonly string[];
  readonly runId: string | undefined;
  readonly jobId: string | undefined;
  /** Pulumi Cloud did not accept the last status. */
  readonly isUnreported: boolean;
  /** Another agent ran it; this is what Pulumi Cloud reports. */
  readonly isElsewhere: boolean;
}

/** The claimed work, and its page in Pulumi Cloud or else the page that lists the organization's deployments. */
export interface WorkFact {
  readonly id: string;
  /** Its kind, if it is no deployment. */
  readonly kind: string | undefined;
  readonly isNamedByItself: boolean;
  readonly page: string | undefined;
  readonly listPage: string | undefined;
}

/** The last lines of a failed step. */
export interface StepTail {
  /** The step's name, with its stack if there are several: plain text. */
  readonly step: string;
  readonly lines: readonly string[];
}

/** The facts about a run. */
export function factsOf(report: RunReport): RunFacts {
  const isListed = (report.resources?.resources.length ?? 0) > 0;
  const message = report.message.slice(0, MAX_MESSAGE);
  return {
    headline: headlineOf(report),
    locks: locksOf(report),
    deployments: deploymentsOf(report),
    resources: resourcesOf(report),
    steps: report.steps.map((step) =>
      message.includes(step.reason ?? '') ? { ...step, reason: undefined } : step,
    ),
    statements: isListed ? [] : (report.statements ?? []),
    details: detailsOf(report),
  };
}

/** The last lines of the first steps that failed in jobs of the run's own. Throws what node:fs throws. */
export async function tailsOf(report: RunReport, runDirectory: string): Promise<StepTail[]> {
  const jobs: readonly JobReport[] = report.jobs?.filter((job) => !isForeign(job)) ?? [
    { directory: '', report },
  ];
  const tails: StepTail[] = [];

  for (const job of jobs) {
    const { name, log, reason } = job.report.steps.find(({ status }) => status === 'failed') ?? {};
    if (log === undefined || tails.length === MAX_TAILS) continue;
    const stack = report.jobs === undefined ? '' : ` of ${job.report.deployments?.[0]?.stack}`;
    const lines = await lastLines(join(runDirectory, job.directory, log), TAIL_LINES);
    // The message above has it already.
    if (lines.length === 1 && lines[0] === reason) continue;
    tails.push({ step: `${name}${stack}`, lines });
  }

  return tails;
}

/** The facts of a run; none for a deployment that Pulumi Cloud skipped: nobody ran it. */
function runFactsOf({ outcome, startedAt, runSeconds, elsewhere }: RunReport) {
  return outcome === 'skipped' ? {} : { startedAt, runSeconds, elsewhere };
}

function headlineOf(report: RunReport): Headline {
  const { outcome, deployments = [], deploymentId, kind, identity, deploymentUrl, consoleUrl } = report;
  const [own] = deployments;
  const ending = outcome === 'succeeded' ? [] : [outcome];
  const { runSeconds } = runFactsOf(report);
  const seconds = runSeconds === undefined ? [] : [duration(runSeconds)];

  if (own !== undefined && deployments.length > 1) {
    const operations = [...new Set(deployments.map(({ operation }) => operation))];
    const subject = counted(deployments.length, 'deployment');
    return { outcome, subject, facts: [operations.join(', '), ...tally(deployments), ...seconds] };
  }

  const figures = figuresOf(report);
  const facts = [...ending, ...seconds, ...(figures === undefined ? [] : [figures])];

  if (own !== undefined)
    return {
      outcome,
      subject: own.stack,
      address: own.consoleUrl,
      facts: [...namesOf(own), ...facts, ...driftOf(own)],
    };

  if (identity !== undefined)
    return {
      outcome,
      subject: stackText(identity),
      address: deploymentUrl,
      facts: [...namesOf(identity), ...facts, ...driftOf(report)],
    };

  if (deploymentId !== undefined) {
    const subject = kind === undefined ? `Deployment ${deploymentId}` : `Work ${kindText(kind)}`;
    return { outcome, subject, address: deploymentUrl ?? consoleUrl, facts };
  }

  return { outcome, subject: 'No deployment', facts: ending };
}

/** What changed, from the best source: Pulumi Cloud's steps, its counts, the job's output. */
export function figuresOf({
  resources,
  deployments: [own] = [],
  statements = [],
}: RunReport): string | undefined {
  if (resources?.source === 'pulumi-cloud') return resourcesText(resources);
  const counts = changeText(own?.changes ?? {}, { planned: onlyPlans(own?.operation) });
  if (counts !== undefined) return counts;
  if (resources !== undefined) return resourcesText(resources);
  const statement = statedText(statements.at(-1)?.changes ?? '');
  return statement === undefined ? undefined : `${statement}, according to its output`;
}

/** The operation and the number of a deployment, as far as known. */
function namesOf({ operation, version }: Partial<Identity>): string[] {
  return [operation, version === undefined ? undefined : `#${version}`].filter((name) => name !== undefined);
}

function driftOf(facts: DriftResult): string[] {
  return facts.drift === true ? [`drift${driftedText(facts, ': ')}`] : [];
}

/** `2 succeeded, 1 failed`, and the number with drift. */
export function tally(deployments: readonly OwnDeployment[]): string[] {
  const ends = Map.groupBy(deployments, ({ outcome, state }) => outcome ?? state);
  const counts = [...ends].map(([end, those]) => `${those.length} ${end}`).join(', ');
  const drift = deployments.filter((each) => each.drift === true).length;
  return drift > 0 ? [counts, `drift in ${drift}`] : [counts];
}

function locksOf(report: RunReport): LockFact[] {
  return jobsOf(report)
    .flatMap((job) => {
      if (job.lock === undefined) return [];
      const text = lockText(job.lock, provenStackOf(job));
      return report.message.includes(text) ? [] : [{ text, locked: isLocked(job.lock) }];
    })
    .toSorted((one, other) => Number(other.locked) - Number(one.locked));
}

function deploymentsOf({ deployments = [], jobs }: RunReport): DeploymentFact[] {
  if (jobs === undefined) return [];
  const jobIn = (directory: string | undefined) => jobs.find((job) => job.directory === directory);

  const own = deployments.map((each): DeploymentFact => {
    const { stack: name, consoleUrl: address, operation, changes = {}, deploymentId, ranHere } = each;
    const { resources } = jobIn(each.directory)?.report ?? {};
    const counts = changeText(changes, { planned: onlyPlans(operation) });
    return {
      name,
      address,
      operation,
      version: each.version,
      outcome: each.outcome,
      state: each.state,
      resources: counts ?? (resources === undefined ? '' : resourcesText(resources)),
      drift: each.drift,
      driftRun: each.driftRun,
      seconds: each.seconds,
      place: deploymentId === undefined ? 'not started' : ranHere ? 'here' : 'elsewhere',
      directory: jobIn(each.directory)?.directory,
    };
  });

  const others = jobs.filter(isForeign).map(({ directory, report }): DeploymentFact => {
    const { identity, deploymentId = '', resources } = report;
    return {
      name: identity === undefined ? deploymentId : stackText(identity),
      address: report.deploymentUrl,
      operation: identity?.operation ?? '',
      version: identity?.version,
      outcome: report.outcome,
      state: 'ended',
      resources: resources === undefined ? '' : resourcesText(resources),
      drift: report.drift,
      driftRun: report.driftRun,
      seconds: runFactsOf(report).runSeconds,
      place: 'here, started elsewhere',
      directory,
    };
  });

  return [...own, ...others];
}

function resourcesOf(report: RunReport): ResourcesFact[] {
  return jobsOf(report).flatMap((job) => {
    const { resources } = job;
    if (resources === undefined || resources.resources.length === 0) return [];
    return [{ stack: report.jobs === undefined ? undefined : (stackOf(job) ?? ''), resources }];
  });
}

function detailsOf(report: RunReport): Details {
  const { startedAt, runSeconds, elsewhere } = runFactsOf(report);
  const { deploymentId, kind, identity, deploymentUrl, consoleUrl, confinement, jobs } = report;
  const { runtime, engine = [] } = confinement ?? {};
  return {
    isOfSeveral: jobs !== undefined,
    deployment:
      deploymentId === undefined || jobs !== undefined
        ? undefined
        : {
            id: deploymentId,
            kind,
            isNamedByItself: identity?.proven === false,
            page: deploymentUrl,
            listPage: consoleUrl,
          },
    startedAt,
    waitSeconds: report.waitSeconds,
    runSeconds: deploymentId === undefined ? undefined : runSeconds,
    image: report.image,
    imageDigest: report.imageDigest,
    confinement: runtime === undefined ? engine : [runtime, ...engine],
    forwarded: report.forwarded,
    runId: report.runId,
    jobId: report.jobId,
    isUnreported: report.reported === false,
    isElsewhere: elsewhere === true,
  };
}

function jobsOf(report: RunReport): readonly RunReport[] {
  return report.jobs?.map((job) => job.report) ?? [report];
}
