import { describe, expect, it } from 'vitest';
import {
  CLOUD_CALLS,
  CLOUD_FAILURES,
  draw,
  inWords,
  type Plan,
  SEEDS,
  STRIKES,
  STYLES,
} from '../../support/random-faults/plan.ts';

/** What of the draw's choices a plan has. */
function choices({ kind, steps, strike, faults, container, pool, clock }: Plan): string[] {
  if (pool !== undefined)
    return [`pool: ${pool.trouble} ${pool.refused ?? ''}`, ...(pool.burns ? ['pool: burns'] : [])];
  return [
    kind,
    ...(container ? ['container'] : []),
    ...(strike === undefined ? ['no strike'] : [`strike ${strike.what}`, `at ${strike.moment.name}`]),
    ...steps.map(({ style }) => style),
    ...(clock === undefined ? [] : [`clock ${clock.ms > 0 ? 'forward' : 'back'}`]),
    ...faults.flatMap((each) => [`${each.at} ${each.failure}`, ...(each.at === 'cloud' ? [each.call] : [])]),
  ];
}

const plans = Array.from({ length: 5_000 }, (_, seed) => draw(seed));

describe('the plan of a run with random faults', () => {
  it('follows from its seed alone', () => {
    expect(Array.from({ length: 50 }, (_, seed) => draw(seed))).toEqual(plans.slice(0, 50));
    expect(new Set(plans.map((plan) => JSON.stringify({ ...plan, seed: 0 }))).size).toBeGreaterThan(4_900);
  });

  it('has, over many seeds, each failure of each call, each strike at each of its moments, and each kind of step', () => {
    const faults = plans.flatMap((plan) => plan.faults);
    const ofCloud = new Set(
      faults.flatMap((each) => (each.at === 'cloud' ? [`${each.call} ${each.failure}`] : [])),
    );
    expect(ofCloud.size).toBe(CLOUD_CALLS.length * CLOUD_FAILURES.length);
    const others = new Set(
      faults.flatMap((each) => (each.at === 'cloud' ? [] : [`${each.at} ${each.failure}`])),
    );
    expect([...others].sort()).toEqual([
      'engine cut',
      'engine mute',
      'engine refused',
      'github 500',
      'github reset',
      'hook busy after',
      'hook busy before',
      'prune container before start',
      'prune network before create',
      'prune network before start',
      'stream cut',
    ]);
    const strikes = new Set(plans.flatMap(({ kind, strike }) => (strike ? [`${kind}: ${strike.what}`] : [])));
    expect(STRIKES.filter((what) => ![...strikes].some((each) => each.endsWith(`: ${what}`)))).toEqual([]);
    const moments = new Set(
      plans.flatMap(({ strike }) => (strike ? [`${strike.what} ${strike.moment.name}`] : [])),
    );
    for (const each of [
      'main removal',
      'agent last status',
      'cloud-cancel last status',
      'ci-cancel publishing',
    ])
      expect(moments).toContain(each);
    expect(new Set(plans.flatMap(({ steps }) => steps.map(({ style }) => style))).size).toBe(STYLES.length);
  });

  it('is one for a pool of agents in about one of five', () => {
    const pools = plans.filter(({ pool }) => pool !== undefined);
    expect(pools.length / plans.length).toBeCloseTo(0.2, 1);
    expect(pools.filter(({ strike, faults }) => strike !== undefined || faults.length > 0)).toEqual([]);
  });

  it('has every choice of the draw, but for combinations, in the seeds that are always played', () => {
    const played = new Set(SEEDS.flatMap((seed) => choices(draw(seed))));
    expect([...new Set(plans.flatMap(choices))].filter((each) => !played.has(each))).toEqual([]);
  });

  it('is told in one line', () => {
    for (const plan of plans.slice(0, 200))
      expect(inWords(plan)).toMatch(
        /^((action|action in a container|agent) \[.+\].*|\d agents, 30 deployments; .+)$/,
      );
  });
});
