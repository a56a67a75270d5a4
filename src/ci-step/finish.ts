import { NEVER } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { withEntry } from '../base/error-codes.ts';
import { plainText } from '../base/log/plain-text.ts';
import { messageOf } from '../base/outcome.ts';
import { isAlive } from '../base/owner.ts';
import { reportOf, reportWithout } from '../record/report/report.ts';
import { type PostTimes, remainingTime, timesFor } from './cancel-times.ts';
import { type Conclusion, isRed, showConclusion } from './conclusion.ts';
import { reportDead, sweep } from './dead-engine.ts';
import type { Engine } from './engine.ts';
import { COMMENT_MS, type Host } from './host.ts';
import { showNotices } from './notices.ts';
import { setRunOutputs } from './outputs.ts';
import { publish } from './publish.ts';
import type { ArtifactSettings } from './settings.ts';
import {
  isPublished,
  readPrivateDirectory,
  readRunState,
  removePrivate,
  removeRunState,
  saveRunState,
} from './state.ts';
import { sendTrace } from './trace.ts';
import { endMain, waitForEngine } from './wait-for-engine.ts';

/** Bounds of a sweep's deadline. */
const SWEEP_MS = { least: 10_000, most: 70_000 };
const MIN_UPLOAD_MS = 6_000;

const LOST_STEP = 'The step stays red, and the outputs that it had not set are empty.';
const ENDED_EARLY = 'The CI job was ended while the agent was still stopping.';

/** The summary follows the artifact, which it names. */
const SUMMARY_MS = 5_000;

/** The settings that post needs; it reads no configuration. */
export interface PostSettings {
  readonly engine: Engine;
  readonly artifact: ArtifactSettings;
  /** The CI system says that the job was cancelled. False where it doesn't say. */
  readonly jobCancelled: boolean;
  /** The engine has ended for certain, though its process can't be checked from here. */
  readonly agentIsGone?: boolean | undefined;
}

/**
 * Awaits an engine that outlived main, which it stops if the CI job was cancelled; publishes the
 * rest and removes temporary files. Never throws or fails the job.
 */
export async function post(host: Host, settings: PostSettings, times?: PostTimes): Promise<void> {
  try {
    await finishRun(host, settings, 'post', times);
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

/** The end of a cancelled CI job that nothing uses: it takes a moment itself. */
const REST_MS = 3_000;

/**
 * Awaits the engine, as `post` does, and publishes the rest. Returns its end; undefined if there
 * was nothing to publish, or if main itself waits and must leave. Throws what node:fs throws.
 */
export async function finishRun(
  host: Host,
  settings: PostSettings,
  phase: 'main' | 'post',
  times = timesFor(host.cancelWindow),
): Promise<Conclusion | undefined> {
  const remainingIfCancelledMs = remainingTime(host);
  const mainRan = phase === 'post' && (await endMain(host, times));
  const state = readRunState(host);

  if (state === undefined || state.ended) host.info('The run is over; removing its temporary files.');
  if (state === undefined) return undefined;

  // A main that still runs hears of no cancel: its job has a `container:`.
  const stopping = mainRan || settings.jobCancelled || state.cancelledAt !== undefined;
  const remainingMs = stopping ? remainingIfCancelledMs : () => host.cancelWindow.jobMs;
  const { engine, artifact, agentIsGone = false } = settings;
  const { runDirectory } = state;

  const sweepWithin = (ms: number) => ({
    engine,
    runDirectory,
    deadlineMs: Math.min(SWEEP_MS.most, Math.max(Math.min(SWEEP_MS.least, times.forceMs), ms)),
    // Not `host.cancelled`: a cancelled post has a few seconds left for exactly this.
    signal: NEVER,
  });

  if (state.ended && isPublished(host)) {
    // Main has swept already, but Docker can have been slow to start or remove something.
    if (state.died) host.info(plainText(await sweep(sweepWithin(remainingMs()))));
    return undefined;
  }

  const { owner } = state;
  if (owner === undefined) {
    host.info('No agent was started.');
    return undefined;
  }

  const windowMs = Math.max(0, remainingMs() - times.publishMs - times.forceMs);
  const { end, isForced } = await waitForEngine(host, {
    owner,
    isAlive: () => !agentIsGone && isAlive(owner),
    state,
    windowMs: stopping ? windowMs : undefined,
    phase,
    terminateMs: times.terminateMs,
  });

  if (phase === 'main' && host.cancelled.aborted) {
    // The agent has the time that it needs; post shows the rest.
    saveRunState(state, readPrivateDirectory(host) ?? '');
    return undefined;
  }

  const sweepOptions = sweepWithin(remainingMs() - times.publishMs);

  // An agent that had no time can have left its container.
  if (end.kind === 'finished' && isForced) host.info(plainText(await sweep(sweepOptions)));

  const endReport =
    end.kind === 'finished'
      ? await reportOf(runDirectory, end.result)
      : end.kind === 'stopped' && !stopping
        ? await reportWithout(runDirectory, { outcome: 'interrupted', message: ENDED_EARLY })
        : await reportDead(host, { ...sweepOptions, stopping });

  const isOver = end.kind !== 'stopped' || stopping;
  const traceId = state.traceId ?? (isOver ? await sendTrace(host, engine, runDirectory, NEVER) : undefined);
  const report = { ...endReport, ...defined({ traceId }) };

  showNotices(host, report);

  if (!stopping && !state.ended)
    host.warning(
      `The step's process ended before it had published its run, whose outcome is ${report.outcome}. ${LOST_STEP}`,
    );

  const publication = {
    report,
    runDirectory,
    artifact,
    isRed: isRed(report, 'succeed'),
    uploadDeadlineMs: Math.max(
      Math.min(MIN_UPLOAD_MS, times.publishMs),
      remainingMs() - SUMMARY_MS - (host.comment === undefined ? 0 : COMMENT_MS),
    ),
    last: true,
  };

  const uploaded = await publish(host, publication, state.artifact);

  setRunOutputs(host, report, runDirectory, { artifact: uploaded });

  const conclusion = { report, runDirectory, artifact: uploaded };
  if (phase === 'post') showConclusion(host, conclusion);

  // A container that still ended its step has the time that publishing left.
  const restMs = remainingMs() - REST_MS;
  if (stopping && (isForced || end.kind !== 'finished') && restMs > 0)
    host.info(plainText(await sweep({ ...sweepOptions, deadlineMs: Math.min(SWEEP_MS.most, restMs) })));

  return conclusion;
}
