import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** The environment of everything that is measured; of this shell's variables, it keeps only PATH. */
export const PLAIN_ENVIRONMENT = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };

/** Milliseconds from right before `node -e 0` starts until it has ended. */
export async function bareNode(): Promise<number> {
  const started = startOfNextProcess();
  const child = spawn(process.execPath, ['-e', '0'], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: PLAIN_ENVIRONMENT,
  });
  const ended = Promise.withResolvers<number>();
  child.once('error', ended.reject);
  child.once('exit', () => ended.resolve(performance.now()));
  return (await ended.promise) - (await started);
}

/** Resolves with `performance.now()` right before the next process is started. */
export function startOfNextProcess(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const channel = 'child_process';
  const listen = () => {
    resolve(performance.now());
    unsubscribe(channel, listen);
  };
  subscribe(channel, listen);
  return promise;
}
