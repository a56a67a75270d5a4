import { onTestFinished, vi } from 'vitest';

/** Holds back what the running test's timers of `ms` milliseconds do, until `ready` resolves. */
export function holdTimer(ms: number, ready: Promise<unknown>): void {
  const { setTimeout } = globalThis;
  const held = (act: (...given: unknown[]) => void, after?: number, ...given: unknown[]) =>
    setTimeout(after === ms ? () => void ready.then(() => act(...given)) : act, after, ...given);
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(held as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
}

/** Lets the running test's timers of `ms` milliseconds end at once. */
export function hurryTimer(ms: number): void {
  const { setTimeout } = globalThis;
  const hurried = (act: () => void, after?: number) => setTimeout(act, after === ms ? 0 : after);
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(hurried as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
}
