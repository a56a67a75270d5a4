import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunRecord } from '../../../src/agent/run-record.ts';
import { sweep } from '../../../src/agent/sweep.ts';
import { ownOwner } from '../../../src/record/owner.ts';
import { ProcessTarget } from '../job/process-target.ts';
import { folder } from './claimed-run.ts';

/** A target that tells which labels it was asked to sweep. */
class SweptTarget extends ProcessTarget {
  readonly asked: Readonly<Record<string, string>>[] = [];
  override sweep(labels?: Readonly<Record<string, string>>): Promise<string[]> {
    this.asked.push(labels ?? {});
    return Promise.resolve(['removed container c']);
  }
}

async function run(...lines: string[]) {
  const directory = await folder();
  const owner = ownOwner();
  const record = new RunRecord({ version: '1', owner, now: () => 0, redact: (text) => text });
  record.open(directory);
  record.event({ type: 'agent-started', version: '1', owner });
  for (const line of lines) await appendFile(join(directory, 'events.ndjson'), line);
  return { directory, owner, target: new SweptTarget({ root: directory }) };
}

describe('a sweep', () => {
  it.each([[[]], [['{"t":"cut']], [['{"cut\n', '{"t":"…","type":"of-a-later-version"}\n']]])(
    'removes what carries the labels of the run’s owner, and only that (%j)',
    async (lines) => {
      const { directory, owner, target } = await run(...lines);
      expect(await sweep(directory, target)).toEqual(['removed container c']);
      expect(target.asked).toEqual([
        {
          'pulumi-runner.owner-host': owner.host,
          'pulumi-runner.owner-pid': String(owner.pid),
          'pulumi-runner.owner-started': owner.started,
        },
      ]);
    },
  );

  it('removes nothing where no agent began', async () => {
    const directory = await folder();
    const target = new SweptTarget({ root: directory });
    expect(await sweep(directory, target)).toEqual([]);
    await appendFile(join(directory, 'events.ndjson'), '{"t":"…","type":"agent-started"');
    expect(await sweep(directory, target)).toEqual([]);
    expect(target.asked).toEqual([]);
  });
});
