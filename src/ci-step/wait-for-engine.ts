import { type Owner, signalOwner } from '../base/owner.ts';
import type { PostTimes } from './cancel-times.ts';
import { Console } from './console.ts';
import { waitForEnd } from './engine-process.ts';
import { type FollowEnd, follow } from './follow.ts';
import type { Host } from './host.ts';
import { type RunState, readMain } from './state.ts';
import { withFreshToken } from './token-file.ts';

const KILL_MS = 2_000;

/** For an agent to stop before a post that is itself being ended leaves it. */
const LEAVE_MS = 4_000;
const NO_CANCEL =
  'Cancelling the CI job does not end this wait: to stop the update, cancel the deployment in Pulumi Cloud.';

/**
 * Ends another process of main that still runs, so only one phase publishes: GitHub's runner can't
 * signal it in a `container:` job. One that would stay leaves on SIGHUP.
 */
export async function endMain(host: Host, { leaveMs }: PostTimes): Promise<boolean> {
  const main = readMain(host);
  const signal = host.cancelWindow.mode === 'stay' ? 'SIGHUP' : 'SIGINT';
  if (main === undefined || !signalOwner(main, signal)) return false;
  host.info('The step itself is still running: asked it to exit.');
  await endsWithin(main, leaveMs);
  return true;
}

/** Waits `ms` for a process to end, then kills it. Returns false if it had to. */
async function endsWithin(owner: Owner, ms: number): Promise<boolean> {
  if (await waitForEnd(owner, ms)) return true;
  signalOwner(owner, 'SIGKILL');
  await waitForEnd(owner, KILL_MS);
  return false;
}

/**
 * Shows the run until the engine ends. With a window, asks it to stop, and ends it by force once that
 * is over; without one, keeps its token fresh, and asks it only when post itself is being ended. A
 * main that must leave does so at once.
 */
export async function waitForEngine(
  host: Host,
  {
    owner,
    isAlive,
    state: { runDirectory: directory, position, tokenFile },
    windowMs,
    phase,
    terminateMs,
  }: {
    readonly owner: Owner;
    readonly isAlive: () => boolean;
    readonly state: RunState;
    readonly windowMs: number | undefined;
    readonly phase: 'main' | 'post';
    readonly terminateMs: number;
  },
): Promise<{ readonly end: FollowEnd; readonly isForced: boolean }> {
  const stopping = windowMs !== undefined;
  const alive = stopping ? signalOwner(owner, 'SIGINT') : isAlive();

  if (alive && stopping) {
    const opening =
      phase === 'main' ? 'The CI job was cancelled: asked the agent' : 'The agent is still running: asked it';
    host.info(`${opening} to stop, waiting at most ${Math.round(windowMs / 1000)} s for it.`);
  }
  if (alive && !stopping) host.info(`The agent outlived its step and continues. ${NO_CANCEL}`);

  const signal = stopping ? AbortSignal.any([host.cancelled, AbortSignal.timeout(windowMs)]) : host.cancelled;
  const listener = new Console(host, directory, signal);
  const following = { directory, position, listener, isAlive, steady: host.steady };
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

    // Shows its last lines.
    end = await follow({ ...following, signal: AbortSignal.timeout(KILL_MS) });
  } else {
    if (isAlive()) await waitForEnd(owner, terminateMs, signal);
  }

  listener.close();

  return { end, isForced };
}

/** On SIGTERM a stopping engine drops unsent reports, writes its result and exits. */
async function endByForce(host: Host, owner: Owner, terminateMs: number): Promise<void> {
  if (signalOwner(owner, 'SIGTERM')) {
    host.info(
      "The job's time is nearly over: asked the agent to drop the reports that Pulumi Cloud has not accepted, and to exit.",
    );
  }
  if (await endsWithin(owner, terminateMs)) return;
  host.warning('The agent did not stop in time and was killed.');
}
