import { onTestFinished, vi } from 'vitest';
import { interpretConsole } from '../../emulators/github/workflow-commands.ts';

/** Catches what the running test writes to standard output: `text` is all of it so far, `read` what GitHub's runner makes of that. */
export function captureStdout() {
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
