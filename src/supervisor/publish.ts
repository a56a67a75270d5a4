import { join } from 'node:path';
import { withEntry } from '../error-codes.ts';
import { plainText } from '../log/plain-text.ts';
import { messageOf } from '../outcome.ts';
import { counted, duration } from '../quantity.ts';
import type { OwnDeployment } from '../record/deployment.ts';
import type { RecordEvent } from '../record/schema.ts';
import { writeReportPage } from '../report/page.ts';
import { receiptOf } from '../report/receipt.ts';
import type { RunReport, StepReport } from '../report/report.ts';
import { changeFigures } from '../report/resource-changes.ts';
import { runSummary } from '../report/summary.ts';
import { stackText } from '../stack.ts';
import type { Host, Publishing, StepSettings, UploadedArtifact } from './host.ts';

export interface Publication {
  readonly report: RunReport;
  readonly runDirectory: string;
  readonly settings: Publishing;
  readonly red: boolean;
  readonly artifactDeadlineMs: number;
  /** The artifact that an earlier phase uploaded, if any. */
  readonly uploaded?: UploadedArtifact | undefined;
  /** No phase follows this one: what it skips when the CI job is cancelled is lost. */
  readonly last?: boolean;
}

/**
 * Writes the report page, uploads the artifact and writes the summary. Never throws: a failure is a
 * warning and does not change the outcome. When the CI job is cancelled, the artifact is abandoned
 * and the summary left to the next phase, if there is one.
 */
export async function publish(host: Host, publication: Publication): Promise<UploadedArtifact | undefined> {
  const { report, runDirectory, last = false, uploaded } = publication;
  const artifact = uploaded ?? (await publishFiles(host, publication));
  if (last || !host.cancelled.aborted) {
    const source = { report, runDirectory, artifact, troubleshooting: host.troubleshooting };
    await addSummary(host, () => runSummary(source));
  }
  return artifact;
}

async function publishFiles(host: Host, publication: Publication): Promise<UploadedArtifact | undefined> {
  const { report, runDirectory, settings, red, artifactDeadlineMs, last = false } = publication;
  const { troubleshooting, cancelled: signal } = host;

  try {
    for (const { directory, report: each } of [{ directory: '', report }, ...(report.jobs ?? [])]) {
      if (signal.aborted) break;
      await writeReportPage({
        directory: join(runDirectory, directory),
        report: each,
        signal,
        troubleshooting,
      });
    }
  } catch (error) {
    const sentence = `Failed to write report.html for this run: ${plainText(messageOf(error))}. The files beside it have the same facts.`;
    if (!signal.aborted) host.warning(withEntry(sentence, 'PRA-RECORD-03'));
  }

  const { uploadArtifact, artifactName, artifactRetentionDays } = settings;
  if (uploadArtifact === 'never' || (uploadArtifact === 'on-failure' && !red)) return undefined;

  return await host.upload({
    directory: runDirectory,
    name: artifactName,
    // Of several deployments none names the artifact.
    ...((report.jobs === undefined || report.jobs.length === 1) && { deploymentId: report.deploymentId }),
    identity: report.identity,
    retentionDays: artifactRetentionDays,
    deadlineMs: artifactDeadlineMs,
    signal,
    last,
  });
}

/** Adds the result of `render` to the job's summary. Never throws: a failure is a warning. */
export async function addSummary(host: Host, render: () => string | Promise<string>): Promise<void> {
  try {
    await host.addSummary(await render());
  } catch (error) {
    const sentence = `Failed to write the summary for this step: ${plainText(messageOf(error))}. The console has the same facts.`;
    host.warning(withEntry(sentence, 'PRA-RECORD-02'));
  }
}

/**
 * Sets outputs as soon as known, in case the CI job ends this step. The first own deployment
 * counts. Never throws.
 */
export function knownOutputs(host: Host): (event: RecordEvent) => void {
  let first: OwnDeployment | undefined;

  /** The claim that the outputs are about; undefined while another job runs. */
  let claim: Named | undefined;

  return (event) => {
    try {
      if (event.type === 'health-listening') host.setOutput('health-url', event.url);

      if (event.type === 'own-deployment' && first === undefined && event.deploymentId !== undefined) {
        first = event;
        host.setOutput('deployment-id', event.deploymentId);
      }

      if (event.type === 'claimed') {
        claim = (first ?? event).deploymentId === event.deploymentId ? event : undefined;
        if (claim !== undefined) setClaimOutputs(host, event);
      }

      if ((event.type === 'claimed' || event.type === 'identified') && claim !== undefined)
        setNameOutputs(host, { ...claim, ...event }, first);
    } catch {
      // Setting the outputs at the end reports the failure.
    }
  };
}

/**
 * Sets the step's outputs. Never throws: a failure is a warning and does not change the outcome.
 */
export function setRunOutputs(
  host: Host,
  report: RunReport,
  runDirectory: string,
  artifact?: UploadedArtifact,
): void {
  const { deployments = [] } = report;
  const [own] = deployments;
  const { directory = '' } = own ?? {};

  try {
    host.setOutput('outcome', report.outcome);
    setClaimOutputs(host, report);
    setNameOutputs(host, report, own);
    host.setOutput('deployments', JSON.stringify(deployments.map(deploymentOutput)));
    host.setOutput('drift', String(report.drift ?? ''));
    host.setOutput('reported', String(report.reported ?? ''));
    host.setOutput('run-seconds', seconds(report.runSeconds));
    host.setOutput('run-directory', directory === '' ? runDirectory : join(runDirectory, directory));
    host.setOutput('artifact-id', artifact?.id ?? '');
    host.setOutput('artifact-name', artifact?.name ?? '');
    host.setOutput('artifact-url', artifact?.url ?? '');
  } catch (error) {
    const sentence = `Failed to set the outputs of this step: ${plainText(messageOf(error))}. The console has the same facts.`;
    host.warning(withEntry(sentence, 'PRA-RECORD-02'));
  }
}

