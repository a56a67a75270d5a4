import { ContainerError } from '../../executor.ts';
import type { DockerEngine, EngineCalls } from '../engine/engine.ts';
import { runScript } from './run-script.ts';

/**
 * Reads back from the engine a container's runtime, and the user of its image: a name or number, perhaps with a group;
 * empty for root. Throws ContainerError if the runtime isn't the `configured` one.
 */
export async function readCreated(
  engine: EngineCalls,
  container: string,
  configured: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly runtime: string; readonly user: string }> {
  const inspected = await engine.call((docker) => docker.getContainer(container).inspect(), { signal });
  const runtime = inspected.HostConfig.Runtime || 'runc';
  if (configured === undefined || runtime === configured) return { runtime, user: inspected.Config.User };
  throw unconfined(`the engine made its container with the runtime ${runtime}, not with ${configured}`);
}

/** The error for a job whose container isn't as requested. */
function unconfined(cause: string): ContainerError {
  const advice = 'Correct the runtime on the engine, or set container_runtime to another.';
  return new ContainerError(`Failed to confine the job: ${cause}. ${advice}`, { code: 'PRA-CONTAINER-09' });
}

const STATUS_SCRIPT = `
while read -r key value rest; do
  case $key in CapBnd: | NoNewPrivs:) echo "$key$value" ;; esac
done </proc/self/status`;

/**
 * Checks that no process in a running container can have more than `capabilities` capabilities, or gain
 * privileges. Throws ContainerError.
 */
export async function checkConfined(
  engine: DockerEngine,
  container: string,
  { runtime, capabilities, signal }: { runtime: string; capabilities: number; signal: AbortSignal },
): Promise<void> {
  const { output } = await runScript(engine, container, [STATUS_SCRIPT], signal);
  const [, mask = 'f'.repeat(16)] = /^CapBnd:([0-9a-f]+)$/m.exec(output.toString()) ?? [];
  const held = BigInt(`0x${mask}`).toString(2).replaceAll('0', '').length;

  if (held > capabilities)
    throw unconfined(
      `under the runtime ${runtime} its root has ${held} capabilities, where ${capabilities} were given`,
    );

  if (/^NoNewPrivs:0$/m.test(output.toString()))
    throw unconfined(`under the runtime ${runtime} its processes can gain privileges`);
}
