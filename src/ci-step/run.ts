import { join } from 'node:path';
import { defined } from '../base/defined.ts';
import { withEntry } from '../base/error-codes.ts';
import { codeOf, messageOf, OutcomeError } from '../base/outcome.ts';
import { type RunReport, reportOf, reportWithout } from '../record/report/report.ts';
import { conclude, isRed } from './conclusion.ts';
import { Console } from './console.ts';
import { reportDead } from './dead-engine.ts';
import { type EngineProcess, startEngine } from './engine-process.ts';
import { finishRun } from './finish.ts';
import { type FollowEnd, follow } from './follow.ts';
import type { Host } from './host.ts';
import { showNotices } from './notices.ts';
import { addPublicationOutputs, outputsFromEvents, readStackOutputs, setRunOutputs } from './outputs.ts';
import { publish } from './publish.ts';
import type { StepSettings } from './settings.ts';
import { type RunFolder, type RunState, readRunState, savePublished, saveRunState } from './state.ts';
import { sendTrace } from './trace.ts';

/** For the engine to exit after it wrote its result. */
const EXIT_MS = 10_000;

/** The file of the stacks' outputs in the private folder: the record is an artifact, which more people can read. */
const STACK_OUTPUTS_FILE = 'stack-outputs.json';
const SWEEP_MS = 70_000;
const UPLOAD_MS = 300_000;

/** How main ends. */
export interface MainEnd {
  readonly exitCode: number;
  /** The run is over: the engine needs nothing more. */
  readonly isOver: boolean;
}

/** The end of a run by its engine, not by the CI job's cancel. */
type EngineEnd = Exclude<FollowEnd, { kind: 'stopped' }>;

/** The run of main. */
interface MainRun {
  readonly host: Host;
  readonly settings: StepSettings;
  readonly engine: EngineProcess;
  readonly state: RunState;
  /** Saves `state` for post. */
  readonly save: () => void;
  readonly stackOutputsFile: string;
}

/**
 * Starts, shows and publishes a run. If it can't start, throws OutcomeError, or the signal's reason
 * if cancelled.
 */
export async function run(host: Host, settings: StepSettings, folder: RunFolder): Promise<MainEnd> {
  const { interrupted } = host;
  interrupted.throwIfAborted();

  const { runDirectory, privateDirectory } = folder;
  const { tokenFile } = settings;
  const state: RunState = { runDirectory, tokenFile, position: { events: 0 }, ended: false, died: false };

  saveRunState(state, privateDirectory);

  const save = (): void => {
    try {
      saveRunState(state, privateDirectory);
    } catch {
      // A full disk changes neither the stop nor the outcome: post uses the state saved before.
    }
  };

  const onCancel = (): void => {
    state.cancelledAt = host.steady();
    save();
  };

  interrupted.addEventListener('abort', onCancel, { once: true });
  host.setOutput('run-directory', runDirectory);

  const stackOutputsFile = join(privateDirectory, STACK_OUTPUTS_FILE);
  const engine = await startEngine(settings.engine, runDirectory, stackOutputsFile);
  state.owner = engine.owner;
  save();

  const mainRun = { host, settings, engine, state, save, stackOutputsFile };
  const console = new Console(host, runDirectory, interrupted);
  try {
    const end = await follow({
      directory: runDirectory,
      position: state.position,
      listener: console,
      isAlive: () => engine.isAlive(),
      steady: host.steady,
      signal: interrupted,
      onEvent: outputsFromEvents(host),
      onDelivered: save,
    });

    console.close();

    return end.kind === 'stopped' ? await stop(mainRun) : await publishEnd(mainRun, end);
  } catch (error) {
    const sentence =
      error instanceof OutcomeError
        ? error.message
        : `Failed to run the agent for this job: ${messageOf(error)}.`;
    host.fail(
      withEntry(`${sentence} ${host.postName} follows the run to its end.`, codeOf(error) ?? 'PRA-CONFIG-12'),
    );
    await setLastKnownOutputs(host, sentence, runDirectory);
    return { exitCode: 1, isOver: false };
  } finally {
    interrupted.removeEventListener('abort', onCancel);
    save();
  }
}

