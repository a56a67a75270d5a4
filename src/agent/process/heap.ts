import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap of an agent small: its garbage is log lines, which die young, and it lives beside the job it serves. A job of 200 MB of
 * output takes 150 MB resident at most instead of 290 MB (bench/memory.ts).
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=25');
}
