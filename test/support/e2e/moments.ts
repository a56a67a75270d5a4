import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PhaseHandle, PhaseResult } from '../../emulators/github/phase.ts';

/** Milliseconds for a cancelled phase to end, and the most a bare Node takes to start and end on an idle machine. */
const LEAVE_MS = 2_000;
const BARE_NODE_MS = 150;

/**
 * Tells a phase to leave and expects it to be gone within 2 s. A busy machine gets longer: bare Nodes, started one
 * after the other until the phase is gone, show how busy it is. What the emulators do after the exit is not counted.
 */
export async function leavesAtOnce(phase: PhaseHandle, tell: () => unknown): Promise<PhaseResult> {
  const told = performance.now();
  const telling = tell();
  let slowest = 0;
  let gone = false;
  const watch = async () => {
    while (!gone) {
      const began = performance.now();
      const node = spawn(process.execPath, ['--eval', ''], { stdio: 'ignore' });
      await new Promise((resolve, reject) => node.once('exit', resolve).once('error', reject));
      slowest = Math.max(slowest, performance.now() - began);
    }
  };
  const leave = phase.exited.finally(() => {
    gone = true;
  });
  const [ended] = await Promise.all([leave, watch(), telling]);
  expect(ended.exitedAt - told).toBeLessThan(LEAVE_MS + 20 * Math.max(0, slowest - BARE_NODE_MS));
  return ended;
}

/** Polls for a condition that nothing announces. */
export async function until(condition: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  for (const end = performance.now() + ms; !(await condition()); await delay(5)) {
    if (performance.now() > end) throw new Error('the awaited state did not come');
  }
}
