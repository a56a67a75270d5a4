import { NEVER } from '../clock.ts';
import { defined } from '../defined.ts';
import { withEntry } from '../error-codes.ts';
import { plainText } from '../log/plain-text.ts';
import { messageOf } from '../outcome.ts';
import type { Owner } from '../owner.ts';
import { isAlive, signalOwner } from '../owner.ts';
import { type RunReport, reportOf, reportWithout } from '../report/report.ts';
import { Console } from './console.ts';
import { reportDead, sweep } from './dead-engine.ts';
import { type FollowEnd, follow } from './follow.ts';
import { type CancelWindow, COMMENT_MS, type Host, type Publishing, type StepSettings } from './host.ts';
import { sayNotices } from './notices.ts';
import { setRunOutputs } from './outputs.ts';
import { waitForEnd } from './process.ts';
import { isRed, publish } from './publish.ts';
import {
  isPublished,
  type RunState,
  readMain,
  readPrivateDirectory,
  readRunState,
  removePrivate,
  removeRunState,
  saveRunState,
} from './state.ts';
import { withFreshToken } from './token-file.ts';
import { sendTrace } from './trace.ts';

/** How post divides up a cancelled CI job's last minutes, in milliseconds. */
export const POST_TIMES = {
  /** Reserved for summary and artifact, whatever the engine does. */
  publishMs: 25_000,
  /** Reserved for ending the engine by force: SIGTERM, SIGKILL, then the sweep. */
  forceMs: 25_000,
  /** Until a main that still runs is killed. */
  leaveMs: 5_000,
  /** From SIGTERM to SIGKILL. */
  terminateMs: 8_000,
};

export type PostTimes = Readonly<typeof POST_TIMES>;

/** The times for a window of `jobMs` milliseconds: a short one is divided alike. */
function timesFor({ jobMs }: CancelWindow): PostTimes {
  const { publishMs, forceMs, leaveMs, terminateMs } = POST_TIMES;
  return {
    publishMs: Math.min(publishMs, Math.floor(jobMs / 6)),
    forceMs: Math.min(forceMs, Math.floor(jobMs / 6)),
    leaveMs,
    terminateMs: Math.min(terminateMs, Math.floor(jobMs / 12)),
  };
}

/**
 * The longest grace period, in milliseconds, that an interrupted step of a cancelled CI job gets in
 * full: as long again as ending the engine by force is left for killing the step.
 */
export function longestGraceMs(window: CancelWindow): number {
  const { publishMs, forceMs } = timesFor(window);
  return Math.floor((window.jobMs - publishMs - 2 * forceMs) / 100) * 100;
}

const KILL_MS = 2_000;

/** Bounds of a sweep's deadline. */
const SWEEP_MS = { least: 10_000, most: 70_000 };
const MIN_ARTIFACT_MS = 6_000;

/** Milliseconds for an agent to stop before a post that is itself being ended leaves it. */
const LEAVE_MS = 4_000;
const NO_CANCEL =
  'Cancelling the CI job does not end this wait: to stop the update, cancel the deployment in Pulumi Cloud.';
const LOST_STEP = 'The step stays red, and the outputs that it had not set are empty.';
const LEFT = 'The CI job was ended while the agent was still stopping.';

/** The summary follows the artifact, which it names. */
const SUMMARY_MS = 5_000;

/** The settings that post needs; it reads no configuration. */
export interface PostSettings extends Publishing {
  readonly engine: StepSettings['engine'];
  /** The CI system says that the job was cancelled. False where it doesn't say. */
  readonly jobCancelled: boolean;
  /** The engine has ended for certain, though its process can't be checked from here. */
  readonly agentIsGone?: boolean;
}

/**
 * Awaits an engine that outlived main, which it stops if the CI job was cancelled; publishes the
 * rest and removes temporary files. Never throws or fails the job.
 */
export async function post(host: Host, settings: PostSettings, times?: PostTimes): Promise<void> {
  try {
    await finish(host, settings, 'post', times);
  } catch (error) {
    const sentence = plainText(`Failed to finish the run after its step: ${messageOf(error)}`);
    host.warning(withEntry(sentence, 'PRA-RECORD-12'));
  }

  await removeRest(host);
  await host.close(true);
}

