import * as core from '@actions/core';
import { withEntry } from '../../error-codes.ts';
import { codeOf, messageOf, OutcomeError } from '../../outcome.ts';
import { type PlanReport, planReportSchema } from '../../record/plan-report.ts';
import { agentEnvironment } from '../agent-process.ts';
import { agentReport } from '../agent-report.ts';
import { consoleLine, plainText, uncolouredLine } from '../console-text.ts';
import { keepIdTokenFresh, requestIdToken, writeIdToken } from '../id-token.ts';
import { CANCELLED_EXIT_CODE, type Job } from '../job.ts';
import { trustAsTheAgent } from '../own-trust.ts';
import { createRunFolder, type RunFolder, removePrivate } from '../run-folder.ts';
import { writerOf } from '../stdout.ts';
import { type PlanInputs, readPlanInputs } from './inputs.ts';
import { publishPlanSummary } from './summary.ts';

/** Milliseconds that planning takes at most besides the jitter: hundreds of starts with their retries. */
const PLAN_MS = 30 * 60_000;
/** Annotations of one kind that GitHub shows for a step. */
const MOST_ANNOTATIONS = 10;

/** The step of plan/: inputs, ID token, the agent's plan, outputs. Returns the step's exit code; never throws. */
export async function plan(job: Job): Promise<number> {
  let folder: RunFolder | undefined;
  try {
    // Whatever happens, a job that asks for the count is told.
    setOutputs({ matrix: { include: [] }, count: 0, queued: 0, started: [] });
    folder = await createRunFolder(job.temporaryDirectory);
    const inputs = await readPlanInputs({ ...job, idTokenFile: folder.idTokenFile });
    const { accessToken, token } = inputs.config;
    for (const secret of [accessToken, token]) if (secret !== undefined) core.setSecret(secret);
    for (const warning of inputs.warnings) core.warning(plainText(warning));
    const report = await reportWith(job, inputs, folder);
    if (report === undefined) return cancelled();
    setOutputs(report);
    await publishPlanSummary(job.environment, report);
    return conclude(report);
  } catch (error) {
    if (job.cancelled.aborted) return cancelled();
    const sentence =
      error instanceof OutcomeError ? error.message : `Failed to plan for this job: ${messageOf(error)}.`;
    core.setFailed(withEntry(sentence.split('\n').map(uncolouredLine).join('\n'), codeOf(error)));
    return 1;
  } finally {
    if (folder !== undefined) await removePrivate(folder.privateDirectory).catch(() => undefined);
  }
}

/** The agent's report, with an ID token that stays fresh meanwhile; undefined when the CI job was cancelled. */
async function reportWith(job: Job, inputs: PlanInputs, folder: RunFolder): Promise<PlanReport | undefined> {
  const ended = new AbortController();
  const fresh = await idTokenFor(job, inputs, folder, AbortSignal.any([job.cancelled, ended.signal]));
  const write = writerOf(job.stdout, job.cancelled);
  try {
    const args = ['plan', ...(inputs.configFile === undefined ? [] : ['--config', inputs.configFile])];
    return await agentReport({
      job,
      name: 'the plan',
      args,
      environment: agentEnvironment(job.environment, inputs.agentVariables, inputs.config.envForwardAllowlist),
      deadlineMs: inputs.config.triggerJitterMs + PLAN_MS,
      read: (json) => planReportSchema.parse(json),
      onLogLine: (line) => void write(`${consoleLine(line)}\n`),
    });
  } finally {
    ended.abort();
    await fresh.done;
  }
}

/** Writes the ID token where the agent reads it, and keeps it fresh until `signal` aborts, in what it resolves with. */
async function idTokenFor(job: Job, inputs: PlanInputs, { idTokenFile: path }: RunFolder, signal: AbortSignal) {
  const { environment, checkoutDirectory, now } = job;
  const { idTokenAudience: audience } = inputs;
  if (audience === undefined) return { done: Promise.resolve() };
  const trustMore = () => trustAsTheAgent(environment, checkoutDirectory);
  const token = await requestIdToken({ audience, environment, signal, trustMore });
  await writeIdToken(path, token);
  const warn = (sentence: string) => core.warning(sentence);
  return { done: keepIdTokenFresh({ path, token, audience, environment, signal, now, warn }) };
}

function setOutputs({ matrix, count, queued, started }: Pick<PlanReport, 'matrix' | 'count' | 'queued' | 'started'>) {
  core.setOutput('matrix', JSON.stringify(matrix));
  core.setOutput('count', String(count));
  core.setOutput('queued', String(queued));
  core.setOutput('started', JSON.stringify(started));
}

/** The outputs are set even where some deployments could not be started: the others have their jobs. */
function conclude({ exitCode, code, message, notices, failed }: PlanReport): number {
  for (const notice of notices) core.warning(plainText(notice, 2_000));
  if (exitCode === 0) {
    core.info(plainText(message, 2_000));
    return 0;
  }
  if (failed.length > 1)
    for (const each of failed.slice(0, MOST_ANNOTATIONS - 1)) core.error(plainText(each.message, 2_000));
  core.setFailed(withEntry(message.split('\n').map(uncolouredLine).join('\n'), code));
  return 1;
}

function cancelled(): number {
  core.info('The CI job was cancelled: what was started stays in the queue.');
  return CANCELLED_EXIT_CODE;
}
