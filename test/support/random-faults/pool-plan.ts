import type { Draw } from './draw.ts';

/** What one of several agents of a pool meets. */
export const TROUBLES = [
  'half engine',
  'failing hook',
  'busy before',
  'busy after',
  'unreadable answer',
  'lost polls',
] as const;

/** The call that an engine refuses which answers all others. */
export const REFUSED = {
  create: /^POST \S*\/containers\/create/,
  start: /^POST \S*\/containers\/[\w-]+\/start/,
  network: /^POST \S*\/networks\/create/,
} as const;

/** Several lasting agents before one full queue. */
export interface PoolPlan {
  readonly agents: number;
  readonly deployments: number;
  readonly trouble: (typeof TROUBLES)[number];
  /** Of a half engine. */
  readonly refused: keyof typeof REFUSED | undefined;
  /** The half engine lasts until a deployment is burnt, and then for `ms`: shorter, it may pass while one is prepared again. */
  readonly burns: boolean;
  /** Milliseconds that an engine or a hook is broken, once an agent has met it. */
  readonly ms: number;
  /** How many polls' answers are lost, after how many. */
  readonly times: number;
  readonly skip: number;
}

/** Draws a pool for one seed in five. */
export function drawPool(dice: Draw): PoolPlan | undefined {
  if (!dice.chance(0.2)) return undefined;
  const trouble = dice.pick(TROUBLES);
  const isHalf = trouble === 'half engine';
  return {
    agents: dice.int(2, 3),
    deployments: 30,
    trouble,
    refused: isHalf ? dice.pick(['create', 'start', 'network']) : undefined,
    burns: isHalf && dice.chance(0.7),
    ms: dice.int(5, 60) * 100,
    times: trouble === 'unreadable answer' ? 1 : dice.int(1, 3),
    skip: dice.int(0, 5),
  };
}

/** In words: what of the plan its trouble uses. */
export function poolInWords({
  agents,
  deployments,
  trouble,
  refused,
  burns,
  ms,
  times,
  skip,
}: PoolPlan): string {
  const what = refused === undefined ? trouble : `${trouble} refuses ${refused}`;
  const isOfPolls = trouble === 'unreadable answer' || trouble === 'lost polls';
  const extent = isOfPolls
    ? `×${times} after ${skip}`
    : `for ${ms} ms${burns ? ' after it has burnt one' : ''}`;
  return `${agents} agents, ${deployments} deployments; ${what} ${extent}`;
}
