import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const OUTLETS = fileURLToPath(new URL('../../../src/agent/logging/outlets.ts', import.meta.url));

/** What ends a process with `ending`, while its outlet is full; a FIFO takes no more, as a stopped terminal does. */
const program = (ending: string) => `
  import { constants, openSync, readSync } from 'node:fs';
  import { outletOf } from ${JSON.stringify(OUTLETS)};
  const descriptor = openSync(process.argv[1], 'r+');
  let took = false;
  outletOf(descriptor, ({ message }) => message)({ message: 'x'.repeat(200_000) }, (error) => { took = !error; });
  ${ending}`;

async function exitCodeOf(ending: string): Promise<number | null> {
  const folder = await mkdtemp(join(tmpdir(), 'outlet-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program(ending), fifo], { stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [code] = await once(child, 'exit');
  return code;
}

it('an outlet that takes no more does not keep the process from its end', { timeout: 20_000 }, async () => {
  expect(await exitCodeOf('setTimeout(() => process.exit(took ? 1 : 3), 300);')).toBe(3);
});

it('an outlet that takes more later gets all of it', { timeout: 20_000 }, async () => {
  const ending = `
    const reader = openSync(process.argv[1], constants.O_RDONLY | constants.O_NONBLOCK);
    let read = 0;
    setInterval(() => {
      try {
        read += readSync(reader, Buffer.alloc(50_000));
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
      if (took && read === 200_000) process.exit(4);
    }, 20);`;
  expect(await exitCodeOf(ending)).toBe(4);
});
