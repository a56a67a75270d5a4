import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished, vi } from 'vitest';

const AGENT = join(import.meta.dirname, '../../../src/cli/index.ts');

/** Runs a command on a pseudo-terminal, which util-linux's `script` makes and feeds with what is typed. */
export function onTerminal(
  home: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const command = [process.execPath, AGENT, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, SHELL: '/bin/sh', TERM: 'xterm', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [raw, text, read] = ['', '', 0];
  child.stdout.on('data', (chunk: Buffer) => {
    raw += String(chunk);
    text = stripVTControlCharacters(raw);
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  /** Types `typed` once the terminal shows `prompt` (again). */
  const answer = async (prompt: string, typed: string) => {
    await vi.waitUntil(() => text.indexOf(prompt, read) >= 0, { timeout: 30_000 });
    read = text.indexOf(prompt, read) + prompt.length;
    child.stdin.write(typed);
  };
  return { answer, ended, shown: () => text, raw: () => raw };
}
