import { plainText } from '../log/plain-text.ts';
import { codeOf, failureOf, messageOf, OutcomeError } from '../outcome.ts';
import type { RunReport } from '../report/report.ts';
import { runSummary } from '../report/summary.ts';
import { doctor } from './doctor.ts';
import { CANCELLED_EXIT_CODE, type Greeting, type Host, type StepSettings } from './host.ts';
import { setRunOutputs } from './outputs.ts';
import { addSummary, conclude } from './publish.ts';
import { run } from './run.ts';
import { createRunFolder, type RunFolder, removePrivate, saveStart } from './state.ts';
import { withFreshToken, writeFreshToken } from './token-file.ts';

/**
 * The main phase: returns its exit code, never throws. When cancelled, asks the engine to stop;
 * post does the rest.
 */
export async function main(
  host: Host,
  readSettings: (folder: RunFolder) => Promise<StepSettings>,
): Promise<number> {
  let folder: RunFolder | undefined;
  try {
    folder = await createRunFolder(host.temporaryDirectory);
    saveStart(host, folder.privateDirectory);

    const settings = await readSettings(folder);
    greet(host, settings);

    const { runDirectory } = folder;
    const { tokenFile } = settings;

    if (tokenFile !== undefined && !settings.doctor) await writeFreshToken(host, tokenFile, host.cancelled);

    const { exitCode, ended } = settings.doctor
      ? { exitCode: await doctor(host, settings, runDirectory), ended: true }
      : await withFreshToken(host, tokenFile, () => run(host, settings, runDirectory));

    // An engine that still works may need its token once more; post removes the folder then.
    if (ended) await removePrivate(folder.privateDirectory);

    return exitCode;
  } catch (error) {
    if (folder !== undefined) await removePrivate(folder.privateDirectory).catch(() => undefined);
    if (host.cancelled.aborted) {
      host.info('The CI job was cancelled before the agent was started.');
      host.setOutput('outcome', 'interrupted');
      return CANCELLED_EXIT_CODE;
    }
    return await refuse(host, error, folder?.runDirectory ?? '');
  }
}

/**
 * Hides secrets before anything can print them, names the configuration file, and warns of what is
 * ignored.
 */
export function greet(host: Host, { secrets, configFile, warnings }: Greeting): void {
  for (const secret of secrets) if (secret.trim() !== '') host.mask(secret);
  if (configFile !== undefined) host.info(plainText(`Configured by ${configFile}.`));
  for (const warning of warnings) host.warning(plainText(warning));
}

/**
 * Ends a step whose run can't start or be followed: sets outputs, writes summary and error. Returns
 * the exit code.
 */
export async function refuse(host: Host, error: unknown, runDirectory: string): Promise<number> {
  const message = `Failed to run the action for this job: ${messageOf(error)}.`;
  const failure = { outcome: 'failed', message, code: codeOf(error) ?? 'PRA-CONFIG-12' } as const;
  const end = error instanceof OutcomeError ? failureOf(error) : failure;
  const report: RunReport = { ...end, forwarded: [], notices: [], steps: [] };
  setRunOutputs(host, report, runDirectory);
  await addSummary(host, () => runSummary({ report, runDirectory, troubleshooting: host.troubleshooting }));
  return conclude(host, report, 'fail');
}
