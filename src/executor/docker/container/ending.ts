import { NEVER, within } from '../../deadline.ts';
import { ContainerLostError } from '../../executor.ts';
import type { Engine } from '../engine/engine.ts';
import { textOf } from '../engine/errors.ts';

/** Milliseconds in which an engine that is there answers. */
const ANSWER_MS = 5_000;

type Explanation = readonly [why: string, advice: string];

/** The container's main process got the signal to end: it interrupts what runs. */
export const STOPPED: Explanation = [
  'the engine was asked to stop the container, or is being stopped itself',
  'Look for a docker stop, a clean-up job or an engine that was restarted or updated.',
];
/** The stream to the container's main process ended, which takes that for the agent's end and interrupts what runs. */
export const CUT: Explanation = [
  'the connection to the container was cut, which ends it',
  'Check the engine and the network between here and there.',
];
/** What did it is known to nobody: a container that has ended is forgotten (AutoRemove). */
const ENDED: Explanation = [
  'the container was killed or removed, its main process was killed, or the connection to it was cut',
  'Look for a docker kill or rm, a clean-up job, an engine that was shut down, memory that ran out, or a step that kills processes which are not its own.',
];

/** The error for a container that went away. */
export function lost(container: string, [why, advice]: Explanation, cause?: unknown): ContainerLostError {
  const reason = `${why}. ${advice}`;
  const message = `Failed to finish the step in container ${container.slice(0, 12)}: ${reason}`;
  return new ContainerLostError(message, { code: 'PRA-CONTAINER-05', reason, cause });
}

/** The error for a container that went away under a step without a word, with its engine or by itself. */
export async function endOf(engine: Engine, container: string): Promise<ContainerLostError> {
  try {
    await within(ANSWER_MS, NEVER, () => engine.docker.ping());
    return lost(container, ENDED);
  } catch (cause) {
    const why = `the container was lost, and the engine does not say why (${textOf(cause)})`;
    return lost(container, [why, "See the engine's log."], cause);
  }
}
