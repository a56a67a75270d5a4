import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Draw } from './draw.ts';

/** Which hook can't be started: somebody holds its program open for writing (ETXTBSY). */
export const BUSY_HOOKS = ['busy before', 'busy after'] as const;
export type BusyHook = (typeof BUSY_HOOKS)[number];
export interface HookFault {
  readonly at: 'hook';
  readonly failure: BusyHook;
}

/** Draws a hook that can't be started for about one run in eight. */
export function drawHookFault(dice: Draw): HookFault[] {
  return dice.chance(0.12) ? [{ at: 'hook', failure: dice.pick(BUSY_HOOKS) }] : [];
}

/** A hook in `directory`: the agent's variable that names it. */
export function hookVariable(which: BusyHook | 'failing hook', directory: string): Record<string, string> {
  const [when, program] = which === 'busy after' ? ['AFTER', 'after'] : ['BEFORE', 'before'];
  return { [`PULUMI_AGENT_HOOK_${when}_JOB`]: join(directory, program) };
}

/** Makes that hook, and holds it open for writing. Returns what lets go of it. */
export function holdHook(which: BusyHook, directory: string): () => void {
  const [program = ''] = Object.values(hookVariable(which, directory));
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const held = openSync(program, 'r+');
  let isHeld = true;
  return () => {
    if (isHeld) closeSync(held);
    isHeld = false;
  };
}
