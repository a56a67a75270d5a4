import { plainText } from '../../base/log/plain-text.ts';
import type { Outcome } from '../../base/outcome.ts';
import { counted, duration } from '../../base/quantity.ts';
import { type Identity, kindText, stackText } from '../../base/stack.ts';
import type { OwnDeployment } from '../deployment.ts';
import { code, escapeHtml, link, outcomeSign, titledTable } from './markup.ts';
import type { JobReport, RunReport } from './report.ts';
import {
  changeText,
  type DriftFacts,
  driftedText,
  onlyPlans,
  type ResourceChanges,
  statedText,
} from './resource-changes.ts';
import { resourcesText } from './resource-list.ts';

const MAX_NAME = 200;

/** The headline of a summary and a page. */
export interface Glance {
  readonly sign: string;
  /** The stack, or else what the run was about. */
  readonly subject: string;
  readonly address?: string | undefined;
  readonly facts: readonly string[];
}

/**
 * A run in one line: `acme/network/prod · update · #1042 · 10 s · 5 created`. `changes` come from
 * its steps' output.
 */
export function glanceOf(report: RunReport, changes: readonly ResourceChanges[]): Glance {
  const { outcome, deployments = [], deploymentId, kind, identity, deploymentUrl, consoleUrl } = report;
  const sign = outcomeSign(outcome);
  const [own] = deployments;
  const ending = outcome === 'succeeded' ? [] : [outcome];
  const seconds = report.runSeconds === undefined ? [] : [duration(report.runSeconds)];

  if (own !== undefined && deployments.length > 1) {
    const operations = [...new Set(deployments.map(({ operation }) => operation))];
    const subject = counted(deployments.length, 'deployment');
    return { sign, subject, facts: [operations.join(', '), ...tally(deployments), ...seconds] };
  }

  const figures = figuresOf(report, changes);
  const facts = [...ending, ...seconds, ...(figures === undefined ? [] : [figures])];

  if (own !== undefined) {
    const drift = own.drift === true ? [`drift${driftedText(own, ': ')}`] : [];
    return {
      sign,
      subject: own.stack,
      address: own.consoleUrl,
      facts: [...namesOf(own), ...facts, ...drift],
    };
  }

  if (identity !== undefined) {
    const drift = report.drift === true ? [`drift${driftedText(report, ': ')}`] : [];
    const subject = stackText(identity);
    return { sign, subject, address: deploymentUrl, facts: [...namesOf(identity), ...facts, ...drift] };
  }

  if (deploymentId !== undefined) {
    const subject = kind === undefined ? `Deployment ${deploymentId}` : `Work ${kindText(kind)}`;
    return { sign, subject, address: deploymentUrl ?? consoleUrl, facts };
  }

  return { sign, subject: 'No deployment', facts: ending };
}

/** What changed, from the best source: Pulumi Cloud's steps, its counts, the job's output. */
export function figuresOf(
  { resources, deployments: [own] = [] }: RunReport,
  changes: readonly ResourceChanges[],
): string | undefined {
  if (resources?.source === 'pulumi-cloud') return resourcesText(resources);
  const counted = changeText(own?.changes ?? {}, { planned: onlyPlans(own?.operation) });
  if (counted !== undefined) return counted;
  if (resources !== undefined) return resourcesText(resources);
  const stated = statedText(changes.at(-1)?.changes ?? '');
  return stated === undefined ? undefined : `${stated}, according to its output`;
}

/** The operation and the number of a deployment, as far as known. */
function namesOf({ operation, version }: Partial<Identity>): string[] {
  return [operation, version === undefined ? undefined : `#${version}`].filter((name) => name !== undefined);
}

/** `2 succeeded, 1 failed`, and the number with drift. */
export function tally(deployments: readonly OwnDeployment[]): string[] {
  const ends = Map.groupBy(deployments, ({ outcome, state }) => outcome ?? state);
  const counts = [...ends].map(([end, those]) => `${those.length} ${end}`).join(', ');
  const drift = deployments.filter((each) => each.drift === true).length;
  return drift > 0 ? [counts, `drift in ${drift}`] : [counts];
}

