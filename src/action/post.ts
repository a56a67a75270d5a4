import * as core from '@actions/core';
import { messageOf } from '../outcome.ts';
import { isAlive, signalOwner } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';
import { agentEnvironment, requestStop, waitForEnd } from './agent-process.ts';
import { FORCE_MS, JOB_MS, KILLED_MAIN_MS, PUBLISH_MS } from './cancel-window.ts';
import { Console, wholeLogPlace } from './console.ts';
import { plainText } from './console-text.ts';
import { reportDead } from './death.ts';
import { findAgent } from './find-agent.ts';
import { type FollowEnd, follow } from './follow.ts';
import { agentVariablesOf, forwardedNames, readPublishingInputs } from './inputs.ts';
import type { Job } from './job.ts';
import { trustAsTheAgent } from './own-trust.ts';
import { publish } from './publish/publish.ts';
import { reportOf } from './report.ts';
import { removePrivate } from './run-folder.ts';
import { type RunState, readMain, readPrivateDirectory, readRunState, removeRunState } from './state.ts';
import { writerOf } from './stdout.ts';
import { describeSweep, type SweepCommand, sweep } from './sweep.ts';

/** What post has of a cancelled CI job's last minutes, in milliseconds; cancel-window.ts tells what each is. */
export interface PostTimes {
  readonly jobMs: number;
  readonly publishMs: number;
  readonly forceMs: number;
  /** For a main that still runs, until it is killed. */
  readonly leaveMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly terminateMs: number;
}

/** A run whose agent is known. */
type StartedRun = RunState & { readonly owner: Owner };

const POST_TIMES: PostTimes = {
  jobMs: JOB_MS,
  publishMs: PUBLISH_MS,
  forceMs: FORCE_MS,
  leaveMs: 5_000,
  terminateMs: 8_000,
};
const KILL_MS = 2_000;
/** What a sweep gets at least, and at most. */
const SWEEP_MS = { least: 10_000, most: 70_000 };
const LEAST_ARTIFACT_MS = 6_000;
/** The summary comes behind the artifact, and names it. */
const SUMMARY_MS = 5_000;

/**
 * The action's post phase: waits for an agent that main had to leave, publishes what main could not and removes what the
 * run made. Never throws and never turns the job red.
 */
export async function post(job: Job, times = POST_TIMES): Promise<void> {
  try {
    const { state, left } = await takeOver(job, times);
    if (state === undefined || state.ended) core.info('The run is over; removing its temporary files.');
    if (state !== undefined && !(state.ended && state.published)) await finish(job, state, times, left);
    // Main has looked already, but an engine may have been slow to let go.
    else if (state?.died) core.info(plainText(describeSweep(await sweep(sweepOf(job, state, left())))));
  } catch (error) {
    core.warning(plainText(`Failed to finish the run in the post step: ${messageOf(error)}`));
  }
  const privateDirectory = readPrivateDirectory();
  try {
    if (privateDirectory !== undefined) {
      await removePrivate(privateDirectory);
      removeRunState(privateDirectory);
    }
  } catch (error) {
    core.warning(
      plainText(`Failed to remove ${privateDirectory} after the run: ${messageOf(error)}. Remove it by hand.`),
    );
  }
}

/**
 * What main left, and the milliseconds that are left of the CI job. In a job with `container:` main may still run: the runner's
 * `docker exec` hands on no signal. Post then interrupts it, as the runner does elsewhere, so that one phase alone publishes.
 */
async function takeOver(
  job: Job,
  { jobMs, leaveMs }: PostTimes,
): Promise<{ readonly state: RunState | undefined; readonly left: () => number }> {
  const began = performance.now();
  const main = readMain();
  const { cancelledAt = job.now() - KILLED_MAIN_MS } = readRunState() ?? {};
  const passed = Math.max(0, job.now() - cancelledAt);
  // A cancelled job has no such time: its step was ended by a timeout of its own, and the job went on.
  const sinceCancel = passed < jobMs ? passed : 0;
  const left = (): number => Math.ceil(jobMs - sinceCancel - (performance.now() - began));
  if (main !== undefined && signalOwner(main, 'SIGINT')) {
    core.info(`The step itself still runs (process ${main.pid}): told it to leave.`);
    if (!(await waitForEnd(main, leaveMs))) {
      signalOwner(main, 'SIGKILL');
      await waitForEnd(main, KILL_MS);
    }
  }
  return { state: readRunState(), left };
}

