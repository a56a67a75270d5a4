import * as core from '@actions/core';
import { withEntry } from '../error-codes.ts';
import { messageOf, OUTCOMES } from '../outcome.ts';
import { CHECK_SIGNS, countChecks, type DoctorReport, doctorReportSchema } from '../record/doctor-report.ts';
import { agentEnvironment } from './agent-process.ts';
import { agentReport } from './agent-report.ts';
import { consoleLine, plainText } from './console-text.ts';
import { writeIdToken } from './id-token.ts';
import { ACTION_DEFAULTS, type ActionInputs } from './inputs.ts';
import { CANCELLED_EXIT_CODE, type Job } from './job.ts';
import { labelsOf } from './labels.ts';
import { publishDoctorSummary } from './publish/doctor-summary.ts';
import { setArtifactOutputs, setRunOutputs } from './publish/outputs.ts';
import type { RunFolder } from './run-folder.ts';
import { writerOf } from './stdout.ts';

/** Milliseconds: a pull is the longest of what doctor may do. */
const DOCTOR_MS = 40 * 60_000;

export interface DoctorSources {
  readonly job: Job;
  readonly inputs: ActionInputs;
  readonly folder: RunFolder;
  /** The ID token that the agent needs, if it needs one, as soon as GitHub gives it. */
  readonly idToken: Promise<string | undefined>;
}

/**
 * Runs the agent's doctor instead of waiting for work, and shows what it found in the console and the summary. Returns the
 * step's exit code. Throws OutcomeError `failed` when there is no report, and the signal's reason when cancelled before it began.
 */
export async function doctor(sources: DoctorSources): Promise<number> {
  const { job, folder } = sources;
  const refusal = await writtenIdToken(sources);
  job.cancelled.throwIfAborted();
  const found = await diagnosis(sources);
  const report = found === undefined || refusal === undefined ? found : explained(found, refusal);
  if (report === undefined) {
    core.info('The CI job was cancelled: the checks were left.');
    core.setOutput('outcome', 'interrupted');
    return CANCELLED_EXIT_CODE;
  }
  const { checks, outcome } = report;
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.map(
    ({ status, title, detail }) => `${consoleLine(`${CHECK_SIGNS[status]} ${title.padEnd(width)}  ${detail}`)}\n`,
  );
  await writerOf(job.stdout, job.cancelled)(`${lines.join('')}\n`);
  const failed = checks.filter(({ status }) => status === 'failed');
  const message = failed.length === 0 ? countChecks(checks) : `${countChecks(checks)} ${OUTCOMES[outcome].sentence}`;
  setRunOutputs({ outcome, message, forwarded: [], notices: [], steps: [] }, folder.runDirectory);
  setArtifactOutputs(undefined);
  await publishDoctorSummary(job.environment, report);
  for (const { title, detail } of checks.filter(({ status }) => status === 'warning')) {
    core.warning(plainText(detail, 2_000), { title: plainText(title) });
  }
  for (const { title, detail, code } of failed)
    core.error(withEntry(plainText(detail, 2_000), code), { title: plainText(title) });
  if (failed.length === 0) core.info(message);
  else core.setFailed(message);
  return failed.length === 0 ? 0 : 1;
}

/** Writes the ID token where the agent reads it; returns why there is none, which is no reason not to look at the rest. */
async function writtenIdToken({ folder, idToken }: DoctorSources): Promise<string | undefined> {
  try {
    const token = await idToken;
    if (token !== undefined) await writeIdToken(folder.idTokenFile, token);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The agent misses the file; why nobody wrote it only the action knows. */
function explained(report: DoctorReport, refusal: string): DoctorReport {
  const checks = report.checks.map((check) =>
    check.id === 'id-token' && check.status === 'failed' ? { ...check, detail: plainText(refusal, 2_000) } : check,
  );
  return { ...report, checks };
}

/** Runs the doctor; undefined when the CI job was cancelled meanwhile. */
function diagnosis({ job, inputs, folder }: Omit<DoctorSources, 'idToken'>): Promise<DoctorReport | undefined> {
  const args = ['doctor', '--json', '--run-directory', folder.runDirectory];
  if (inputs.configFile !== undefined) args.push('--config', inputs.configFile);
  for (const [key, value] of Object.entries(ACTION_DEFAULTS)) args.push('--default', `${key}=${value}`);
  for (const [key, value] of Object.entries(labelsOf(job))) args.push('--label', `${key}=${value}`);
  return agentReport({
    job,
    name: 'the doctor',
    args,
    environment: agentEnvironment(job.environment, inputs.agentVariables, inputs.config.envForwardAllowlist),
    deadlineMs: DOCTOR_MS,
    read: (json) => doctorReportSchema.parse(json),
  });
}