async function removeRest(host: Host): Promise<void> {
  const privateDirectory = readPrivateDirectory(host);
  if (privateDirectory === undefined) return;

  try {
    await removePrivate(privateDirectory);
    removeRunState(privateDirectory);
  } catch (error) {
    const sentence = `Failed to remove ${privateDirectory} after the run: ${messageOf(error)}. Remove it by hand.`;
    host.warning(withEntry(plainText(sentence), 'PRA-RECORD-13'));
  }
}

/**
 * Awaits the engine, as `post` does, and publishes the rest. Returns the report; undefined if there
 * was nothing to publish, or if main itself waits and must leave. Throws what node:fs throws.
 */
export async function finish(
  host: Host,
  settings: PostSettings,
  phase: 'main' | 'post',
  times = timesFor(host.cancelWindow),
): Promise<RunReport | undefined> {
  const leftIfCancelled = timeLeft(host);
  const mainRan = phase === 'post' && (await endMain(host, times));
  const state = readRunState(host);

  if (state === undefined || state.ended) host.info('The run is over; removing its temporary files.');
  if (state === undefined) return undefined;

  // A main that still runs hears of no cancel: its job has a `container:`.
  const stopping = mainRan || settings.jobCancelled || state.cancelledAt !== undefined;
  const left = stopping ? leftIfCancelled : () => host.cancelWindow.jobMs;
  const { engine } = settings;
  const { runDirectory } = state;

  const sweepWithin = (ms: number) => ({
    engine,
    runDirectory,
    deadlineMs: Math.min(SWEEP_MS.most, Math.max(Math.min(SWEEP_MS.least, times.forceMs), ms)),
    // Not `host.cancelled`: a cancelled post has a few seconds left for exactly this.
    signal: NEVER,
  });

  if (state.ended && isPublished(host)) {
    // Main has swept already, but Docker may have been slow to start or remove something.
    if (state.died) host.info(plainText(await sweep(sweepWithin(left()))));
    return undefined;
  }

  const { owner } = state;
  if (owner === undefined) {
    host.info('No agent was started.');
    return undefined;
  }

  const windowMs = Math.max(0, left() - times.publishMs - times.forceMs);
  const { end, isForced } = await waitForEngine(
    host,
    { ...state, owner, isAlive: () => settings.agentIsGone !== true && isAlive(owner) },
    stopping ? windowMs : undefined,
    phase,
    times,
  );

  if (phase === 'main' && host.cancelled.aborted) {
    // The agent has the time that it needs; post shows the rest.
    saveRunState(state, readPrivateDirectory(host) ?? '');
    return undefined;
  }

  const sweeping = sweepWithin(left() - times.publishMs);

  // An agent that had no time can have left its container.
  if (end.kind === 'finished' && isForced) host.info(plainText(await sweep(sweeping)));

  const ended =
    end.kind === 'finished'
      ? await reportOf(runDirectory, end.result)
      : end.kind === 'stopped' && !stopping
        ? await reportWithout(runDirectory, { outcome: 'interrupted', message: LEFT })
        : await reportDead(host, { ...sweeping, owner, stopping });

  const isOver = end.kind !== 'stopped' || stopping;
  const traceId =
    state.traceId ?? (isOver ? await sendTrace(host, { engine, runDirectory, signal: NEVER }) : undefined);
  const report = { ...ended, ...defined({ traceId }) };

  sayNotices(host, report);
  if (phase === 'post') host.info(plainText(`${report.outcome}: ${report.message}`, 2_000));

  if (!stopping && !state.ended)
    host.warning(
      `The step's process ended before it had published its run, whose outcome is ${report.outcome}. ${LOST_STEP}`,
    );

  const artifact = await publish(host, {
    report,
    runDirectory,
    settings,
    red: isRed(report, 'succeed'),
    artifactDeadlineMs: Math.max(
      Math.min(MIN_ARTIFACT_MS, times.publishMs),
      left() - SUMMARY_MS - (host.comment === undefined ? 0 : COMMENT_MS),
    ),
    uploaded: state.artifact,
    last: true,
  });

  setRunOutputs(host, report, runDirectory, artifact);

  return report;
}

