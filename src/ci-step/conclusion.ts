import { join } from 'node:path';
import { withEntry } from '../base/error-codes.ts';
import { plainText } from '../base/log/plain-text.ts';
import type { Outcome } from '../base/outcome.ts';
import { counted, duration } from '../base/quantity.ts';
import { deploymentName, kindText, stackText } from '../base/stack.ts';
import type { OwnDeployment } from '../record/deployment.ts';
import { changeText, driftedText, onlyPlans } from '../record/report/change-text.ts';
import { figuresOf, tally } from '../record/report/facts.ts';
import type { RunReport } from '../record/report/report.ts';
import type { Host, UploadedArtifact } from './host.ts';
import type { StepSettings } from './settings.ts';

const MAX_NAME = 300;
const MAX_ADDRESS = 400;

/** The outcomes that read as a verb. */
const VERBS: readonly Outcome[] = ['succeeded', 'skipped', 'failed', 'cancelled', 'interrupted', 'refused'];

/** The end of a run, as the console shows it. */
export interface Conclusion {
  readonly report: RunReport;
  readonly runDirectory: string;
  readonly artifact?: UploadedArtifact | undefined;
}

/** True when the step must turn red. */
export function isRed({ outcome }: RunReport, onNoWork: StepSettings['onNoWork']): boolean {
  if (outcome === 'no-work') return onNoWork === 'fail';
  return isFailure(outcome);
}

function isFailure(outcome: Outcome): boolean {
  return outcome !== 'succeeded' && outcome !== 'skipped';
}

/**
 * Shows in one line how the run ended, linked to an error's entry, and below it where to read more.
 * Returns the step's exit code.
 */
export function conclude(host: Host, conclusion: Conclusion, onNoWork: StepSettings['onNoWork']): number {
  const { report } = conclusion;
  const red = isRed(report, onNoWork);
  // A message can quote a program or Pulumi Cloud, and must not bring a line that passes for this one.
  const line = plainText(showDeployments(host, report, red), 2_000);

  if (red) host.fail(withEntry(line, report.code));
  else if (report.outcome === 'skipped' || (report.outcome === 'no-work' && onNoWork === 'warn'))
    host.warning(line);
  else host.info(line);
  showLinks(host, conclusion);

  return host.exitCode(report.outcome, red);
}

/** The same in post, which turns no step red and annotates nothing. */
export function showConclusion(host: Host, conclusion: Conclusion): void {
  const { report } = conclusion;
  const red = isRed(report, 'succeed');
  const line = plainText(showDeployments(host, report, red), 2_000);
  host.info(withEntry(line, red ? report.code : undefined));
  showLinks(host, conclusion);
}

/** Shows a line for each of several deployments. Returns that of the run. */
function showDeployments(host: Host, report: RunReport, red: boolean): string {
  const { deployments = [], outcome } = report;
  if (deployments.length > 1)
    for (const deployment of deployments) host.info(plainText(deploymentLine(deployment), 2_000));

  return `${signOf(outcome, red)} ${endOf(report)}`;
}

function signOf(outcome: Outcome | undefined, red: boolean): string {
  if (red) return '✗';
  if (outcome === 'succeeded') return '✓';
  return outcome === 'no-work' ? '○' : '–';
}

/** `acme/network/prod · update #1042 succeeded in 9.8 s · 5 created`; the message where that says no more. */
function endOf(report: RunReport): string {
  const { outcome, message, deployments = [], runSeconds } = report;
  if (deployments.length > 1) return endOfSeveral(report, deployments);

  const subject = subjectOf(report);
  if (subject === undefined)
    // The message of the others says it itself.
    return outcome !== 'failed' && isRed(report, 'succeed') ? `${outcome}: ${message}` : message;

  const [own] = deployments;
  const elsewhere = isElsewhere(own) ? ' elsewhere' : '';
  const end = `${plainText(subject, MAX_NAME)} ${verbOf(outcome)}${elsewhere}${timeText(runSeconds ?? own?.seconds)}`;
  if (outcome !== 'succeeded') return `${end}: ${message}`;

  const drift = own ?? report;
  const drifted = drift.drift === true ? `drift${driftedText(drift, ': ')}` : undefined;
  return [end, figuresOf(report), drifted].filter((part) => part !== undefined).join(' · ');
}

/** `3 deployments · update · 2 succeeded, 1 failed · 40 s`, and the message of a failure. */
function endOfSeveral(
  { outcome, message, runSeconds }: RunReport,
  deployments: readonly OwnDeployment[],
): string {
  const operations = [...new Set(deployments.map(({ operation }) => operation))].join(', ');
  const time = runSeconds === undefined ? [] : [duration(runSeconds)];
  const parts = [counted(deployments.length, 'deployment'), operations, ...tally(deployments), ...time];
  const end = plainText(parts.join(' · '), MAX_NAME);
  return outcome === 'succeeded' ? end : `${end}: ${message}`;
}

/** The deployment of a run by its names, else by its ID; undefined without any. */
function subjectOf({ deployments = [], identity, deploymentId, kind }: RunReport): string | undefined {
  const [own] = deployments;
  if (own !== undefined) return deploymentName(own);
  if (identity !== undefined) return deploymentName({ ...identity, stack: stackText(identity) });
  if (deploymentId === undefined) return undefined;
  return kind === undefined ? `Deployment ${deploymentId}` : `Work ${kindText(kind)}`;
}

/** `✓ acme/network/prod · update #7 succeeded elsewhere in 10 s · 5 created`. */
function deploymentLine(deployment: OwnDeployment): string {
  const { operation, outcome, state, seconds, changes = {} } = deployment;
  const red = outcome !== undefined && isFailure(outcome);
  const elsewhere = isElsewhere(deployment) ? ' elsewhere' : '';
  const verb = outcome === undefined ? state : verbOf(outcome);
  const end = `${signOf(outcome, red)} ${deploymentName(deployment)} ${verb}${elsewhere}${timeText(seconds)}`;
  const figures = changeText(changes, { planned: onlyPlans(operation) });
  return figures === undefined ? end : `${end} · ${figures}`;
}

/** One that never began ran nowhere. */
function isElsewhere(own: OwnDeployment | undefined): boolean {
  return own?.ranHere === false && own.seconds !== undefined;
}

function verbOf(outcome: Outcome): string {
  return VERBS.includes(outcome) ? outcome : `ended as ${outcome}`;
}

function timeText(seconds: number | undefined): string {
  return seconds === undefined ? '' : ` in ${duration(seconds)}`;
}

/** Shows the deployment's page in Pulumi Cloud, and the run's record. */
function showLinks(host: Host, { report, runDirectory, artifact }: Conclusion): void {
  const { deployments = [], deploymentId, deploymentUrl, consoleUrl } = report;
  const [own] = deployments;
  const page = deployments.length > 1 ? undefined : (own?.consoleUrl ?? deploymentUrl);

  if (isAddress(page)) host.info(`Deployment: ${page}`);
  else if (deploymentId !== undefined && isAddress(consoleUrl)) host.info(`Deployments: ${consoleUrl}`);

  if (artifact !== undefined) host.info(`Artifact: ${artifact.url}`);
  else if (host.keepsRecord && runDirectory !== '') host.info(`Report: ${join(runDirectory, 'report.html')}`);
}

/** Pulumi Cloud's answers have some of them. */
function isAddress(address: string | undefined): boolean {
  return address !== undefined && address.length <= MAX_ADDRESS && /^https?:\/\/[^\s\p{Cc}]+$/u.test(address);
}