async function finish(job: Job, state: RunState, times: PostTimes, left: () => number): Promise<void> {
  const { runDirectory } = state;
  const owner = state.owner ?? (await findAgent(runDirectory, job.cancelled));
  if (owner === undefined) {
    core.info('No agent was started.');
    return;
  }
  const end = await waitForAgent(job, { ...state, owner }, left() - times.publishMs - times.forceMs, times);
  const report =
    end.kind === 'finished'
      ? await reportOf(runDirectory, end.result)
      : await reportDead({ ...sweepOf(job, state, left() - times.publishMs), pid: owner.pid, stopping: true });
  core.info(plainText(`${report.outcome}: ${report.message}`, 2_000));
  await publish({
    report,
    runDirectory,
    inputs: readPublishingInputs(job.environment),
    red: report.outcome !== 'succeeded' && report.outcome !== 'no-work',
    environment: job.environment,
    artifactDeadlineMs: Math.max(LEAST_ARTIFACT_MS, left() - SUMMARY_MS),
    trustMore: () => trustAsTheAgent(job.environment, job.checkoutDirectory),
    signal: job.cancelled,
    uploaded: state.artifact,
    last: true,
  });
}

function sweepOf(
  { nodePath, agentScript, environment, checkoutDirectory }: Job,
  { runDirectory }: RunState,
  leftMs: number,
): SweepCommand {
  return {
    nodePath,
    script: agentScript,
    runDirectory,
    environment: agentEnvironment(
      environment,
      agentVariablesOf(environment, checkoutDirectory),
      forwardedNames(environment),
    ),
    deadlineMs: Math.min(SWEEP_MS.most, Math.max(SWEEP_MS.least, leftMs)),
    // Whoever stops post has seconds left for just this.
    signal: new AbortController().signal,
  };
}

/** Shows the run to its end, which comes by itself, by request, or by force when the window is over. */
async function waitForAgent(
  job: Job,
  state: StartedRun,
  windowMs: number,
  { terminateMs }: PostTimes,
): Promise<FollowEnd> {
  const { owner, runDirectory: directory, position } = state;
  if (requestStop(owner)) {
    const most = `${Math.max(0, Math.round(windowMs / 1000))} s`;
    core.info(`The agent is still running (process ${owner.pid}): asked it to stop, waiting at most ${most} for it.`);
  }
  const closed = AbortSignal.any([job.cancelled, AbortSignal.timeout(Math.max(0, windowMs))]);
  const place = wholeLogPlace(readPublishingInputs(job.environment));
  const listener = new Console({ directory, write: writerOf(job.stdout, closed), now: job.now, place });
  const alive = (): boolean => isAlive(owner);
  const end = await follow({ directory, position, listener, isAlive: alive, signal: closed });
  if (end.kind !== 'stopped') {
    listener.close();
    await waitForEnd(owner, terminateMs, closed);
    return end;
  }
  await endByForce(owner, terminateMs);
  // What it wrote until then is still to be shown; nobody writes any more.
  const rest = await follow({ directory, position, listener, isAlive: alive, signal: AbortSignal.timeout(KILL_MS) });
  listener.close();
  return rest;
}

/** SIGTERM has an agent that is stopping drop what isn't sent, write its result and end. */
async function endByForce(owner: Owner, terminateMs: number): Promise<void> {
  if (signalOwner(owner, 'SIGTERM')) {
    core.info("The job's time is nearly over: told the agent to drop what Pulumi Cloud has not taken, and to end.");
  }
  if (await waitForEnd(owner, terminateMs)) return;
  signalOwner(owner, 'SIGKILL');
  await waitForEnd(owner, KILL_MS);
  core.warning(
    `The agent (process ${owner.pid}) did not stop in time and was killed. The stack it worked on may be left locked: ` +
      'see `pulumi cancel`.',
  );
}