/** The headline as HTML, on one line. */
export function glanceMarkup({ sign, subject, address, facts }: Glance): string {
  const first = link(escapeHtml(plainText(subject, MAX_NAME)), address);
  return [`${sign} ${first}`, ...facts.map((fact) => escapeHtml(plainText(fact, MAX_NAME)))].join(' · ');
}

/**
 * A table of the deployments that a run started, then of the other jobs it ran; if `linked`, with
 * links to their reports. Empty for a run of a single job.
 */
export function deploymentTable(
  { deployments = [], jobs }: RunReport,
  maxRows: number,
  linked = false,
): string {
  if (jobs === undefined) return '';

  const looked = [...deployments, ...jobs.map(({ report }) => report)].some(
    (each) => each.drift !== undefined,
  );
  const drift = looked ? ['Drift'] : [];
  const logs = linked ? ['Log'] : [];

  const titles = [
    'Stack',
    'Operation',
    'Version',
    'Outcome',
    'Resources',
    ...drift,
    'Duration',
    'Run',
    ...logs,
  ];

  const reportOf = (directory: string | undefined): string[] => {
    const hasReport = jobs.some((job) => job.directory === directory);
    return linked ? [hasReport ? `<a href="${escapeHtml(`${directory}/report.html`)}">report</a>` : ''] : [];
  };

  const rows = deployments.map((each) => [
    link(code(each.stack), each.consoleUrl),
    escapeHtml(plainText(each.operation, MAX_NAME)),
    String(each.version ?? ''),
    outcomeText(each.outcome, each.state),
    resourcesOf(each, jobs),
    ...drift.map(() => driftText(each)),
    each.seconds === undefined ? '' : duration(each.seconds),
    each.deploymentId === undefined ? 'not started' : each.ranHere ? 'here' : 'elsewhere',
    ...reportOf(each.directory),
  ]);

  const others = jobs
    .filter(isForeign)
    .map(({ directory, report }) => [
      link(code(nameOf(report)), report.deploymentUrl),
      escapeHtml(report.identity?.operation ?? ''),
      String(report.identity?.version ?? ''),
      outcomeText(report.outcome, 'ended'),
      report.resources === undefined ? '' : resourcesText(report.resources),
      ...drift.map(() => driftText(report)),
      report.runSeconds === undefined ? '' : duration(report.runSeconds),
      'here, started elsewhere',
      ...reportOf(directory),
    ]);

  return titledTable(titles, [...rows, ...others], { maxRows, what: 'deployments' });
}

/** A deployment's changes: as Pulumi Cloud counts them, or else by its job. */
function resourcesOf(
  { changes = {}, operation, directory }: OwnDeployment,
  jobs: readonly JobReport[],
): string {
  const { resources } = jobs.find((job) => job.directory === directory)?.report ?? {};
  return (
    changeText(changes, { planned: onlyPlans(operation) }) ??
    (resources === undefined ? '' : resourcesText(resources))
  );
}

function driftText({ drift, driftRun }: DriftFacts): string {
  if (drift !== true) return drift === undefined ? '' : 'none';
  const run = driftRun?.id === undefined ? '' : `, run ${code(driftRun.id)}`;
  return `⚠️ ${escapeHtml(driftedText({ driftRun }) || 'drift')}${run}`;
}

/** The stack of a job that the run did not start, or else its deployment's ID. */
function nameOf({ identity, deploymentId = '' }: RunReport): string {
  return identity === undefined ? deploymentId : stackText(identity);
}

/** True for a job that the run did not start. */
export function isForeign({ report }: JobReport): boolean {
  return report.deployments === undefined;
}

function outcomeText(outcome: Outcome | undefined, state: OwnDeployment['state']): string {
  return outcome === undefined ? `⏳ ${state}` : `${outcomeSign(outcome)} ${outcome}`;
}
