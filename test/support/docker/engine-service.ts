import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';

/** Milliseconds until it must answer, on a busy machine. */
const START_MS = 60_000;
const STOP_MS = 20_000;

/** A program that the tests start to serve Docker's API on a socket until it is stopped. */
export interface EngineService {
  readonly url: string;
  readonly docker: Docker;
  /** Sends SIGTERM by default, and SIGKILL if the end takes too long. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startEngineService(
  command: readonly [program: string, ...args: string[]],
  socketPath: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<EngineService> {
  const [program, ...args] = command;
  const env = { ...process.env, ...environment };
  const service = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const ended = once(service, 'exit');
  const docker = new Docker({ socketPath });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (service.exitCode !== null || service.signalCode !== null) return;
    service.kill(signal);
    const timer = setTimeout(() => service.kill('SIGKILL'), STOP_MS);
    await ended.finally(() => clearTimeout(timer));
  };
  const answers = () =>
    docker.ping().then(
      () => true,
      () => false,
    );
  for (const deadline = performance.now() + START_MS; !(await answers()); await sleep(50)) {
    if (service.exitCode === null && performance.now() < deadline) continue;
    await stop();
    throw new Error(`${program} does not start: ${log}`);
  }
  return { url: `unix://${socketPath}`, docker, stop };
}
