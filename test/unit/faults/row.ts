import { afterAll, beforeAll, expect } from 'vitest';
import { exitCodeOf, type Outcome } from '../../../src/outcome.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { ScriptedServer } from '../cloud/scripted-server.ts';
import { run, type Seen } from './cell.ts';
import type { Ends } from './page.ts';
import { type Call, EVERY_CALL, type Fault, faults } from './table.ts';

interface Cell {
  readonly call: Call;
  readonly end: Outcome;
  readonly seen: Seen;
}

/** A table's rows: a fault at every call, each in a run of its own, side by side. */
export class Rows {
  readonly #how: 'once' | 'always';
  #issuer: Issuer | undefined;
  /** How runs ended, by fault and call. */
  readonly ends: Ends = new Map();

  constructor(how: 'once' | 'always') {
    this.#how = how;
    beforeAll(async () => {
      this.#issuer = await startIssuer();
    });
    afterAll(() => this.#issuer?.close());
  }

  async run(name: string, expected: (fault: Fault, call: Call) => Outcome): Promise<Cell[]> {
    const elsewhere = await ScriptedServer.inOrder({ status: 200, json: {} });
    const fault = faults(elsewhere.url).find((each) => each.name === name)!;
    const cells = await Promise.all(
      EVERY_CALL.map(async (call) => {
        const end = expected(fault, call);
        return { call, end, seen: await run(call, fault, this.#issuer!, this.#how, end) };
      }),
    );
    this.ends.set(name, new Map(cells.map(({ call, seen }) => [call, seen.result?.outcome])));
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
}

/** What Pulumi Cloud must have of a run whose every step succeeded. */
export const EVERYTHING = {
  ran: [1, 1],
  whole: true,
  status: 'succeeded',
  undelivered: [0, 0, 0],
  told: Array(3).fill(['running', 'succeeded']),
};
/** What it has of one. */
export function had({ result, deployment, ran, whole }: Seen) {
  return {
    ran,
    whole,
    status: deployment.status,
    undelivered: result?.steps.map(({ cloud }) => cloud.undelivered),
    told: deployment.steps.map(({ statusHistory }) => statusHistory.map(({ status }) => status)),
  };
}
