import { onTestFinished, vi } from 'vitest';
import { interpretConsole } from '../../emulators/github/workflow-commands.ts';

/** Captures the running test's standard output: `text` is all so far, `read` is what GitHub's runner makes of it. */
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
