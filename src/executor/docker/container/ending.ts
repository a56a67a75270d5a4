import type { Readable } from 'node:stream';
import { z } from 'zod';
import { NEVER } from '../../../base/clock.ts';
import { within } from '../../../base/deadline.ts';
import { ContainerLostError } from '../../executor.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { textOf } from '../engine/errors.ts';
import { jsonLines } from '../engine/streams.ts';
import { STOP_SIGNAL } from './main-process.ts';

/**
 * For the engine's events. The last one comes once the container is gone: on a busy
 * engine, or if something in it runs on, seconds after its step.
 */
const EVENTS_MS = 10_000;

/** The facts about a container's end from the engine's events, which are merged as they come. */
interface ContainerEnding {
  readonly oom?: boolean;
  /** True if the engine was asked to stop it gracefully. */
  readonly stopped?: boolean;
  /** The last signal that the engine was asked to send. */
  readonly signal?: string;
  readonly exitCode?: string;
}

type Explanation = readonly [why: string, advice: string];

/** The engine sent the main process the signal to stop, which interrupts its steps. */
const STOPPED: Explanation = [
  'the engine was asked to stop the container, or is being stopped itself',
  'Look for a docker stop, a clean-up job or an engine that was restarted or updated.',
];

/**
 * The stream to the main process ended, which takes that for the agent's death and interrupts its
 * steps.
 */
const CUT: Explanation = [
  'the connection to the container was cut, which ends it',
  'Check the engine and the network to it.',
];

/** The main process says that it was stopped. A restarted engine has forgotten its events. */
export const UNASKED: Explanation = [
  'the container was asked to stop, and the engine shows no such request',
  'Look for an engine that was restarted or updated, or for a step that sends signals to process 1.',
];

/** The remedy for a main process that ended by itself, or by a signal that the engine doesn't know of. */
const BY_ITSELF = 'Look for a step that kills processes other than its own.';

/** The exit code after SIGKILL, which reaches a main process only from outside (see MAIN_PROCESS_SCRIPT). */
const SIGKILLED = '137';

/** The error for a container that went away. */
export function lost(container: string, [why, advice]: Explanation, cause?: unknown): ContainerLostError {
  const reason = `${why}. ${advice}`;
  const message = `Failed to finish the step in container ${container.slice(0, 12)}: ${reason}`;
  // An engine that doesn't answer, or cut the connection, is more than one job's misfortune.
  const fault = cause === undefined && why !== CUT[0] ? 'deployment' : 'executor';
  return new ContainerLostError(message, { code: 'PRA-CONTAINER-05', reason, cause, fault });
}

/**
 * Explains from the engine's last events why a container went away under a step: it is itself gone
 * (AutoRemove). Undefined if it is still there, and its main process alone says that it is being
 * stopped: a job can say that too.
 */
export async function endOf(
  engine: DockerEngine,
  container: string,
  { isStopping }: { readonly isStopping: boolean },
): Promise<ContainerLostError | undefined> {
  const { why, exitCode, cause } = await askWhy(engine, container, isStopping);
  return why === UNASKED && exitCode === undefined ? undefined : lost(container, why, cause);
}

/**
 * Explains why a container went away before its main process was ready, as a reason and a remedy. Undefined if that
 * process ended by itself, which its own output explains.
 */
export async function lossAtStart(
  engine: DockerEngine,
  container: string,
  { isStopping }: { readonly isStopping: boolean },
): Promise<Explanation | undefined> {
  const { why, exitCode } = await askWhy(engine, container, isStopping);
  if (why[1] !== BY_ITSELF) return why;
  return exitCode === SIGKILLED ? [why[0], "See the kernel's log and the engine's."] : undefined;
}

/** The explanation of a container's end, with the facts that it comes from. */
interface Answer {
  readonly why: Explanation;
  readonly exitCode?: string | undefined;
  /** The engine did not say why. */
  readonly cause?: unknown;
}

async function askWhy(engine: DockerEngine, container: string, isStopping: boolean): Promise<Answer> {
  try {
    const ending = await readEvents(engine, container);
    return { why: explain(ending, isStopping), exitCode: ending.exitCode };
  } catch (cause) {
    const what = isStopping ? 'the container was asked to stop' : 'the container was lost';
    const why = `${what}, and the engine does not say why (${textOf(cause)})`;
    const advice = isStopping ? 'Look for an engine that was stopped or updated.' : "See the engine's log.";
    return { why: [why, advice], cause };
  }
}

function explain({ oom, stopped, signal, exitCode }: ContainerEnding, isStopping: boolean): Explanation {
  if (oom && exitCode !== undefined) {
    const why = 'the kernel ended the container because it ran out of memory';
    return [why, 'Run the job on a machine with more memory, or reduce its memory use.'];
  }

  // Also if SIGKILL followed, as it does once the time to end gracefully is up.
  if (stopped) return STOPPED;

  if (signal !== undefined) {
    const advice = 'Look for a docker kill, stop or rm, a clean-up job or an engine that was shut down.';
    return [`the engine was asked to end the container (signal ${signal})`, advice];
  }

  if (isStopping) return UNASKED;
  if (exitCode === undefined || exitCode === '0') return CUT;

  return [`the container's main process was killed (exit code ${exitCode})`, BY_ITSELF];
}

async function readEvents(engine: DockerEngine, container: string): Promise<ContainerEnding> {
  const ending: ContainerEnding = {};
  let hasAnswered = false;
  const connection = new AbortController();

  try {
    await within(EVENTS_MS, NEVER, async () => {
      const query = {
        // From the oldest event, without an end: the engine's clock can differ from ours.
        since: 1,
        filters: { container: [container], event: ['oom', 'kill', 'die'] },
        abortSignal: connection.signal,
      };
      const ask = () => engine.negotiated((docker) => docker.getEvents(query), connection.signal);
      // A connection that was kept for further calls can have been cut together with the container's.
      const stream = await ask().catch(ask);

      hasAnswered = true;

      for await (const event of jsonLines(stream as Readable)) {
        Object.assign(ending, readEvent(event));
        if (ending.exitCode !== undefined || ending.stopped) return;
      }
    });
  } catch (error) {
    // The engine answers but no end was seen in time: use the events so far, even if the
    // container can still run.
    if (!hasAnswered) throw error;
  } finally {
    connection.abort();
  }

  return ending;
}

const eventSchema = z.object({
  Action: z.string(),
  Actor: z.object({ Attributes: z.record(z.string(), z.string()).catch({}) }).catch({ Attributes: {} }),
});

function readEvent(event: unknown): ContainerEnding {
  const { Action: action, Actor: actor } = eventSchema.parse(event);
  const { exitCode = '?', signal = '?' } = actor.Attributes;
  if (action === 'oom') return { oom: true };
  if (action === 'die') return { exitCode };
  return action === 'kill' ? { signal, ...(signal === String(STOP_SIGNAL) && { stopped: true }) } : {};
}
