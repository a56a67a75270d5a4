import { withEntry } from '../../../base/error-codes.ts';
import { plainText } from '../../../base/log/plain-text.ts';
import { codeOf, messageOf, OutcomeError } from '../../../base/outcome.ts';
import { type PlanReport, planReportSchema } from '../../../record/plan-report.ts';
import { planSummary } from '../../../record/report/summary.ts';
import { post } from '../../finish.ts';
import type { Host } from '../../host.ts';
import { readReport } from '../../process.ts';
import { addSummary } from '../../publish.ts';
import { createRunFolder, type RunFolder, removePrivate } from '../../state.ts';
import { greet, main } from '../../step.ts';
import { withFreshToken, writeFreshToken } from '../../token-file.ts';
import { CANCELLED_EXIT_CODE, githubHost, type Step } from './host.ts';
import { readInputs, readPostSettings, readSettings } from './settings.ts';

/** Milliseconds for planning, on top of the jitter: hundreds of starts with their retries. */
const PLAN_MS = 30 * 60_000;

/** GitHub's limit of annotations of one kind for a step. */
const MAX_ANNOTATIONS = 10;

/** Characters of a sentence in the console. */
const MAX_TEXT = 2_000;

/** The action's main phase. Returns the step's exit code; never throws. */
export async function mainPhase(step: Step): Promise<number> {
  return await main(
    githubHost(step),
    () => createRunFolder(step.temporaryDirectory),
    ({ idTokenFile }) => readInputs(step, idTokenFile),
  );
}

/** The action's post phase. Returns 0; never throws. */
export async function postPhase(step: Step): Promise<number> {
  // The runner ignores outputs of post.
  await post({ ...githubHost(step), setOutput: () => undefined }, readPostSettings(step));
  return 0;
}

/**
 * The step of plan/: reads inputs, runs the agent's plan, sets outputs. Returns the step's exit
 * code; never throws.
 */
export async function planPhase(step: Step): Promise<number> {
  const host = githubHost(step);
  let folder: RunFolder | undefined;

  try {
    // Set first, so that a later job always finds a count.
    setOutputs(host, { matrix: { include: [] }, count: 0, queued: 0, started: [] });
    folder = await createRunFolder(step.temporaryDirectory);

    const report = await planReport(host, step, folder);
    if (report === undefined) return leave(host);

    setOutputs(host, report);
    await addSummary(host, () => planSummary(report, host.troubleshooting));

    return conclude(host, report);
  } catch (error) {
    if (step.cancelled.aborted) return leave(host);
    const known = error instanceof OutcomeError;
    const sentence = known ? error.message : `Failed to plan for this job: ${messageOf(error)}.`;
    host.fail(withEntry(sentence, codeOf(error) ?? (known ? undefined : 'PRA-CONFIG-13')));
    return 1;
  } finally {
    if (folder !== undefined) await removePrivate(folder.privateDirectory).catch(() => undefined);
  }
}

/**
 * The agent's report; keeps its ID token fresh meanwhile. Undefined if the CI job was cancelled.
 */
async function planReport(
  host: Host,
  step: Step,
  { idTokenFile }: RunFolder,
): Promise<PlanReport | undefined> {
  const inputs = readSettings(step, idTokenFile, 'plan');
  greet(host, inputs);
  const { engine, config, tokenFile } = inputs;
  if (tokenFile !== undefined) await writeFreshToken(host, tokenFile, host.cancelled);

  return await withFreshToken(host, tokenFile, () =>
    readReport(engine.plan(), 'the plan', planReportSchema, {
      deadlineMs: config.triggerJitterMs + PLAN_MS,
      signal: step.cancelled,
      onLogLine: (line) => void host.print([line], step.cancelled),
    }),
  );
}

type PlannedJobs = Pick<PlanReport, 'matrix' | 'count' | 'queued' | 'started'>;

function setOutputs(host: Host, { matrix, count, queued, started }: PlannedJobs): void {
  for (const [name, value] of Object.entries({ matrix, count, queued, started }))
    host.setOutput(name, JSON.stringify(value));
}

/**
 * Shows how planning ended; returns the exit code. A failed plan has set outputs too: what it
 * started needs jobs.
 */
function conclude(host: Host, { exitCode, code, message, notices, failed }: PlanReport): number {
  for (const notice of notices) host.warning(plainText(notice, MAX_TEXT));

  if (exitCode === 0) {
    host.info(plainText(message, MAX_TEXT));
    return 0;
  }

  if (failed.length > 1)
    for (const each of failed.slice(0, MAX_ANNOTATIONS - 1)) host.error(plainText(each.message, MAX_TEXT));
  host.fail(withEntry(message, code));

  return 1;
}

function leave(host: Host): number {
  host.info('The CI job was cancelled: the started deployments stay in the queue.');
  return CANCELLED_EXIT_CODE;
}
