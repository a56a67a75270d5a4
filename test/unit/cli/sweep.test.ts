import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Owner } from '../../../src/base/owner.ts';
import { ORPHAN_GRACE_MS, ownOwner } from '../../../src/base/owner.ts';
import { sweepAfter, tracesOf } from '../../../src/cli/sweep.ts';
import type { Selection, SweepOptions } from '../../../src/executor/executor.ts';
import { RunRecord } from '../../../src/record/run-record.ts';
import { folder } from '../../support/agent/claimed-run.ts';
import { ProcessExecutor } from '../../support/job/process-executor.ts';

/** An executor that records what it was asked to sweep, and how patiently. */
class SweptExecutor extends ProcessExecutor {
  readonly asked: [labels: Selection, patience: number | string | undefined][] = [];
  override sweep(labels?: Selection, _?: AbortSignal, how?: SweepOptions): Promise<string[]> {
    const { graceMs, skipGrace } = how ?? {};
    this.skips.push(skipGrace);
    this.asked.push([labels ?? {}, skipGrace === undefined ? graceMs : `${graceMs} at most`]);
    return Promise.resolve(how?.only === undefined ? ['removed container c'] : ['removed an orphan']);
  }
  readonly skips: (AbortSignal | undefined)[] = [];
}

/** An owner that has ended: pids are reused, but this process started later. */
const GONE = { ...ownOwner(), started: '1' };
const ORPHANS = [{ 'pulumi-runner.owner-space': undefined }, `${ORPHAN_GRACE_MS} at most`];

async function run(owner: Owner, ...lines: string[]) {
  const directory = await folder();
  const record = new RunRecord({ version: '1', owner, now: () => 0, redact: (text) => text });
  record.open(directory);
  record.event({ type: 'agent-started', version: '1', owner });
  for (const line of lines) await appendFile(join(directory, 'events.ndjson'), line);
  return { directory, target: new SweptExecutor({ root: directory }) };
}

const sweepOf = async (directory: string, target: SweptExecutor, graceMs: number) =>
  sweepAfter((await tracesOf(directory)).owner, target, graceMs);

describe('a sweep', () => {
  it.each([[['{"t":"cut']], [['{"cut\n', '{"t":"…","type":"of-a-later-version"}\n']]])(
    'removes what has the labels of the run’s owner after its grace period, and other orphans (%j)',
    async (lines) => {
      const { directory, target } = await run(GONE, ...lines);
      expect(await sweepOf(directory, target, 7_000)).toEqual(['removed container c', 'removed an orphan']);
      const labels = {
        'pulumi-runner.owner-host': GONE.host,
        'pulumi-runner.owner-pid': String(GONE.pid),
        'pulumi-runner.owner-started': '1',
        'pulumi-runner.owner-space': GONE.space,
      };
      expect(target.asked).toEqual([[labels, 7_000], ORPHANS]);
    },
  );

  it('waits only once: other orphans that still run by then are left to end by themselves', async () => {
    const { directory, target } = await run(GONE);
    await sweepOf(directory, target, 50);
    const [, skipGrace = expect.fail('no skipGrace')] = target.skips;
    await expect.poll(() => skipGrace.aborted, { timeout: 10_000 }).toBe(true);
  });

  it('removes nothing of a run whose agent is alive', async () => {
    const { directory, target } = await run(ownOwner());
    expect(await sweepOf(directory, target, 0)).toEqual(['removed an orphan']);
    expect(target.asked).toEqual([ORPHANS]);
  });

  it('removes nothing by a record that does not say where its agent was', async () => {
    const { space: _, ...owner } = GONE;
    const { directory, target } = await run(owner);
    await sweepOf(directory, target, 0);
    expect(target.asked).toEqual([ORPHANS]);
  });

  it('removes nothing of a run whose agent never started', async () => {
    const directory = await folder();
    const target = new SweptExecutor({ root: directory });
    await sweepOf(directory, target, 0);
    await appendFile(join(directory, 'events.ndjson'), '{"t":"…","type":"agent-started"');
    await sweepOf(directory, target, 0);
    expect(target.asked).toEqual([ORPHANS, ORPHANS]);
  });
});
