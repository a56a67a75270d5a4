import { Draw } from './draw.ts';
import { drawMoment, type Moment, momentInWords } from './moment.ts';

/** The wall clock of all programs on the machine is set at a moment, by so many milliseconds. */
export interface ClockStep {
  readonly ms: number;
  readonly moment: Moment;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Around the times at which something ends: a lease, a token, a cancelled CI job, a record. */
const STEPS = [3 * MINUTE, 9 * MINUTE, 3 * 60 * MINUTE, 30 * DAY, -3 * MINUTE, -60 * MINUTE] as const;

/** Keeps its numbers apart from the plan's, so that the plan of a seed stays as it was. */
const APART = 0x5eed_c10c;

/** Draws a step of the clock for about one seed in seven; `count` is the number of the job's steps. */
export function drawClockStep(seed: number, count: number): ClockStep | undefined {
  const dice = new Draw(seed ^ APART);
  if (!dice.chance(0.15)) return undefined;
  const names = ['first poll', 'claim', 'preparation', 'step', 'step', 'last status', 'removal'] as const;
  return { ms: dice.pick(STEPS), moment: drawMoment(dice, names, count) };
}

/** In words; empty without one. */
export function clockStepInWords(step: ClockStep | undefined): string[] {
  if (step === undefined) return [];
  const by = `${Math.abs(step.ms) / MINUTE} min ${step.ms > 0 ? 'forward' : 'back'}`;
  return [`clock ${by} at ${momentInWords(step.moment)}`];
}
