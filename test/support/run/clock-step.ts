import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The variables with which Node.js programs have a wall clock that is off by the milliseconds that
 * the file `clock-step` in a folder says, and reads again as it changes; zero while there is none.
 * Their steady clock goes on.
 */
export function steppingClock(folder: string): Record<string, string> {
  const file = JSON.stringify(join(folder, 'clock-step'));
  const source = `
    import { readFileSync } from 'node:fs';
    const now = Date.now;
    Date.now = () => {
      let step = 0;
      try { step = Number(readFileSync(${file}, 'utf8')); } catch {}
      return now() + step;
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}

/** Sets the clock of the programs that `steppingClock` started: `ms` milliseconds from the right time. */
export function stepClock(folder: string, ms: number): void {
  writeFileSync(join(folder, 'clock-step'), String(ms));
}
