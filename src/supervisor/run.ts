import { defined } from '../defined.ts';
import { withEntry } from '../error-codes.ts';
import { codeOf, messageOf, OutcomeError } from '../outcome.ts';
import { reportOf, reportWithout } from '../report/report.ts';
import { Console } from './console.ts';
import { reportDead } from './dead-engine.ts';
import { finish } from './finish.ts';
import { follow } from './follow.ts';
import type { Host, StepSettings } from './host.ts';
import { sayNotices } from './notices.ts';
import { knownOutputs, setRunOutputs } from './outputs.ts';
import { startEngine } from './process.ts';
import { conclude, isRed, publish } from './publish.ts';
import { type RunFolder, type RunState, readRunState, savePublished, saveRunState } from './state.ts';
import { sendTrace } from './trace.ts';

/** Milliseconds for the engine to exit after it wrote its result. */
const EXIT_MS = 10_000;
const SWEEP_MS = 70_000;
const ARTIFACT_MS = 300_000;

export interface EngineEnd {
  readonly exitCode: number;
  /** The run is over: the engine needs nothing more. */
  readonly ended: boolean;
}

/**
 * Starts, shows and publishes a run. If it can't start, throws OutcomeError, or the signal's reason
 * if cancelled.
 */
export async function run(host: Host, settings: StepSettings, folder: RunFolder): Promise<EngineEnd> {
  const { cancelled, interrupted } = host;
  interrupted.throwIfAborted();

  const { runDirectory, privateDirectory } = folder;
  const { tokenFile } = settings;
  const state: RunState = { runDirectory, tokenFile, position: { events: 0 }, ended: false, died: false };

  saveRunState(state, privateDirectory);

  const save = (): void => {
    try {
      saveRunState(state, privateDirectory);
    } catch {
      // A full disk changes neither the stop nor the outcome: post uses what was saved before.
    }
  };

  const onCancel = (): void => {
    state.cancelledAt = host.now();
    save();
  };

  interrupted.addEventListener('abort', onCancel, { once: true });
  host.setOutput('run-directory', runDirectory);

  const engine = await startEngine(settings.engine, runDirectory);
  state.owner = engine.owner;
  save();

  const console = new Console(host, runDirectory, interrupted);
  try {
    const end = await follow({
      directory: runDirectory,
      position: state.position,
      listener: console,
      isAlive: () => engine.isAlive(),
      signal: interrupted,
      onEvent: knownOutputs(host),
      onDelivered: save,
    });

    console.close();
    if (end.kind === 'stopped') {
      if (host.cancelWindow.mode === 'leave') {
        engine.kill('SIGINT');
        return await leave(host, runDirectory);
      }
      const stayed = await stay(host, settings, runDirectory);
      if (!stayed.ended) engine.kill('SIGINT');
      Object.assign(state, readRunState(host), { ended: stayed.ended });
      return stayed;
    }

    const exit = await engine.exit(EXIT_MS, cancelled);
    if (exit === undefined && !cancelled.aborted) engine.kill('SIGKILL');

    const { owner } = engine;
    const dead = {
      engine: settings.engine,
      runDirectory,
      owner,
      exit,
      deadlineMs: SWEEP_MS,
      signal: cancelled,
    };

    const ended =
      end.kind === 'finished' ? await reportOf(runDirectory, end.result) : await reportDead(host, dead);
    // The sweep may have been cut short: the next phase repeats it.
    if (cancelled.aborted) return { exitCode: host.exitCode('interrupted', true), ended: false };

    state.ended = true;
    state.died = end.kind === 'died';
    setRunOutputs(host, ended, runDirectory);

    const traceId = await sendTrace(host, settings.engine, runDirectory, cancelled);
    const report = { ...ended, ...defined({ traceId }) };
    Object.assign(state, defined({ traceId }));
    save();

    const red = isRed(report, settings.onNoWork);
    state.artifact = await publish(host, {
      report,
      runDirectory,
      settings,
      red,
      artifactDeadlineMs: ARTIFACT_MS,
    });

    save();
    setRunOutputs(host, report, runDirectory, state.artifact);
    if (cancelled.aborted) host.info('The CI job was cancelled: the next phase publishes the run.');
    else savePublished(host);
    sayNotices(host, report);

    return { exitCode: conclude(host, report, settings.onNoWork), ended: !cancelled.aborted };
  } catch (error) {
    const known = error instanceof OutcomeError;
    const sentence = known ? error.message : `Failed to run the agent for this job: ${messageOf(error)}.`;
    host.fail(
      withEntry(`${sentence} The post phase follows the run to its end.`, codeOf(error) ?? 'PRA-CONFIG-12'),
    );
    return { exitCode: 1, ended: false };
  } finally {
    interrupted.removeEventListener('abort', onCancel);
    save();
  }
}

/** Ends main when the CI job was cancelled and the engine asked to stop. */
async function leave(host: Host, runDirectory: string): Promise<EngineEnd> {
  host.info(
    'The CI job was cancelled: the agent was asked to stop; the post phase waits for it and publishes the rest.',
  );

  const report = await reportWithout(runDirectory, {
    outcome: 'interrupted',
    message: 'The CI job was cancelled.',
  });

  setRunOutputs(host, report, runDirectory);

  return { exitCode: host.exitCode('interrupted', true), ended: false };
}

/** Waits for the engine of a cancelled CI job and publishes its run, unless a second signal comes. */
async function stay(host: Host, settings: StepSettings, runDirectory: string): Promise<EngineEnd> {
  const report = await finish(host, { ...settings, jobCancelled: true }, 'main');
  if (report === undefined) return await leave(host, runDirectory);

  savePublished(host);
  return { exitCode: conclude(host, report, settings.onNoWork), ended: true };
}
