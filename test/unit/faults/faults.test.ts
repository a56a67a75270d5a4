import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/outcome.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { ScriptedServer } from '../cloud/scripted-server.ts';
import { run, type Seen } from './cell.ts';
import { EVERY_CALL, faults } from './table.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

/** What a run that ended so must have left. */
function left({ result, deployment, ran, whole, removals }: Seen) {
  const { outcome } = result ?? {};
  if (outcome === 'succeeded') {
    return {
      ran,
      whole,
      removals,
      status: deployment.status,
      undelivered: result?.steps.map(({ cloud }) => cloud.undelivered),
      told: deployment.steps.map(({ statusHistory }) => statusHistory.map(({ status }) => status)),
    };
  }
  return { ran, removals, told: deployment.steps.map(({ status }) => status) };
}
const SUCCEEDED = {
  ran: [1, 1],
  whole: true,
  removals: [1],
  status: 'succeeded',
  undelivered: [0, 0, 0],
  told: Array(3).fill(['running', 'succeeded']),
};
const NOTHING = ['not-started', 'not-started', 'not-started'];

describe('once, at every call of a run,', () => {
  it.each(faults('').map(({ name }) => name))('%s', { timeout: 120_000 }, async (name) => {
    const elsewhere = await ScriptedServer.inOrder({ status: 200, json: {} });
    const fault = faults(elsewhere.url).find((each) => each.name === name)!;
    const seen = await Promise.all(EVERY_CALL.map(async (call) => [call, await run(call, fault, issuer)] as const));
    for (const [call, run] of seen) {
      const outcome = fault.ends?.[call] ?? 'succeeded';
      const what = `${call}: ${run.result?.message}`;
      expect.soft([call, run.result?.outcome, run.exitCode], what).toEqual([call, outcome, exitCodeOf(outcome)]);
      // After a 401 the pool's token is tried, which this Pulumi Cloud takes for no job's call.
      const odd = run.violations.filter((each) => !(name === '401' && each.includes('not a pool token')));
      expect.soft([call, odd], what).toEqual([call, []]);
      expect.soft([call, run.hits], what).toEqual([call, 1]);
      const failed = {
        ran: [0, 0],
        removals: [],
        told: call === 'definition' ? ['failed', ...NOTHING.slice(1)] : NOTHING,
      };
      expect.soft([call, left(run)], what).toEqual([call, outcome === 'succeeded' ? SUCCEEDED : failed]);
    }
    expect(elsewhere.received).toEqual([]);
  });
});
