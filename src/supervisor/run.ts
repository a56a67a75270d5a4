import { isAlive, signalOwner } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';
import { reportOf, reportWithout } from '../report/report.ts';
import { Console } from './console.ts';
import { reportDead } from './dead-engine.ts';
import { follow } from './follow.ts';
import { CANCELLED_EXIT_CODE, type Host, type StepSettings } from './host.ts';
import { startEngine, waitForEnd } from './process.ts';
import { conclude, isRed, knownOutputs, publish, sayNotices, setRunOutputs } from './publish.ts';
import { type RunState, savePublished, saveRunState } from './state.ts';

/** Milliseconds for the engine to exit after it wrote its result. */
const EXIT_MS = 10_000;
/** Milliseconds for the exit event of an engine that has died: /proc may show the death first. */
const EXIT_EVENT_MS = 1_000;
const SWEEP_MS = 70_000;
const ARTIFACT_MS = 300_000;

export interface RunEnd {
  readonly exitCode: number;
  /** The engine's process has ended. */
  readonly ended: boolean;
}

/** Starts, shows and publishes a run. If it can't start, throws OutcomeError, or the signal's reason if cancelled. */
export async function run(host: Host, settings: StepSettings, runDirectory: string): Promise<RunEnd> {
  const { cancelled } = host;
  cancelled.throwIfAborted();
  const state: RunState = { runDirectory, position: { events: 0 }, ended: false, died: false };
  saveRunState(state);
  const save = (): void => {
    try {
      saveRunState(state);
    } catch {
      // A full disk changes neither the stop nor the outcome: post uses what was saved before.
    }
  };
  const onCancel = (): void => {
    state.cancelledAt = host.now();
    save();
  };
  cancelled.addEventListener('abort', onCancel, { once: true });
  host.setOutput('run-directory', runDirectory);
  const engine = await startEngine(settings.engine, runDirectory);
  const { owner } = engine;
  state.owner = owner;
  save();
  const console = new Console({ host, directory: runDirectory, signal: cancelled });
  try {
    const end = await follow({
      directory: runDirectory,
      position: state.position,
      listener: console,
      isAlive: () => isAlive(owner),
      signal: cancelled,
      onEvent: knownOutputs(host),
    });
    console.close();
    if (end.kind === 'stopped') return await leave(host, owner, runDirectory);
    const gone = await waitForEnd(owner, EXIT_MS, cancelled);
    if (!gone && !cancelled.aborted) signalOwner(owner, 'SIGKILL');
    const dead = { engine: settings.engine, runDirectory, owner, deadlineMs: SWEEP_MS, signal: cancelled };
    const report =
      end.kind === 'finished'
        ? await reportOf(runDirectory, end.result)
        : await reportDead(host, { ...dead, exit: await engine.exit(EXIT_EVENT_MS) });
    if (cancelled.aborted) return { exitCode: CANCELLED_EXIT_CODE, ended: true };
    state.ended = true;
    state.died = end.kind === 'died';
    setRunOutputs(host, report, runDirectory);
    state.artifact = await publish(host, {
      report,
      runDirectory,
      publishing: settings,
      red: isRed(report, settings.onNoWork),
      artifactDeadlineMs: ARTIFACT_MS,
      signal: cancelled,
    });
    setRunOutputs(host, report, runDirectory, state.artifact);
    if (cancelled.aborted) host.info('The CI job was cancelled: the post step publishes the run.');
    else savePublished(host);
    sayNotices(host, report);
    return { exitCode: conclude(host, report, settings.onNoWork), ended: true };
  } finally {
    cancelled.removeEventListener('abort', onCancel);
    save();
  }
}

/** Asks the engine to stop when the CI job was cancelled, and ends this step. */
async function leave(host: Host, owner: Owner, runDirectory: string): Promise<RunEnd> {
  signalOwner(owner, 'SIGINT');
  host.info(
    'The CI job was cancelled: the agent was asked to stop; the post step waits for it and publishes the rest.',
  );
  const report = await reportWithout(runDirectory, { outcome: 'interrupted', message: 'The CI job was cancelled.' });
  setRunOutputs(host, report, runDirectory);
  return { exitCode: CANCELLED_EXIT_CODE, ended: false };
}