function deploymentOutput({
  stack,
  operation,
  deploymentId,
  version,
  outcome,
  ranHere,
  consoleUrl,
}: OwnDeployment) {
  return { stack, operation, deploymentId, version, outcome, ranHere, consoleUrl };
}

type ClaimFacts = Pick<RunReport, 'deploymentId' | 'runId' | 'jobId' | 'consoleUrl' | 'waitSeconds'>;

function setClaimOutputs(host: Host, claim: ClaimFacts): void {
  host.setOutput('deployment-id', claim.deploymentId ?? '');
  host.setOutput('run-id', claim.runId ?? '');
  host.setOutput('job-id', claim.jobId ?? '');
  host.setOutput('wait-seconds', seconds(claim.waitSeconds));
}

type Named = Pick<RunReport, 'identity' | 'deploymentUrl' | 'consoleUrl'>;

/**
 * The names of the deployment, or of the step's own one. Its page falls back on the organization's
 * list.
 */
function setNameOutputs(
  host: Host,
  { identity, deploymentUrl, consoleUrl }: Named,
  own: OwnDeployment | undefined,
) {
  host.setOutput('stack', own?.stack ?? (identity === undefined ? '' : stackText(identity)));
  host.setOutput('operation', own?.operation ?? identity?.operation ?? '');
  host.setOutput('console-url', deploymentUrl ?? consoleUrl ?? '');
}

function seconds(value: number | undefined): string {
  return value === undefined ? '' : String(Math.round(value * 10) / 10);
}

/** A shell's exit code for a program killed by SIGKILL. */
const KILLED = 137;

/**
 * Shows how deployments ended and what needs attention: drift, a stack that may be locked,
 * undelivered lines.
 */
export function sayNotices(host: Host, report: RunReport): void {
  const { deployments = [] } = report;
  for (const deployment of deployments) host.info(plainText(endOf(deployment), 2_000));

  const others = [report, ...(report.jobs ?? []).map((job) => job.report)]
    .filter((each) => each.deployments === undefined)
    .map(({ drift, identity, deploymentUrl }) => ({
      drift,
      stack: identity && stackText(identity),
      consoleUrl: deploymentUrl,
    }));

  for (const { stack, consoleUrl } of [...deployments, ...others].filter((each) => each.drift === true))
    host.notice(
      plainText(`The resources of ${stack} differ from its state${consoleUrl ? `: ${consoleUrl}` : ''}`),
      'Drift',
    );

  for (const each of report.jobs?.map((job) => job.report) ?? [report]) {
    const named = each.identity && stackText(each.identity);
    const stack = each.deployments?.[0]?.stack ?? named ?? `deployment ${each.deploymentId}`;
    const ended = each.elsewhere ? undefined : each.steps.find(wasEndedByForce);

    if (ended !== undefined) {
      const advice = 'Make sure that nothing is still working on it, then unlock it with `pulumi cancel`';
      host.notice(
        plainText(`${ended.name} of ${stack} was ended by force. ${advice}.`),
        'A stack may be locked',
      );
    }

    const { undelivered = 0 } = receiptOf(each) ?? {};
    if (undelivered > 0)
      host.notice(
        plainText(
          `${counted(undelivered, 'line')} of ${stack} did not reach Pulumi Cloud: see the artifact.`,
        ),
        'Log',
      );
  }
}

/** `acme/network/prod: update succeeded here in 10 s, +5 ~0 −0`. */
function endOf({ stack, operation, outcome, state, ranHere, seconds, changes = {} }: OwnDeployment): string {
  const time = seconds === undefined ? '' : ` in ${duration(seconds)}`;
  const figures = changeFigures(changes);
  const where = ranHere ? ' here' : seconds === undefined ? '' : ' elsewhere';
  return `${stack}: ${operation} ${outcome ?? state}${where}${time}${figures === undefined ? '' : `, ${figures}`}`;
}

/**
 * The step was killed, and with it any engine that held the stack's lock. Step 0 is the agent's
 * preparation.
 */
function wasEndedByForce({ index, status, exitCode, endedByForce }: StepReport): boolean {
  if (index === 0 || status === 'succeeded' || status === 'not-started') return false;
  return status === 'running' || exitCode === KILLED || endedByForce === true;
}

/** True when the step must turn red. */
export function isRed({ outcome }: RunReport, onNoWork: StepSettings['onNoWork']): boolean {
  return outcome === 'no-work' ? onNoWork === 'fail' : outcome !== 'succeeded';
}

/**
 * Shows in one sentence how the run ended, linked to an error's entry. Returns the step's exit
 * code.
 */
export function conclude(host: Host, report: RunReport, onNoWork: StepSettings['onNoWork']): number {
  if (isRed(report, onNoWork)) {
    host.fail(withEntry(report.message, report.code));
    return 1;
  }
  if (report.outcome === 'no-work' && onNoWork === 'warn') host.warning(report.message);
  else host.info(report.message);
  return 0;
}
