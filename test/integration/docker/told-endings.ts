/** How a run ends. */
interface Ending {
  readonly outcome: string;
  /** The message, notices and log; `…` stands for any text. */
  readonly said: string;
}

/**
 * How each way to end a job in Docker is told; docs/internals/endings.md has the reasons. A sentence that begins
 * with `…` begins with `Failed to run step 1 "Step 1" of the deployment:`.
 */
export const TOLD_ENDINGS: Readonly<Record<string, Ending>> = {
  'a step ends with an exit code': {
    outcome: 'failed',
    said: 'Failed to run step 1 "Step 1" of the deployment: exit code 3. Its log says more.',
  },
  'a step runs past its timeout': { outcome: 'failed', said: '…timed out after 5s.' },
  'the job runs past its timeout': {
    outcome: 'failed',
    said: 'Failed to finish step 1 "Step 1" in time: the job timed out after 12s. The stack may need a refresh.',
  },
  'the step runs out of the memory it may have': {
    outcome: 'failed',
    said: '…ran out of memory (exit code 137).',
  },
  'the same of a pipe’s member only': {
    outcome: 'succeeded',
    said: 'Step 1: The kernel ended a process of the step for lack of memory; the step itself succeeded. Check that its work is complete.',
  },
  'a step heeds no signal while it is stopped': {
    outcome: 'interrupted',
    said: 'Failed to finish step 1 "Step 1": the agent was interrupted by SIGINT. … Sending SIGINT. … Sending SIGTERM. … Sending SIGKILL.',
  },
  'a step has stopped itself (SIGSTOP)': {
    outcome: 'interrupted',
    said: 'Failed to finish step 1 "Step 1": the agent was interrupted by SIGINT. … Sending SIGINT. … Sending SIGTERM. … Sending SIGKILL.',
  },
  'the container is killed': {
    outcome: 'failed',
    said: '…the engine was asked to end the container (signal …). Look for …',
  },
  'the container is removed': {
    outcome: 'failed',
    said: '…the engine was asked to end the container (signal …). Look for …',
  },
  'the container is stopped': {
    outcome: 'failed',
    said: '…the engine was asked to stop the container, or is being stopped itself. Look for …saved',
  },
  'a step ends the container’s main process': {
    outcome: 'failed',
    said: '…the container was asked to stop, and the engine shows no such request. Look for …',
  },
  'a step claims that its container is being stopped': {
    outcome: 'failed',
    said: 'Failed to run step 1 "Step 1" of the deployment: exit code 3. Its log says more.',
  },
  'the engine is stopped or restarted': {
    outcome: 'failed',
    said: '…the container was asked to stop, and the engine does not say why (…). Look for …saved',
  },
  'the engine crashes': {
    outcome: 'failed',
    said: "…the container was lost, and the engine does not say why (…). See the engine's log.",
  },
  'the engine answers nothing any more': {
    outcome: 'failed',
    said: '…the connection that carries its output was cut (… no answer within … s. …). Check …',
  },
  'the connection that carries the output is cut': {
    outcome: 'succeeded',
    said: "Step 1: The connection that carries the step's output was cut … before its end, after 3 B; what it printed then is lost. Look for a proxy …",
  },
  'the same, and the step fails': {
    outcome: 'failed',
    said: "…exit code 3. …The connection that carries the step's output was cut … before its end…",
  },
  'the same, and the job is interrupted': {
    outcome: 'interrupted',
    said: 'Failed to finish step 1 "Step 1": the agent was interrupted by SIGINT. …what it printed then is lost. …Sending SIGINT.',
  },
  'the connection to the container’s main process is cut': {
    outcome: 'failed',
    said: '…the connection to the container was cut, which ends it. Check … …saved',
  },
  'the same, and the step ends its work well': {
    outcome: 'failed',
    said: '…the connection to the container was cut, which ends it. Check …',
  },
  'the container’s disk is full': { outcome: 'failed', said: '…exit code 1. … …No space left on device' },
  'the disk of the run directory is full': {
    outcome: 'succeeded',
    said: "Failed to write the step log …: ENOSPC: no space left on device, write. Check the disk's free space and the folder's permissions.",
  },
  'a process outlives its step and holds the output': {
    outcome: 'succeeded',
    said: 'Every step of the deployment succeeded.',
  },
};
