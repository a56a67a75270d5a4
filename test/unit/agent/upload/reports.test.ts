import { getEventListeners } from 'node:events';
import { closeSync, readdirSync, readlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quiet } from '../../../support/job/driven.ts';
import { scene, watchOf } from '../../../support/job/reports-scene.ts';
import type { Fate } from '../../../support/job/strict-receiver.ts';
import { runs } from '../../../support/property-runs.ts';

const MINUTE = 60_000;
/** What a descriptor of this process is open on; empty once it is closed. */
const openFile = (descriptor: string) => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
};
const onlyLogs = (fate: Fate) => (call: string) => (call.includes('logs') ? fate : 'taken');

describe('reports', () => {
  it('send a step’s start, lines and end before the next step’s, and leave no listener', async () => {
    const { receiver, begin, settle, over } = await scene(() => 'taken');
    const [first, second] = [begin(0), begin(1)];
    await second.put('early\n');
    await first.put('a\n', 'b\n');
    const deliveries = [first.end(), second.end('failed')];
    expect(await settle()).toMatchObject({ reported: true });
    expect(receiver.calls).toEqual([
      ...['0 running', '0 logs 0+2', '0 succeeded'],
      ...['1 running', '1 logs 0+1', '1 failed'],
    ]);
    expect(await Promise.all(deliveries)).toMatchObject([
      { sent: 2, undelivered: 0, batches: 1 },
      { sent: 1, undelivered: 0 },
    ]);
    expect(getEventListeners(over.signal, 'abort')).toEqual([]);
  });

  it('send each line once and every status in order, whatever goes wrong', async () => {
    const fate = fc.constantFrom<Fate>('taken', 'not-arrived', 'answer-lost', 401, 403, 503);
    const steps = fc.array(fc.array(fc.string(), { maxLength: 300 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fate, { maxLength: 40 }), async (texts, fates) => {
        const rest = [...fates];
        const { receiver, report, settle, linesOf } = await scene(() => rest.shift() ?? 'taken');
        const lines = texts.map((step) => step.map((text) => `${text.replaceAll(/[\n\0]/g, '')}\n`));
        for (const [index, step] of lines.entries()) {
          await report(index, ...step);
        }
        expect(await settle()).toMatchObject({ reported: true });
        expect(receiver.violations).toEqual([]);
        expect(lines.map((_, index) => linesOf(index))).toEqual(lines);
      }),
      { numRuns: runs(60) },
    );
  });

  it('give up lines before the last two minutes, which are for statuses, once for the whole job', async () => {
    const { report, settle, receiver, said } = await scene(onlyLogs(403));
    const deliveries = [];
    for (const index of [0, 1, 2]) {
      deliveries.push(await report(index, 'a\n', 'b\n', 'unfinished'));
    }
    const { reported, tookMs } = await settle();
    expect(reported).toBe(true);
    expect(tookMs).toBeGreaterThan(7.5 * MINUTE);
    expect(tookMs).toBeLessThan(9 * MINUTE);
    expect(receiver.calls.filter((call) => !call.includes('logs'))).toEqual(
      [0, 1, 2].flatMap((index) => [`${index} running`, `${index} succeeded`]),
    );
    for (const delivery of deliveries)
      expect({ sent: (await delivery()).sent, undelivered: (await delivery()).undelivered }).toEqual({
        sent: 0,
        undelivered: 3,
      });
    expect(said.filter((text) => /did not reach/.test(text))).toHaveLength(3);
  });

  it('send every line even if only the time for statuses is left when Pulumi Cloud recovers', async () => {
    const { report, settle, linesOf, elapsed } = await scene(() => (elapsed() < 9 * MINUTE ? 503 : 'taken'));
    for (const index of [0, 1]) {
      await report(index, ...Array(300).fill('a line\n'));
    }
    expect(await settle()).toMatchObject({ reported: true });
    expect(linesOf(0).length).toBe(300);
    expect(linesOf(1).length).toBe(300);
  });

  it('are tried for ten minutes after the last step’s end, however long it ran', async () => {
    const { begin, settle, pass, receiver } = await scene(() => 503);
    const report = begin(0);
    await pass(60 * MINUTE);
    void report.end();
    const { reported, tookMs } = await settle();
    expect(reported).toBe(false);
    expect(tookMs).toBe(10 * MINUTE);
    expect(receiver.calls.length).toBeLessThan(400);
  });

  it('end at once when nothing waits for them any more', async () => {
    const { begin, settle, over, pass } = await scene(() => 503);
    const report = begin(0);
    await report.put('a\n');
    await pass(5_000);
    const delivery = report.end();
    over.abort();
    expect(await settle()).toEqual({ reported: false, tookMs: 0 });
    expect(await delivery).toMatchObject({ sent: 0, undelivered: 1 });
  });

  it('end after half a minute of refusals once Pulumi Cloud says that the deployment has ended', async () => {
    for (const [error, hasEnded, lastsMs] of [
      [409, true, MINUTE],
      [503, true, 10 * MINUTE],
      [409, false, 10 * MINUTE],
    ] as const) {
      const { report, settle } = await scene((call) => (call === '0 running' ? 'taken' : error), {
        watch: watchOf({ hasEnded }),
      });
      await report(0, 'a\n');
      const { reported, tookMs } = await settle();
      expect(reported).toBe(false);
      expect(tookMs).toBeLessThanOrEqual(lastsMs);
      expect(tookMs).toBeGreaterThan(lastsMs / 2.5);
    }
  });

  describe('of a success whose answer was lost and whose repeats are refused', () => {
    /** Reports one step; `fates` meet its last status, the last of them over and over. */
    const reportedAfter = async (
      fates: readonly Fate[],
      watch: Parameters<typeof watchOf>[0] = {},
      end?: 'failed',
    ) => {
      const rest = [...fates];
      const looks = { count: 0 };
      const success = () => async () => {
        looks.count += 1;
        return true;
      };
      const { begin, settle, said } = await scene(
        (call) => (call === '0 running' ? 'taken' : rest.length > 1 ? rest.shift()! : rest[0]!),
        { watch: watchOf({ success, ...watch }) },
      );
      void begin(0).end(end);
      return { ...(await settle()), said, looks: looks.count };
    };

    it.each([401, 403, 404, 409, 410, 500])(
      '(%i) are enough once Pulumi Cloud shows a success',
      async (refusal) => {
        const { reported, tookMs, said } = await reportedAfter(['answer-lost', refusal]);
        expect(reported).toBe(true);
        expect(tookMs).toBeLessThan(5_000);
        expect(said.at(-1)).toBe(
          'Pulumi Cloud shows a success: it had already accepted the status succeeded of step 0.',
        );
      },
    );

    it('are enough even if the first was refused too: the answer to what a proxy repeated', async () => {
      expect(await reportedAfter([404])).toMatchObject({ reported: true });
    });

    it.each<[string, readonly Fate[], Parameters<typeof watchOf>[0]]>([
      ['it shows none', ['answer-lost', 404], { success: () => async () => false }],
    ])('are not enough if %s', async (_, fates, watch) => {
      expect(await reportedAfter(fates, watch)).toMatchObject({ reported: false, tookMs: 10 * MINUTE });
    });

    it('need no look while there is no answer, or for a failure', async () => {
      expect(await reportedAfter(['answer-lost', 503, 'not-arrived', 'taken'])).toMatchObject({
        reported: true,
        looks: 0,
      });
      expect(await reportedAfter(['answer-lost', 404], {}, 'failed')).toMatchObject({
        reported: false,
        looks: 0,
      });
    });
  });

  it('skip a status that is refused for a minute while heartbeats pass, unless it is the last', async () => {
    const { begin, settle, receiver, said, elapsed } = await scene((call) =>
      call.startsWith('0') ? 409 : call === '1 succeeded' && elapsed() < 5 * MINUTE ? 409 : 'taken',
    );
    void begin(0).end();
    void begin(1).end();
    expect(await settle()).toMatchObject({ reported: true });
    expect(receiver.calls).toEqual(expect.arrayContaining(['1 running', '1 succeeded']));
    expect(said.filter((text) => /did not accept the status \w+ of step 0/.test(text))).toHaveLength(2);
  });

  it('skip no status while heartbeats are refused too, or while the service is unavailable', async () => {
    for (const [error, heartbeats] of [
      [409, false],
      [503, true],
    ] as const) {
      const { begin, settle, receiver } = await scene((call) => (call === '0 running' ? error : 'taken'), {
        heartbeatSince: () => heartbeats,
      });
      void begin(0).end();
      expect(await settle()).toMatchObject({ reported: false });
      expect(new Set(receiver.calls)).toEqual(new Set(['0 running']));
    }
  });

  it('that did not arrive are said to be in the artifact only if they are', async () => {
    const { begin, settle, said } = await scene(onlyLogs(503));
    for (const [index, name] of ['no/folder.log', 'made.log'].entries()) {
      const report = begin(index, name);
      await report.put('a line\n');
      void report.end();
    }
    await settle();
    expect(said.filter((text) => text.includes('did not reach'))).toEqual([
      '1 log line of step 0 did not reach Pulumi Cloud; the artifact lacks some of them too.',
      '1 log line of step 1 did not reach Pulumi Cloud; they are in the artifact.',
    ]);
  });

  it('go on when a step’s file can’t be closed, which is said once', async () => {
    const { begin, settle, pass, linesOf, said } = await scene(() => 'taken');
    const [first, second] = [begin(0, 'closed-by-force.log'), begin(1)];
    await first.put('a\n');
    await first.file.end(0);
    await pass(5_000);
    const descriptor = readdirSync('/proc/self/fd').find((each) =>
      openFile(each).endsWith('closed-by-force.log'),
    );
    closeSync(Number(descriptor));
    await second.put('b\n');
    void first.end();
    void second.end();
    expect(await settle()).toMatchObject({ reported: true });
    expect(linesOf(0)).toEqual(['a\n']);
    expect(linesOf(1)).toEqual(['b\n']);
    expect(said).toEqual([
      expect.stringMatching(/^Failed to close the step log .*closed-by-force\.log: EBADF/),
    ]);
  });

  it('carry each line’s own time', async () => {
    const { begin, settle, pass, receiver } = await scene(() => 503);
    const report = begin(0);
    const times: string[] = [];
    receiver.onLines = (lines) => times.push(...lines.map(({ t }) => t));
    await report.put('a\n');
    await quiet();
    await pass(60_000);
    receiver.fate = () => 'taken';
    await report.put('b\n');
    void report.end();
    await settle();
    expect(times.map((time) => time.slice(11))).toEqual(['10:00:00.000Z', '10:01:00.000Z']);
  });
});
