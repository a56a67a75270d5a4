import { withEntry } from '../../../base/error-codes.ts';
import { plainText } from '../../../base/log/plain-text.ts';
import { codeOf, messageOf, OutcomeError } from '../../../base/outcome.ts';
import { type PlanReport, planReportSchema } from '../../../record/plan-report.ts';
import { planSummary } from '../../../record/report/summary.ts';
import { readReport } from '../../engine-process.ts';
import { post } from '../../finish.ts';
import type { Host } from '../../host.ts';
import { addSummary } from '../../publish.ts';
import { createRunFolder, type RunFolder, removePrivate } from '../../state.ts';
import { announceSettings, main } from '../../step.ts';
import { withFreshToken, writeFreshToken } from '../../token-file.ts';
import { type ActionPhase, CANCELLED_EXIT_CODE, githubHost } from './host.ts';
import { readActionSettings, readPlanSettings, readPostSettings } from './settings.ts';

/** For planning, on top of the jitter: hundreds of starts with their retries. */
const PLAN_MS = 30 * 60_000;

/** GitHub's limit of annotations of one kind for a step. */
const MAX_ANNOTATIONS = 10;

/** Characters of a sentence in the console. */
const MAX_TEXT = 2_000;

/** The action's main phase. Returns the step's exit code; never throws. */
export async function mainPhase(phase: ActionPhase): Promise<number> {
  return await main(
    githubHost(phase),
    () => createRunFolder(phase.temporaryDirectory),
    ({ idTokenFile }) => readActionSettings(phase, idTokenFile),
  );
}

/** The action's post phase. Returns 0; never throws. */
export async function postPhase(phase: ActionPhase): Promise<number> {
  // The runner ignores outputs of post.
  await post({ ...githubHost(phase), setOutput: () => undefined }, readPostSettings(phase));
  return 0;
}

/**
 * The step of plan/: reads inputs, runs the agent's plan, sets outputs. Returns the step's exit
 * code; never throws.
 */
export async function planPhase(phase: ActionPhase): Promise<number> {
  const host = githubHost(phase);
  let folder: RunFolder | undefined;

  try {
    // Set first, so that a later job always finds a count.
    setPlanOutputs(host, { matrix: { include: [] }, count: 0, queued: 0, started: [] });
    folder = await createRunFolder(phase.temporaryDirectory);

    const report = await planReport(host, phase, folder);
    if (report === undefined) return concludeCancelled(host);

    setPlanOutputs(host, report);
    await addSummary(host, () => planSummary(report, host.troubleshooting));

    return concludePlan(host, report);
  } catch (error) {
    if (phase.cancelled.aborted) return concludeCancelled(host);
    const isExpected = error instanceof OutcomeError;
    const sentence = isExpected ? error.message : `Failed to plan for this job: ${messageOf(error)}.`;
    host.fail(withEntry(sentence, codeOf(error) ?? (isExpected ? undefined : 'PRA-CONFIG-13')));
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
  phase: ActionPhase,
  { idTokenFile }: RunFolder,
): Promise<PlanReport | undefined> {
  const settings = readPlanSettings(phase, idTokenFile);
  announceSettings(host, settings);
  host.endGroup();
  const { engine, config, tokenFile } = settings;
  if (tokenFile !== undefined) await writeFreshToken(host, tokenFile, host.cancelled);

  return await withFreshToken(host, tokenFile, () =>
    readReport(engine.plan(), 'the plan', planReportSchema, {
      deadlineMs: config.triggerJitterMs + PLAN_MS,
      signal: phase.cancelled,
      onLogLine: (line) => void host.print([line], phase.cancelled),
    }),
  );
}

function setPlanOutputs(
  host: Host,
  {
    matrix,
    count,
    queued,
    started,
  }: {
    readonly matrix: PlanReport['matrix'];
    readonly count: PlanReport['count'];
    readonly queued: PlanReport['queued'];
    readonly started: PlanReport['started'];
  },
): void {
  for (const [name, value] of Object.entries({ matrix, count, queued, started }))
    host.setOutput(name, JSON.stringify(value));
}

/**
 * Shows how planning ended; returns the exit code. A failed plan has set outputs too: the
 * deployments that it started need jobs.
 */
function concludePlan(host: Host, { exitCode, code, message, notices, failed }: PlanReport): number {
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

function concludeCancelled(host: Host): number {
  host.info('The CI job was cancelled: the started deployments stay in the queue.');
  return CANCELLED_EXIT_CODE;
}
