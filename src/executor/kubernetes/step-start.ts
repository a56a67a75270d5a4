import { ContainerError } from '../executor.ts';
import { NO_ROOM } from './step-scripts.ts';

/** Tries to start a step whose start was not answered, and that was kept from beginning. */
const STARTS = 5;
/** Tries to start a step on a disk that is full: what the one before it has printed goes a moment after its end. */
const ROOM_TRIES = 5;

/** How one step is started, and what may be tried again when it has not begun. */
export class StepStart {
  /** The step's name in the pod. */
  name: string;
  #starts = 0;
  #full = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** What was forbidden under its old name may begin under a new one. Throws ContainerError when that was tried often enough. */
  rename(): void {
    this.#starts += 1;
    if (this.#starts >= STARTS)
      throw new ContainerError(
        'Failed to start the step for the job: the cluster did not answer, and the step had not begun. Check the API server and the kubelet.',
      );
    this.name = `${this.name.replace(/-.*/, '')}-${this.#starts}`;
  }

  /** True where a start that ended with this code, and began nothing, is worth another try under the same name. */
  mayBegin({ exitCode }: { exitCode: number }): boolean {
    if (exitCode !== NO_ROOM) return false;
    this.#full += 1;
    return this.#full < ROOM_TRIES;
  }
}

/** Why a step never began: what its shell complained of, else what the cluster says, else its exit code. */
export function neverBegan({ exitCode, message }: { exitCode: number; message: string }, complaint: string): Error {
  if (exitCode === NO_ROOM)
    return new ContainerError(
      'Failed to start the step for the job: the disk of the volume "pulumi-runner" in its pod is full. Have the steps leave room there, or give the volume more in the pod template.',
    );
  const why = complaint || message || `exit code ${exitCode}`;
  return new ContainerError(
    `Failed to start the step for the job: ${why}. Use an image with a POSIX shell, head, cat, sleep and tail, and with the shell that the job names.`,
  );
}
