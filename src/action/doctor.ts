import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import * as core from '@actions/core';
import { messageOf, OUTCOMES, OutcomeError } from '../outcome.ts';
import { CHECK_SIGNS, countChecks, type DoctorReport, doctorReportSchema } from '../record/doctor-report.ts';
import { agentEnvironment, requireProgram } from './agent-process.ts';
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
/** Milliseconds from SIGINT until a cancelled step leaves it alone. */
const LEAVE_MS = 1_000;
/** Characters of its output that are kept; a report has some 5,000. */
const MAX_OUTPUT = 1024 * 1024;

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
  for (const { title, detail } of failed) core.error(plainText(detail, 2_000), { title: plainText(title) });
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
async function diagnosis({ job, inputs, folder }: Omit<DoctorSources, 'idToken'>): Promise<DoctorReport | undefined> {
  const { nodePath, agentScript: script, cancelled } = job;
  await requireProgram(script);
  const args = [script, 'doctor', '--json', '--run-directory', folder.runDirectory];
  if (inputs.configFile !== undefined) args.push('--config', inputs.configFile);
  for (const [key, value] of Object.entries(ACTION_DEFAULTS)) args.push('--default', `${key}=${value}`);
  for (const [key, value] of Object.entries(labelsOf(job))) args.push('--label', `${key}=${value}`);
  const child = spawn(nodePath, args, {
    cwd: dirname(script),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: agentEnvironment(job.environment, inputs.agentVariables, inputs.config.envForwardAllowlist),
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] = `${texts[name]}${text}`.slice(0, MAX_OUTPUT);
    });
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(unreported(`it could not be started: ${cause.message}`, cause)));
    child.once('close', resolve);
  });
  const { promise: left, resolve: leave } = Promise.withResolvers<null>();
  const onCancel = () => {
    child.kill('SIGINT');
    setTimeout(() => leave(null), LEAVE_MS);
  };
  const timer = setTimeout(() => child.kill('SIGKILL'), DOCTOR_MS);
  cancelled.addEventListener('abort', onCancel, { once: true });
  if (cancelled.aborted) onCancel();
  try {
    const code = await Promise.race([ended, left]);
    if (cancelled.aborted) return undefined;
    return reportIn(texts.stdout, `it ended with ${code ?? 'a signal'} and said: ${texts.stderr.slice(0, 1_000)}`);
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', onCancel);
  }
}

function reportIn(text: string, otherwise: string): DoctorReport {
  try {
    return doctorReportSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw unreported(otherwise, cause);
  }
}

function unreported(reason: string, cause: unknown): OutcomeError {
  return new OutcomeError('failed', `Failed to run the doctor for this job: ${plainText(reason, 1_000)}.`, { cause });
}
