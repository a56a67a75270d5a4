import type { Readable } from 'node:stream';
import { NEVER, within } from '../deadline.ts';
import { ContainerLostError } from '../executor.ts';
import type { Engine } from './engine.ts';
import { textOf } from './errors.ts';
import { jsonLines } from './json-lines.ts';
import { STOP_SIGNAL } from './keeper-script.ts';

/** Milliseconds for the engine to tell what it saw: the last of it comes shortly after the streams have ended. */
const EVENTS_MS = 2_000;

/** What the engine's events tell of a container's end. */
interface Ending {
  readonly oom: boolean;
  /** Somebody had the engine stop it, in order at first. */
  readonly stopped?: boolean;
  /** The last signal somebody had the engine send. */
  readonly signal?: string;
  readonly exitCode?: string;
}

/**
 * Says why a container went away under a step. The engine has forgotten the container itself by then (AutoRemove), but it
 * keeps its last events.
 */
export async function lossOf(engine: Engine, container: string): Promise<ContainerLostError> {
  let ending: Ending;
  try {
    ending = await endingOf(engine, container);
  } catch (cause) {
    const why = `the container was lost, and the engine does not tell why (${textOf(cause)})`;
    return lost(container, [why, "See the engine's log."], cause);
  }
  return lost(container, explain(ending));
}

type Explanation = readonly [why: string, advice: string];

/** The container's main process was told to end: it interrupts what runs. */
export const STOPPED: Explanation = [
  'the engine was told to stop the container, or is being stopped itself',
  'Look for a docker stop, a clean-up job or an engine that was restarted or updated.',
];
/** The stream to the container's main process ended, which takes that for the agent's end and interrupts what runs. */
export const CUT: Explanation = [
  'the connection to the container was cut, which ends it',
  'Check the engine and the network between here and there.',
];

/** The error for a container that went away. */
export function lost(container: string, [why, advice]: Explanation, cause?: unknown): ContainerLostError {
  const reason = `${why}. ${advice}`;
  const message = `Failed to finish the step in container ${container.slice(0, 12)}: ${reason}`;
  return new ContainerLostError(message, { reason, cause });
}

function explain({ oom, stopped, signal, exitCode }: Ending): Explanation {
  if (oom && exitCode !== undefined) {
    return [
      'the kernel ended the container for want of memory',
      'Run the job where there is more memory, or let it use less.',
    ];
  }
  // Also when SIGKILL came behind it, as it does where the time for an orderly end is up.
  if (stopped) return STOPPED;
  if (signal !== undefined) {
    return [
      `somebody had the engine end the container (signal ${signal})`,
      'Look for a docker kill, stop or rm, a clean-up job or an engine that was shut down.',
    ];
  }
  if (exitCode !== undefined && exitCode !== '0') {
    return [
      `the container's main process was killed (exit code ${exitCode})`,
      'Look for a step that kills processes which are not its own.',
    ];
  }
  return CUT;
}

async function endingOf(engine: Engine, container: string): Promise<Ending> {
  const docker = await engine.docker();
  let ending: Ending = { oom: false };
  let answered = false;
  const connection = new AbortController();
  try {
    await within(EVENTS_MS, NEVER, async () => {
      const stream = await docker.getEvents({
        // From the beginning of what is kept, without an end: the engine's clock may not be ours.
        since: 1,
        filters: { container: [container], event: ['oom', 'kill', 'die'] },
        abortSignal: connection.signal,
      });
      answered = true;
      for await (const event of jsonLines(stream as Readable)) {
        ending = { ...ending, ...read(event) };
        if (ending.exitCode !== undefined) return;
      }
    });
  } catch (error) {
    // Not even the end was seen in time, but the engine answers: what is known so far stands, and be it that the container runs.
    if (!answered) throw error;
  } finally {
    connection.abort();
  }
  return ending;
}

function read(event: unknown): Partial<Ending> {
  const { Action: action, Actor: actor } = event as {
    Action?: unknown;
    Actor?: { Attributes?: Record<string, unknown> };
  };
  if (action === 'oom') return { oom: true };
  if (action === 'kill') {
    const signal = String(actor?.Attributes?.['signal'] ?? '?');
    return signal === String(STOP_SIGNAL) ? { signal, stopped: true } : { signal };
  }
  if (action === 'die') return { exitCode: String(actor?.Attributes?.['exitCode'] ?? '?') };
  return {};
}
