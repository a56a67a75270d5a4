import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodeOf, type Outcome } from '../../../src/outcome.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { ScriptedServer } from '../cloud/scripted-server.ts';
import { run, type Seen } from './cell.ts';
import { type Ends, pageWith, RELIABILITY_PAGE } from './page.ts';
import { type Call, EVERY_CALL, endForGood, type Fault, faults, LASTING } from './table.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const ONCE = faults('').map(({ name }) => name);
/** How runs ended, by fault and call. */
const ends: { readonly once: Ends; readonly always: Ends } = { once: new Map(), always: new Map() };

/** One row of the table: the fault at every call, each in a run of its own, side by side. */
async function row(how: 'once' | 'always', name: string, expected: (fault: Fault, call: Call) => Outcome) {
  const elsewhere = await ScriptedServer.inOrder({ status: 200, json: {} });
  const fault = faults(elsewhere.url).find((each) => each.name === name)!;
  const cells = await Promise.all(
    EVERY_CALL.map(async (call) => {
      const end = expected(fault, call);
      return { call, end, seen: await run(call, fault, issuer, how, end) };
    }),
  );
  ends[how].set(name, new Map(cells.map(({ call, seen }) => [call, seen.result?.outcome])));
  for (const { call, end, seen } of cells) {
    const outcome = [name, call, seen.result?.outcome, seen.exitCode];
    expect.soft(outcome, seen.result?.message).toEqual([name, call, end, exitCodeOf(end)]);
    if (end !== 'succeeded' && end !== 'no-work') expect.soft(seen.result?.message).toMatch(/^Failed to .*\./);
    expect.soft([call, seen.removals]).toEqual([call, seen.removals.map(() => 1)]);
    expect.soft([call, ...seen.ran.map((times) => times <= 1)]).toEqual([call, true, true]);
  }
  // Neither a token nor a line was sent there.
  expect(elsewhere.received).toEqual([]);
  return cells;
}

/** What Pulumi Cloud must have of a run whose every step succeeded. */
const EVERYTHING = {
  ran: [1, 1],
  whole: true,
  status: 'succeeded',
  undelivered: [0, 0, 0],
  told: Array(3).fill(['running', 'succeeded']),
};
function had({ result, deployment, ran, whole }: Seen) {
  return {
    ran,
    whole,
    status: deployment.status,
    undelivered: result?.steps.map(({ cloud }) => cloud.undelivered),
    told: deployment.steps.map(({ statusHistory }) => statusHistory.map(({ status }) => status)),
  };
}

describe('once, at every call of a run,', () => {
  it.each(ONCE)('%s', { timeout: 120_000 }, async (name) => {
    for (const { call, end, seen } of await row('once', name, (fault, at) => fault.ends?.[at] ?? 'succeeded')) {
      expect.soft([call, seen.hits]).toEqual([call, 1]);
      // After a 401 the pool's token is tried, which this Pulumi Cloud takes for no job's call.
      const odd = seen.violations.filter((each) => !(name === '401' && each.includes('not a pool token')));
      expect.soft([call, odd]).toEqual([call, []]);
      if (end === 'succeeded') {
        expect.soft([call, had(seen)]).toEqual([call, EVERYTHING]);
      } else {
        const [setup, ...others] = seen.deployment.steps.map(({ status }) => status);
        expect.soft([call, seen.ran, setup]).toEqual([call, [0, 0], call === 'definition' ? 'failed' : 'not-started']);
        expect.soft(others).toEqual(['not-started', 'not-started']);
      }
    }
  });
});

describe('for good, at every call of a run,', () => {
  it.each(LASTING)('%s', { timeout: 120_000 }, async (name, failure) => {
    for (const { call, end, seen } of await row('always', name, (_, at) => endForGood(failure, at))) {
      const { steps = [], notices = [] } = seen.result ?? {};
      // Every line is in Pulumi Cloud, or counted.
      for (const { lines, cloud } of steps) expect.soft([call, cloud.sent + cloud.undelivered]).toEqual([call, lines]);
      if (end !== 'succeeded') continue;
      expect.soft([call, seen.ran, steps.map(({ lines }) => lines)]).toEqual([call, [1, 1], [2, 250, 130]]);
      const isStatus = call.endsWith('status');
      const isReport = isStatus || call.endsWith('lines');
      if (failure === 'odd' || !isReport) expect.soft([call, had(seen)]).toEqual([call, EVERYTHING]);
      else
        expect.soft([call, notices.join('\n')]).toEqual([call, expect.stringMatching(/log lines .* in the artifact/)]);
      if (failure !== 'odd' && isStatus)
        expect.soft(notices).toContainEqual(expect.stringMatching(/^Pulumi Cloud could not be told how the job ended/));
    }
  });
});

describe('the page on reliability', () => {
  it('says what was seen', async () => {
    await expect(await pageWith(ends)).toMatchFileSnapshot(RELIABILITY_PAGE);
  });
});
