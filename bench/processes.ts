import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** The environment of everything that is measured: nothing of this shell's own but where programs are. */
export const PLAIN_ENVIRONMENT = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };

/** Milliseconds of a whole `node -e 0`, from before its start to its end. */
export async function bareNode(): Promise<number> {
  const started = startOfNextProcess();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: ['ignore', 'ignore', 'ignore'], env: PLAIN_ENVIRONMENT });
  const ended = Promise.withResolvers<number>();
  child.once('error', ended.reject);
  child.once('exit', () => ended.resolve(performance.now()));
  return (await ended.promise) - (await started);
}

/** `performance.now()` at the moment right before the next process is started. */
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
