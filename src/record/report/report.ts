/*
 * The report of a run, from its record. report.ts reads it; facts.ts chooses the facts that are shown, once; blocks.ts
 * has each of them as HTML, on the pieces of markup.ts and for a medium of medium.ts. Two renderers put them together:
 * GitHub's Markdown in summary.ts and comment.ts (with gantt.ts), the page in page.ts (with the other page-*.ts,
 * timeline-picture.ts, log-data.ts and coloured-line.ts).
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { OUTCOMES, type Outcome } from '../../base/outcome.ts';
import { stackText } from '../../base/stack.ts';
import type { OwnDeployment } from '../deployment.ts';
import { changesInLogs } from '../output/changes.ts';
import { lockBy, lockHint } from '../output/lock.ts';
import { type ResourceStatement, resourceStatements } from '../output/statement.ts';
import { readEvents, readResult, whenGone } from '../reader.ts';
import { isStepLog, type RecordEvent, RUN_FILES, type RunResult, type StepResult } from '../schema.ts';

/** Facts of a record, as far as they are known. */
type Facts<T> = { readonly [K in keyof T]?: T[K] | undefined };

type TimeField = 'startedAt' | 'claimedAt' | 'finishedAt';

/** How a step ended; from its events if it has no result. */
export interface StepReport extends Facts<Omit<StepResult, 'status' | TimeField>> {
  readonly index: number;
  readonly name: string;
  readonly status: StepResult['status'] | 'running';
  /** Milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  readonly seconds?: number | undefined;
}

/** The published view of a run, with or without a result. */
export interface RunReport extends Facts<Omit<RunResult, 'steps' | TimeField>> {
  readonly outcome: Outcome;
  /** One sentence for the user. */
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
  readonly claimedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** Names of the forwarded variables. */
  readonly forwarded: string[];
  readonly notices: string[];
  readonly steps: readonly StepReport[];
  /** What the steps' own output says about resources: for all that show it. */
  readonly statements?: readonly ResourceStatement[] | undefined;
  /** Of the trace that a collector was given; absent if none was to be sent. */
  readonly traceId?: string | undefined;
  /** Set for a run that started deployments, unless it ran a single job, its own. */
  readonly jobs?: readonly JobReport[] | undefined;
}

/** A job of a run. `directory` is its run directory, relative to the run's. */
export interface JobReport {
  readonly directory: string;
  readonly report: RunReport;
}

/** True for a job that the run did not start. */
export function isForeign({ report }: JobReport): boolean {
  return report.deployments === undefined;
}

/** The stack of a report's job, if known. */
export function stackOf({ deployments, identity }: RunReport): string | undefined {
  return deployments?.[0]?.stack ?? (identity && stackText(identity));
}

/** The stack of a report's job, if Pulumi Cloud named it: a job must not choose the stack of a command to run. */
export function provenStackOf(report: RunReport): string | undefined {
  const { deployments, identity } = report;
  return deployments === undefined && identity?.proven !== true ? undefined : stackOf(report);
}

/** The report of a run with a result. Throws what node:fs throws. */
export async function reportOf(directory: string, result: RunResult): Promise<RunReport> {
  const { startedAt, claimedAt, finishedAt, message } = result;
  return await withJobs(directory, {
    ...result,
    ...(await printedFacts(directory, result)),
    startedAt: moment(startedAt),
    claimedAt: moment(claimedAt),
    finishedAt: moment(finishedAt),
    message: message === '' ? OUTCOMES[result.outcome].sentence : message,
    steps: result.steps.map((step) => {
      const [from, to] = [moment(step.startedAt), moment(step.finishedAt)];
      const seconds = from === undefined || to === undefined ? undefined : (to - from) / 1000;
      return { ...step, startedAt: from, finishedAt: to, seconds };
    }),
  });
}

/**
 * The report of a run without a result, from the events it left. `fallback` counts unless
 * the agent recorded a verdict with the last report to Pulumi Cloud: `exitCode` is then known. Throws
 * what node:fs throws.
 */
export async function reportWithout(
  directory: string,
  fallback: { readonly outcome: Outcome; readonly message: string },
): Promise<RunReport> {
  const facts: { -readonly [K in keyof RunReport]?: RunReport[K] } = {};
  const steps = new Map<number, StepReport>();
  const own = new Map<string, OwnDeployment>();
  const notices: string[] = [];

  for (const event of await readEvents(directory)) {
    const t = moment(event.t);
    facts.finishedAt = t;

    switch (event.type) {
      case 'agent-started':
        facts.startedAt = t;
        break;
      case 'own-deployment':
        own.set(event.stack, factsOf(event));
        break;
      case 'claimed':
        Object.assign(facts, factsOf(event), { reported: false, claimedAt: t });
        break;
      case 'identified':
        Object.assign(facts, factsOf(event));
        break;
      case 'job-loaded':
        facts.image = event.image;
        for (const [index, name] of event.steps.entries())
          steps.set(index, { index, name, status: 'not-started' });
        break;
      case 'notice':
        notices.push(event.message);
        break;
      case 'reported':
        Object.assign(facts, factsOf(event));
        break;
      case 'step-started': {
        const { index, step: name, log } = event;
        steps.set(index, { index, name, status: 'running', log, startedAt: t });
        break;
      }
      case 'step-finished': {
        const { step: name, ...end } = factsOf(event);
        const { log, startedAt } = steps.get(event.index) ?? {};
        steps.set(event.index, { ...end, name, log, startedAt, finishedAt: t });
        break;
      }
    }
  }

  const ordered = [...steps.values()].sort((a, b) => a.index - b.index);
  const printed = await printedFacts(directory, { ...facts, steps: ordered });
  const report = { ...fallback, ...facts, ...printed, forwarded: [], notices, steps: ordered };
  if (own.size === 0) return report;

  const deployments = [...own.values()];
  const [{ deploymentId, consoleUrl: deploymentUrl } = {}] = deployments;

  return await withJobs(directory, {
    ...report,
    ...defined({ deploymentId, deploymentUrl }),
    deployments,
    steps: [],
    // Those of a job are in its own report.
    statements: undefined,
  });
}

/**
 * What changed, and what holds the lock: by the record, or else by the steps' outputs, as where Pulumi's agent ran the
 * job, or ours died. And the outputs' own statements on resources. Throws what node:fs throws.
 */
async function printedFacts(
  directory: string,
  {
    resources,
    lock,
    steps,
    deployments,
  }: Pick<RunReport, 'resources' | 'lock' | 'deployments'> & {
    readonly steps: Parameters<typeof lockHint>[1];
  },
): Promise<Pick<RunReport, 'resources' | 'lock' | 'statements'>> {
  if (deployments !== undefined) return { resources, lock };
  const logged = steps.map((step) => (isStepLog(step.log) ? step : { ...step, log: undefined }));
  const hint = lock === undefined ? await lockHint(directory, logged) : undefined;
  return {
    resources: resources ?? (await changesInLogs(directory, logged)),
    lock: lock ?? (hint && lockBy(hint)),
    // Without them, a report still has its outcome.
    statements: await resourceStatements(directory, logged).catch(() => []),
  };
}

/** An event without its type and time. */
function factsOf<E extends RecordEvent>({ type: _, t: __, ...facts }: E) {
  return facts;
}

/**
 * Adds the jobs' records to a report with deployments. A run of one job, its own, becomes that
 * job's report.
 */
async function withJobs(directory: string, report: RunReport): Promise<RunReport> {
  const { deployments } = report;
  if (deployments === undefined) return report;

  const jobs: JobReport[] = [];
  const names = await readdir(join(directory, RUN_FILES.deployments)).catch(whenGone(undefined));

  for (const name of names?.toSorted() ?? []) {
    const path = `${RUN_FILES.deployments}/${name}`;
    const own = deployments.find((each) => each.directory === path);
    const job = await jobReport(join(directory, path), own);
    jobs.push({ directory: path, report: own === undefined ? job : { ...job, deployments: [own] } });
  }

  const ownJobs = jobs.filter((job) => job.report.deployments !== undefined);
  const first = ownJobs.find((job) => job.directory === deployments[0]?.directory);

  if (deployments.length > 1 || jobs.length > 1 || first === undefined) {
    const { runId, jobId, waitSeconds } = first?.report ?? {};
    const reports = ownJobs.map((job) => job.report.reported).filter((reported) => reported !== undefined);
    const reported = reports.length === 0 ? undefined : !reports.includes(false);
    return { ...report, ...defined({ runId, jobId, waitSeconds, reported }), jobs };
  }

  // The exit code is the run's, once it has one.
  const { startedAt: _, finishedAt: __, exitCode: ___, steps, ...job } = first.report;
  const { forwarded: ____, runSeconds: _____, waitSeconds: ______, ...run } = report;
  const logOf = ({ log }: StepReport) => log && `${first.directory}/${log}`;

  return { ...job, ...defined(run), steps: steps.map((step) => ({ ...step, log: logOf(step) })) };
}

async function jobReport(
  directory: string,
  { outcome = 'failed', message = '' }: Partial<OwnDeployment> = {},
) {
  const result = await readResult(directory);
  if (result === undefined) return await reportWithout(directory, { outcome, message });
  const report = await reportOf(directory, result);
  if (!result.elsewhere) return report;
  // Its times are those of its record, which is written after the job has ended.
  const { startedAt: _, finishedAt: __, ...job } = report;
  return job;
}

/** A time of the record in milliseconds since the epoch; undefined if it isn't valid. */
function moment(time = ''): number | undefined {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}
