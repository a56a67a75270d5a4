import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEvent, readEvents, readResult } from '../../../src/record/reader.ts';
import { reportWithout } from '../../../src/record/report/report.ts';
import { type RunEnd, RunRecord } from '../../../src/record/run-record.ts';
import { sampleStep } from '../../support/run/sample-run.ts';
import { smallDisk } from '../../support/run/small-disk.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const OWNER = { host: 'box', pid: 1, started: '2' };
const VERDICT = {
  outcome: 'succeeded',
  exitCode: 0,
  message: 'Every step of the deployment succeeded.',
} as const;
const END: RunEnd = { ...VERDICT, reported: true, waitSeconds: 0, runSeconds: 0, forwarded: [], steps: [] };

/** A run's record on a disk of its own, which `fill` fills to the last byte. */
async function onSmallDisk() {
  const disk = await temporaryDirectory();
  const fill = smallDisk(disk);
  const directory = join(disk, 'run');
  const redact = (text: string) => text.replaceAll('hunter2', '***');
  return {
    directory,
    record: new RunRecord({ version: '1.2.3', owner: OWNER, now: () => Date.now(), redact }),
    fill,
  };
}
const lines = (directory: string) =>
  readFileSync(join(directory, 'events.ndjson'), 'utf8').split('\n').slice(0, -1).map(parseEvent);

describe('on a disk that another program fills', () => {
  it('an agent that dies leaves that Pulumi Cloud has the end of its job, and how it ended', async () => {
    const { directory, record, fill } = await onSmallDisk();
    record.open(directory);
    record.event({ type: 'agent-started', version: '1.2.3', owner: OWNER });
    record.event({ type: 'claimed', deploymentId: 'd', runId: 'r', jobId: 'j', waitSeconds: 1 });
    fill();
    // Until the last block of the events is full too.
    for (let count = 0; count < 200; count += 1)
      record.event({ type: 'notice', level: 'info', message: 'x'.repeat(99) });
    record.event({ type: 'reported', ...VERDICT, message: `${'é"hunter2'.repeat(499)}.`, reported: true });
    expect(lines(directory)).not.toContainEqual(expect.objectContaining({ type: 'reported' }));
    const [message] = (await readEvents(directory)).flatMap((event) =>
      event.type === 'reported' ? event.message : [],
    );
    expect(message).toMatch(/^(?:é"\*\*\*)+$/);
    const given = { outcome: 'failed', message: '' } as const;
    const report = await reportWithout(directory, given);
    expect(report).toMatchObject({ ...VERDICT, message, reported: true, deploymentId: 'd' });
    expect(await readResult(directory)).toBeUndefined();
  });

  it('a run keeps its result, which says what is missing', async () => {
    const { directory, record, fill } = await onSmallDisk();
    record.open(directory);
    fill();
    for (let count = 0; count < 99; count += 1)
      record.event({ type: 'notice', level: 'info', message: 'x'.repeat(99) });
    record.event({ type: 'reported', ...VERDICT, reported: true });
    const steps = Array.from({ length: 100 }, (_, index) => sampleStep({ index, name: `Step ${index}` }));
    record.close({ ...END, steps });
    const said =
      /^Failed to write an event for the run: ENOSPC.* Some events are missing\. See PRA-RECORD-07/;
    expect(await readResult(directory)).toMatchObject({
      ...VERDICT,
      steps,
      notices: [expect.stringMatching(said)],
    });
  });

  it('a result beyond all measure is refused, and costs nothing of what is known', async () => {
    const { directory, record, fill } = await onSmallDisk();
    record.open(directory);
    fill();
    record.event({ type: 'reported', ...VERDICT, reported: true });
    expect(() => record.close({ ...END, message: 'x'.repeat(70_000) })).toThrow('ENOSPC');
    expect(await readResult(directory)).toBeUndefined();
    expect(await readEvents(directory)).toContainEqual(
      expect.objectContaining({ type: 'reported', reported: true }),
    );
  });

  it('no run begins that could not tell how it ended', async () => {
    const { directory, record, fill } = await onSmallDisk();
    await mkdir(directory);
    fill();
    const message = expect.stringMatching(/ENOSPC.* Set run_directory to a folder /);
    expect(() => record.open(directory)).toThrow(
      expect.objectContaining({ outcome: 'config-error', message }),
    );
  });
});
