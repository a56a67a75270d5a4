import type { Draw } from './draw.ts';

/** When something happens. `step` means once that step has printed `part` of its output. */
export type Moment =
  | { readonly name: 'first poll' | 'claim' | 'preparation' | 'last status' | 'removal' | 'publishing' }
  | { readonly name: 'step'; readonly step: number; readonly part: number };

export function drawMoment(dice: Draw, names: readonly Moment['name'][], steps: number): Moment {
  const name = dice.pick(names);
  return name === 'step' ? { name, step: dice.int(1, steps), part: dice.pick([0, 0.2, 0.7, 1]) } : { name };
}

export function momentInWords(moment: Moment): string {
  return moment.name === 'step' ? `step ${moment.step} after ${moment.part * 100} %` : moment.name;
}
