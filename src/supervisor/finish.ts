import { withEntry } from '../error-codes.ts';
import { messageOf } from '../outcome.ts';
import { isAlive, signalOwner } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';
import { reportOf } from '../report/report.ts';
import { plainText } from '../report/text.ts';
import { Console } from './console.ts';
import { reportDead, sweep } from './dead-engine.ts';
import { type FollowEnd, follow } from './follow.ts';
import type { Host, StepSettings } from './host.ts';
import { waitForEnd } from './process.ts';
import { publish, sayNotices } from './publish.ts';
import {
  isPublished,
  type RunState,
  readMain,
  readPrivateDirectory,
  readRunState,
  removePrivate,
  removeRunState,
} from './state.ts';

/** What post has of a cancelled CI job's last minutes, in milliseconds. */
export const POST_TIMES = {
  /** Kept for summary and artifact, whatever the engine does. */
  publishMs: 25_000,
  /** Kept for an engine that has to be ended: SIGTERM, SIGKILL and the sweep behind them. */
  forceMs: 25_000,
  /** For a main that still runs, until it is killed. */
  leaveMs: 5_000,
  /** From SIGTERM to SIGKILL. */
  terminateMs: 8_000,
};
export type PostTimes = Readonly<typeof POST_TIMES>;
const KILL_MS = 2_000;
/** What a sweep gets at least, and at most. */
const SWEEP_MS = { least: 10_000, most: 70_000 };
const LEAST_ARTIFACT_MS = 6_000;
/** The summary comes behind the artifact, and names it. */
const SUMMARY_MS = 5_000;

/** What post needs to know of the settings; it reads no configuration. */
export type PostSettings = Pick<StepSettings, 'engine' | 'uploadArtifact' | 'artifactName' | 'artifactRetentionDays'>;

/** Post: waits for an engine that main had to leave, publishes the rest, removes what the run made. Never throws, never turns the job red. */
export async function post(host: Host, settings: PostSettings, times: PostTimes = POST_TIMES): Promise<void> {
  try {
    await finish(host, settings, times);
  } catch (error) {
    const sentence = plainText(`Failed to finish the run in the post step: ${messageOf(error)}`);
    host.warning(withEntry(sentence, 'PRA-RECORD-12'));
  }
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

async function finish(host: Host, settings: PostSettings, times: PostTimes): Promise<void> {
  const left = timeLeft(host);
  await endMain(host, times);
  const state = readRunState(host);
  if (state === undefined || state.ended) host.info('The run is over; removing its temporary files.');
  if (state === undefined) return;
  const { engine } = settings;
  const { runDirectory } = state;
  const sweepWithin = (ms: number) => ({
    engine,
    runDirectory,
    deadlineMs: Math.min(SWEEP_MS.most, Math.max(SWEEP_MS.least, ms)),
    // A cancel of post leaves seconds for just this.
    signal: new AbortController().signal,
  });
  if (state.ended && isPublished(host)) {
    // Main has looked already, but Docker may have been slow to let go.
    if (state.died) host.info(plainText(await sweep(sweepWithin(left()))));
    return;
  }
  const { owner } = state;
  if (owner === undefined) {
    host.info('No agent was started.');
    return;
  }
  const windowMs = Math.max(0, left() - times.publishMs - times.forceMs);
  const end = await waitForEngine(host, { ...state, owner }, windowMs, times);
  const report =
    end.kind === 'finished'
      ? await reportOf(runDirectory, end.result)
      : await reportDead(host, { ...sweepWithin(left() - times.publishMs), owner, stopping: true });
  sayNotices(host, report);
  host.info(plainText(`${report.outcome}: ${report.message}`, 2_000));
  await publish(host, {
    report,
    runDirectory,
    publishing: settings,
    red: report.outcome !== 'succeeded' && report.outcome !== 'no-work',
    artifactDeadlineMs: Math.max(LEAST_ARTIFACT_MS, left() - SUMMARY_MS),
    signal: host.cancelled,
    uploaded: state.artifact,
    last: true,
  });
}

/** Tells the milliseconds until the CI system ends the job. */
function timeLeft(host: Host): () => number {
  const { jobMs, mainMs } = host.cancelWindow;
  const began = performance.now();
  const { cancelledAt = host.now() - mainMs } = readRunState(host) ?? {};
  const passed = Math.max(0, host.now() - cancelledAt);
  // A cancelled job has no such time: its step was ended by a timeout of its own, and the job went on.
  const sinceCancel = passed < jobMs ? passed : 0;
  return () => Math.ceil(jobMs - sinceCancel - (performance.now() - began));
}

/** Ends a main that still runs, so that one phase alone publishes: GitHub's runner can't signal one in a job with `container:`. */
async function endMain(host: Host, { leaveMs }: PostTimes): Promise<void> {
  const main = readMain(host);
  if (main === undefined || !signalOwner(main, 'SIGINT')) return;
  host.info(`The step itself still runs (process ${main.pid}): told it to leave.`);
  await endsWithin(main, leaveMs);
}

/** Kills a process that hasn't ended after `ms` milliseconds; false when it had to. */
async function endsWithin(owner: Owner, ms: number): Promise<boolean> {
  if (await waitForEnd(owner, ms)) return true;
  signalOwner(owner, 'SIGKILL');
  await waitForEnd(owner, KILL_MS);
  return false;
}

/** Shows the run to its end, which comes by itself, by request, or by force when the window is over. */
async function waitForEngine(
  host: Host,
  { owner, runDirectory: directory, position }: RunState & { readonly owner: Owner },
  windowMs: number,
  { terminateMs }: PostTimes,
): Promise<FollowEnd> {
  if (signalOwner(owner, 'SIGINT')) {
    const most = `${Math.round(windowMs / 1000)} s`;
    host.info(`The agent is still running (process ${owner.pid}): asked it to stop, waiting at most ${most} for it.`);
  }
  const signal = AbortSignal.any([host.cancelled, AbortSignal.timeout(windowMs)]);
  const listener = new Console({ host, directory, signal });
  const following = { directory, position, listener, isAlive: () => isAlive(owner) };
  let end = await follow({ ...following, signal });
  if (end.kind === 'stopped') {
    await endByForce(host, owner, terminateMs);
    // What it wrote until then is still to be shown; nothing writes any more.
    end = await follow({ ...following, signal: AbortSignal.timeout(KILL_MS) });
  } else {
    await waitForEnd(owner, terminateMs, signal);
  }
  listener.close();
  return end;
}

/** SIGTERM has an engine that is stopping drop what isn't sent, write its result and end. */
async function endByForce(host: Host, owner: Owner, terminateMs: number): Promise<void> {
  if (signalOwner(owner, 'SIGTERM')) {
    host.info("The job's time is nearly over: told the agent to drop what Pulumi Cloud has not taken, and to end.");
  }
  if (await endsWithin(owner, terminateMs)) return;
  host.warning(`The agent (process ${owner.pid}) did not stop in time and was killed.`);
}