/** Returns a function for the milliseconds left until the CI system ends a cancelled job. */
function timeLeft(host: Host): () => number {
  const { jobMs, mainMs } = host.cancelWindow;
  const began = performance.now();
  const { cancelledAt = host.now() - mainMs } = readRunState(host) ?? {};
  const passed = Math.max(0, host.now() - cancelledAt);

  // Longer than a cancelled job lasts: only the step was cancelled, by its own timeout, and the job
  // went on.
  const sinceCancel = passed < jobMs ? passed : 0;

  return () => Math.ceil(jobMs - sinceCancel - (performance.now() - began));
}

/**
 * Ends another process of main that still runs, so only one phase publishes: GitHub's runner can't
 * signal it in a `container:` job. One that would stay leaves on SIGHUP.
 */
async function endMain(host: Host, { leaveMs }: PostTimes): Promise<boolean> {
  const main = readMain(host);
  const signal = host.cancelWindow.mode === 'stay' ? 'SIGHUP' : 'SIGINT';
  if (main === undefined || !signalOwner(main, signal)) return false;
  host.info(`The step itself is still running (process ${main.pid}): asked it to exit.`);
  await endsWithin(main, leaveMs);
  return true;
}

/** Waits `ms` milliseconds for a process to end, then kills it. Returns false if it had to. */
async function endsWithin(owner: Owner, ms: number): Promise<boolean> {
  if (await waitForEnd(owner, ms)) return true;
  signalOwner(owner, 'SIGKILL');
  await waitForEnd(owner, KILL_MS);
  return false;
}

interface WaitedEngine extends RunState {
  readonly owner: Owner;
  readonly isAlive: () => boolean;
}

/**
 * Shows the run until the engine ends. With a window, in milliseconds, asks it to stop, and ends it
 * by force once that is over; without one, keeps its token fresh, and asks it only when post itself
 * is being ended. A main that must leave does so at once.
 */
async function waitForEngine(
  host: Host,
  { owner, isAlive, runDirectory: directory, position, tokenFile }: WaitedEngine,
  windowMs: number | undefined,
  phase: 'main' | 'post',
  { terminateMs }: PostTimes,
): Promise<{ readonly end: FollowEnd; readonly isForced: boolean }> {
  const stopping = windowMs !== undefined;
  const agent = `The agent (process ${owner.pid})`;
  const alive = stopping ? signalOwner(owner, 'SIGINT') : isAlive();

  if (alive && stopping) {
    const opening =
      phase === 'main'
        ? `The CI job was cancelled: asked the agent (process ${owner.pid})`
        : `${agent} is still running: asked it`;
    host.info(`${opening} to stop, waiting at most ${Math.round(windowMs / 1000)} s for it.`);
  }
  if (alive && !stopping) host.info(`${agent} outlived its step and continues. ${NO_CANCEL}`);

  const signal = stopping ? AbortSignal.any([host.cancelled, AbortSignal.timeout(windowMs)]) : host.cancelled;
  const listener = new Console({ host, directory, signal });
  const following = { directory, position, listener, isAlive };
  const file = alive && !stopping ? tokenFile : undefined;
  let end = await withFreshToken(host, file, () => follow({ ...following, signal }), 0);
  const isForced = end.kind === 'stopped' && stopping;

  if (end.kind === 'stopped') {
    // Killing it would lock the stack, and free no time for anything else.
    if (phase === 'main' && host.cancelled.aborted) return { end, isForced: false };
    if (stopping) await endByForce(host, owner, terminateMs);
    else if (signalOwner(owner, 'SIGINT')) {
      host.info('This step is being ended: asked the agent to stop.');
      await waitForEnd(owner, LEAVE_MS);
    }

    // Shows what it wrote meanwhile.
    end = await follow({ ...following, signal: AbortSignal.timeout(KILL_MS) });
  } else {
    if (isAlive()) await waitForEnd(owner, terminateMs, signal);
  }

  listener.close();

  return { end, isForced };
}

/** On SIGTERM a stopping engine drops what isn't sent, writes its result and exits. */
async function endByForce(host: Host, owner: Owner, terminateMs: number): Promise<void> {
  if (signalOwner(owner, 'SIGTERM')) {
    host.info(
      "The job's time is nearly over: asked the agent to drop the reports that Pulumi Cloud has not accepted, and to exit.",
    );
  }
  if (await endsWithin(owner, terminateMs)) return;
  host.warning(`The agent (process ${owner.pid}) did not stop in time and was killed.`);
}
