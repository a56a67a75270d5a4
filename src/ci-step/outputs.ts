import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { withEntry } from '../base/error-codes.ts';
import { parsedJson } from '../base/json.ts';
import { plainText } from '../base/log/plain-text.ts';
import { Redactor } from '../base/log/redactor.ts';
import { messageOf } from '../base/outcome.ts';
import { stackText } from '../base/stack.ts';
import type { OwnDeployment } from '../record/deployment.ts';
import { runChanges } from '../record/report/change-counts.ts';
import { isForeign, type RunReport } from '../record/report/report.ts';
import type { RecordEvent } from '../record/schema.ts';
import type { Host, UploadedArtifact } from './host.ts';

/**
 * Sets outputs as soon as known, in case the CI job ends this step. The first own deployment
 * counts. Never throws.
 */
export function outputsFromEvents(host: Host): (event: RecordEvent) => void {
  let first: OwnDeployment | undefined;

  /** The claim that the outputs are about; undefined while another job runs. */
  let claim: Partial<RunReport> | undefined;

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
  {
    artifact,
    stackOutputs = '',
  }: { readonly artifact?: UploadedArtifact | undefined; readonly stackOutputs?: string | undefined } = {},
): void {
  const { deployments = [] } = report;
  const [own] = deployments;
  const { directory = '' } = own ?? {};

  warnOnFailure(host, () => {
    host.setOutput('outcome', report.outcome);
    host.setOutput('error-code', report.code ?? '');
    host.setOutput('error', host.consoleText(errorOf(report)));
    setClaimOutputs(host, report);
    setNameOutputs(host, report, own);
    host.setOutput('deployments', JSON.stringify(deployments.map(deploymentOutput)));
    host.setOutput('stack-version', String((own && versionToApprove(own)) ?? ''));
    host.setOutput('stack-outputs', stackOutputs);
    host.setOutput('drift', String(report.drift ?? ''));
    host.setOutput('reported', String(report.reported ?? ''));
    host.setOutput('run-seconds', seconds(report.runSeconds));
    host.setOutput('run-directory', directory === '' ? runDirectory : join(runDirectory, directory));
    const changes = runChanges(report);
    host.setOutput('changes', changes === undefined ? '' : JSON.stringify(changes));
    setPublicationOutputs(host, report.traceId, artifact);
  });
}

/**
 * Sets the outputs that publishing a run adds to those that `setRunOutputs` has set. Never throws: a
 * failure is a warning.
 */
export function addPublicationOutputs(
  host: Host,
  traceId: string | undefined,
  artifact: UploadedArtifact | undefined,
): void {
  warnOnFailure(host, () => setPublicationOutputs(host, traceId, artifact));
}

function setPublicationOutputs(
  host: Host,
  traceId: string | undefined,
  artifact: UploadedArtifact | undefined,
): void {
  host.setOutput('trace-id', traceId ?? '');
  host.setOutput('artifact-id', artifact?.id ?? '');
  host.setOutput('artifact-name', artifact?.name ?? '');
  host.setOutput('artifact-url', artifact?.url ?? '');
}

function warnOnFailure(host: Host, setOutputs: () => void): void {
  try {
    setOutputs();
  } catch (error) {
    const sentence = `Failed to set the outputs of this step: ${plainText(messageOf(error))}. The console has the same facts.`;
    host.warning(withEntry(sentence, 'PRA-RECORD-02'));
  }
}

/** The first error that a failed step of the run's own jobs printed. */
function errorOf(report: RunReport): string {
  const reports = report.jobs?.filter((job) => !isForeign(job)).map((job) => job.report) ?? [report];
  const steps = reports.flatMap((each) => each.steps);
  return steps.find(({ status, error }) => status === 'failed' && error !== undefined)?.error ?? '';
}

function deploymentOutput(own: OwnDeployment) {
  const { stack, operation, deploymentId, version, outcome, ranHere, consoleUrl } = own;
  const stackVersion = versionToApprove(own);
  return { stack, operation, deploymentId, version, outcome, ranHere, consoleUrl, stackVersion };
}

/** None of a preview that was skipped: it is green, and showed a reviewer nothing to approve. */
function versionToApprove({ outcome, stackVersion }: OwnDeployment): number | undefined {
  return outcome === 'succeeded' ? stackVersion : undefined;
}

function setClaimOutputs(host: Host, claim: Partial<RunReport>): void {
  host.setOutput('deployment-id', claim.deploymentId ?? '');
  host.setOutput('run-id', claim.runId ?? '');
  host.setOutput('job-id', claim.jobId ?? '');
  host.setOutput('wait-seconds', seconds(claim.waitSeconds));
}

/**
 * The names of the deployment, or of the step's own one. Its page falls back on the organization's
 * list.
 */
function setNameOutputs(
  host: Host,
  { identity, deploymentUrl, consoleUrl }: Partial<RunReport>,
  own: OwnDeployment | undefined,
) {
  host.setOutput('stack', own?.stack ?? (identity === undefined ? '' : stackText(identity)));
  host.setOutput('operation', own?.operation ?? identity?.operation ?? '');
  host.setOutput('console-url', deploymentUrl ?? consoleUrl ?? '');
}

function seconds(value: number | undefined): string {
  return value === undefined ? '' : String(Math.round(value * 10) / 10);
}

const stackOutputsSchema = z.custom<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
  (value) => typeof value === 'object' && value !== null,
);

/**
 * The outputs of the stacks that the engine left in a file, as one JSON object by stack and name. Outputs that hold one
 * of the `secrets` that this step hides are left out too, as GitHub empties an output with one. Empty without a file.
 * Never rejects.
 */
export async function readStackOutputs(
  host: Pick<Host, 'info'>,
  file: string,
  secrets: readonly string[],
): Promise<string> {
  const { data } = stackOutputsSchema.safeParse(parsedJson(await readFile(file, 'utf8').catch(() => '')));
  if (data === undefined) return '';

  const redactor = new Redactor();
  redactor.add(secrets);
  const redact = (text: string) => redactor.text(text);
  const isPlain = (text: string) => redact(text) === text;

  const stacks = Object.entries(data).map(([stack, outputs]) => {
    const plain = Object.entries(outputs).filter((each) => isPlain(JSON.stringify(each)));
    const names = Object.keys(outputs).filter((name) => !plain.some(([each]) => each === name));
    if (names.length > 0) {
      // Before it is cut: a part of a secret would no longer match.
      const list = redact(names.join(', '));
      host.info(
        plainText(
          `stack-outputs leaves out outputs of ${stack} that hold a text that this step hides: ${list}.`,
        ),
      );
    }
    return [stack, Object.fromEntries(plain)];
  });
  // The same JSON, without the beginning of a command of Azure Pipelines or TeamCity for a later step that prints it.
  return JSON.stringify(Object.fromEntries(stacks)).replaceAll('##', '#\\u0023');
}