/** Sets the outputs of a run that main can't follow to its end, which no later phase can. Never throws. */
async function setLastKnownOutputs(host: Host, message: string, runDirectory: string): Promise<void> {
  const end = { outcome: host.interrupted.aborted ? 'interrupted' : 'failed', message } as const;
  const emptyReport: RunReport = { ...end, forwarded: [], notices: [], steps: [] };
  setRunOutputs(host, await reportWithout(runDirectory, end).catch(() => emptyReport), runDirectory);
}

/** Stops the engine of a cancelled CI job, and waits for its end if the CI system leaves the time. */
async function stop({ host, settings, engine, state }: MainRun): Promise<MainEnd> {
  const { runDirectory } = state;
  if (host.cancelWindow.mode === 'leave') {
    engine.kill('SIGINT');
    return await leave(host, runDirectory);
  }

  const end = await stay(host, settings, runDirectory);
  if (!end.isOver) engine.kill('SIGINT');
  Object.assign(state, readRunState(host), { ended: end.isOver });

  return end;
}

/** Publishes a run whose engine finished or died. A cancel meanwhile leaves the rest to the next phase. */
async function publishEnd(mainRun: MainRun, end: EngineEnd): Promise<MainEnd> {
  const { host, settings, state, save, stackOutputsFile } = mainRun;
  const { cancelled } = host;
  const { runDirectory } = state;
  const endReport = await reportEnd(mainRun, end);
  const stackOutputs = await readStackOutputs(host, stackOutputsFile, settings.secrets);
  if (cancelled.aborted) {
    // The sweep can have been cut short: the next phase repeats it, but can set no outputs any more.
    setRunOutputs(host, endReport, runDirectory, { stackOutputs });
    return { exitCode: host.exitCode('interrupted', true), isOver: false };
  }

  state.ended = true;
  state.died = end.kind === 'died';
  setRunOutputs(host, endReport, runDirectory, { stackOutputs });

  const traceId = await sendTrace(host, settings.engine, runDirectory, cancelled);
  const report = { ...endReport, ...defined({ traceId }) };
  state.traceId = traceId;
  save();

  state.artifact = await publish(host, {
    report,
    runDirectory,
    artifact: settings.artifact,
    isRed: isRed(report, settings.onNoWork),
    uploadDeadlineMs: UPLOAD_MS,
    last: false,
  });
  save();

  addPublicationOutputs(host, report.traceId, state.artifact);
  if (cancelled.aborted) host.info(`The CI job was cancelled. ${host.postName} publishes the run.`);
  else savePublished(host);
  showNotices(host, report);

  const { artifact } = state;
  const exitCode = conclude(host, { report, runDirectory, artifact }, settings.onNoWork);
  return { exitCode, isOver: !cancelled.aborted };
}

/** Waits for the engine's exit, kills one that hangs, and reports on its run. */
async function reportEnd({ host, settings, engine, state }: MainRun, end: EngineEnd): Promise<RunReport> {
  const { runDirectory } = state;
  const { cancelled: signal } = host;
  const exit = await engine.exit(EXIT_MS, signal);
  if (exit === undefined && !signal.aborted) engine.kill('SIGKILL');
  if (end.kind === 'finished') return await reportOf(runDirectory, end.result);

  return await reportDead(host, {
    engine: settings.engine,
    runDirectory,
    exit,
    deadlineMs: SWEEP_MS,
    signal,
  });
}

/** Ends main when the CI job was cancelled and the engine asked to stop. */
async function leave(host: Host, runDirectory: string): Promise<MainEnd> {
  host.info(
    `The CI job was cancelled, and the agent was asked to stop. ${host.postName} waits for it and publishes the rest.`,
  );

  const report = await reportWithout(runDirectory, {
    outcome: 'interrupted',
    message: 'The CI job was cancelled.',
  });

  setRunOutputs(host, report, runDirectory);

  return { exitCode: host.exitCode('interrupted', true), isOver: false };
}

/** Waits for the engine of a cancelled CI job and publishes its run, unless a second signal comes. */
async function stay(host: Host, settings: StepSettings, runDirectory: string): Promise<MainEnd> {
  const { engine, artifact } = settings;
  const conclusion = await finishRun(host, { engine, artifact, jobCancelled: true }, 'main');
  if (conclusion === undefined) return await leave(host, runDirectory);

  savePublished(host);
  return { exitCode: conclude(host, conclusion, settings.onNoWork), isOver: true };
}
