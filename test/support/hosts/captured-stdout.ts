import { onTestFinished, vi } from 'vitest';
import { type ConsoleReading, interpretConsole } from '../../emulators/github/workflow-commands.ts';

export interface CapturedStdout {
  /** Everything written so far. */
  text(): string;
  /** What GitHub's runner makes of it. */
  read(): ConsoleReading;
}

/** Catches what the running test writes to standard output. */
export function captureStdout(): CapturedStdout {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...rest) => {
    written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    for (const argument of rest) if (typeof argument === 'function') argument();
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  const text = () => written.join('');
  return { text, read: () => interpretConsole(text()) };
}
