/*
 * The CI step: it starts the agent, follows it, stops it and publishes its run, on any CI system. Main and post are
 * its phases, each a process of its own. To read in this order:
 * - step.ts, main: its settings (settings.ts), the CI system as it sees it (host.ts), its ID token (token-file.ts).
 * - run.ts, one run: the agent (engine.ts, engine-process.ts), the console (follow.ts, console.ts, groups.ts), the end
 *   (outputs.ts, publish.ts, notices.ts, conclusion.ts, trace.ts, dead-engine.ts). doctor.ts: the checks of the set-up in place of a run.
 * - finish.ts, post: the state that main saved (state.ts), the wait for the agent (wait-for-engine.ts, cancel-times.ts).
 * - hosts/, a folder for each CI system: GitHub's begins in github/phases.ts; the commands `ci` and `finish` for all
 *   others in ci-commands.ts, with ci-system.ts for their differences and terminal-host.ts for the rest.
 */

import { plainText } from '../base/log/plain-text.ts';
import { codeOf, failureOf, messageOf, OutcomeError } from '../base/outcome.ts';
import type { RunReport } from '../record/report/report.ts';
import { runSummary } from '../record/report/summary.ts';
import { conclude } from './conclusion.ts';
import { doctor } from './doctor.ts';
import { SET_UP } from './groups.ts';
import type { Host } from './host.ts';
import { setRunOutputs } from './outputs.ts';
import { addSummary } from './publish.ts';
import { type MainEnd, run } from './run.ts';
import type { StepSettings } from './settings.ts';
import { type RunFolder, removePrivate, saveStart } from './state.ts';
import { withFreshToken, writeFreshToken } from './token-file.ts';

/**
 * The main phase, in a folder and with settings of its own: returns its exit code, never throws.
 * When cancelled, asks the engine to stop; then itself or post does the rest, as the host's cancel
 * window says.
 */
export async function main(
  host: Host,
  createFolder: () => Promise<RunFolder>,
  readSettings: (folder: RunFolder) => Promise<StepSettings>,
): Promise<number> {
  const { exitCode, isOver } = await runStep(host, createFolder, readSettings);
  await host.close(isOver);
  return exitCode;
}

async function runStep(
  host: Host,
  createFolder: () => Promise<RunFolder>,
  readSettings: (folder: RunFolder) => Promise<StepSettings>,
): Promise<MainEnd> {
  let folder: RunFolder | undefined;
  try {
    folder = await createFolder();
    saveStart(host, folder.privateDirectory);

    const settings = await readSettings(folder);
    announceSettings(host, settings);

    const runFolder = folder;
    const { engine, tokenFile } = settings;

    if (tokenFile !== undefined && !settings.doctor) await writeFreshToken(host, tokenFile, host.interrupted);

    if (settings.doctor) host.endGroup();
    const end = settings.doctor
      ? { exitCode: await doctor(host, engine, tokenFile, runFolder.runDirectory), isOver: true }
      : await withFreshToken(host, tokenFile, () => run(host, settings, runFolder));

    // An engine that still works can need its token once more; post removes the folder then.
    if (end.isOver) await removePrivate(runFolder.privateDirectory);

    return end;
  } catch (error) {
    if (folder !== undefined) await removePrivate(folder.privateDirectory).catch(() => undefined);
    if (host.interrupted.aborted) {
      host.endGroup();
      host.info('The CI job was cancelled before the agent was started.');
      host.setOutput('outcome', 'interrupted');
      return { exitCode: host.exitCode('interrupted', true), isOver: folder !== undefined };
    }
    // Without a folder of its own, there can be another run's in its place.
    const exitCode = await failStep(host, error, folder?.runDirectory ?? '');
    return { exitCode, isOver: folder !== undefined };
  }
}

/**
 * Hides secrets before anything can print them, warns of ignored parts, and names the configuration
 * file, in the group of the set-up, which stays open for the agent's start.
 */
export function announceSettings(
  host: Host,
  {
    secrets,
    configFile,
    warnings,
  }: {
    readonly secrets: readonly string[];
    readonly configFile?: string | undefined;
    readonly warnings: readonly string[];
  },
): void {
  for (const secret of secrets) if (secret.trim() !== '') host.mask(secret);
  for (const warning of warnings) host.warning(plainText(warning));
  if (configFile === undefined) return;
  host.group(SET_UP);
  host.info(plainText(`Configured by ${configFile}.`));
}

/**
 * Ends a step whose run can't start or be followed: sets outputs, writes summary and error. Returns
 * the exit code.
 */
export async function failStep(host: Host, error: unknown, runDirectory: string): Promise<number> {
  const message = `Failed to run the agent for this job: ${messageOf(error)}.`;
  const failure = { outcome: 'failed', message, code: codeOf(error) ?? 'PRA-CONFIG-12' } as const;
  const end = error instanceof OutcomeError ? failureOf(error) : failure;
  const report: RunReport = { ...end, forwarded: [], notices: [], steps: [] };
  setRunOutputs(host, report, runDirectory);
  await addSummary(host, () => runSummary({ report, runDirectory, troubleshooting: host.troubleshooting }));
  return conclude(host, { report, runDirectory: '' }, 'fail');
}
