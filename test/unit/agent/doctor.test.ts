import { describe, expect, it } from 'vitest';
import { checkLine } from '../../../src/agent/doctor/doctor.ts';
import { Examination } from '../../../src/agent/doctor/examination.ts';
import { OutcomeError } from '../../../src/outcome.ts';
import { span } from '../../../src/quantity.ts';
import { type CheckStatus, countChecks, type DoctorCheck } from '../../../src/record/doctor-report.ts';

const spec = { outcome: 'target-error', deadlineMs: 10_000 } as const;
const examination = (signal = new AbortController().signal) =>
  new Examination(signal, (text) => text.replaceAll('secret', '***'));
const passed = <T>(value: T) => ({ status: 'passed', detail: 'fine', value }) as const;

async function all(from: Examination): Promise<DoctorCheck[]> {
  const reports: DoctorCheck[] = [];
  for await (const report of from.reports()) reports.push(report);
  return reports;
}

describe('an examination', () => {
  it('hands values on, and reports in the order of the checks, whichever ends first', async () => {
    const its = examination();
    const late = Promise.withResolvers<void>();
    const a = its.check({ ...spec, id: 'a', title: 'A' }, [], async () => {
      await late.promise;
      return passed(20);
    });
    const b = its.check({ ...spec, id: 'b', title: 'B' }, [], () => passed(1));
    its.check({ ...spec, id: 'c', title: 'C' }, [a, b], (_, first, second) => passed(first + second));
    await b.ended;
    late.resolve();
    expect((await all(its)).map(({ id, status }) => `${id} ${status}`)).toEqual(['a passed', 'b passed', 'c passed']);
  });

  it('skips what builds on a failure, and names the first of them', async () => {
    const its = examination();
    const a = its.check({ ...spec, id: 'a', title: 'First' }, [], () => {
      throw new OutcomeError('auth-error', 'a secret went wrong.\n  more');
    });
    const b = its.check({ ...spec, id: 'b', title: 'B' }, [a], () => passed(1));
    const c = its.check({ ...spec, id: 'c', title: 'C' }, [], () => ({ status: 'unknown', detail: '', value: 3 }));
    its.check({ ...spec, id: 'd', title: 'D' }, [c, b], () => passed(1));
    its.check({ ...spec, id: 'e', title: 'E' }, [c], (_, value) => passed(value));
    expect((await all(its)).map(({ status, detail, outcome }) => [status, detail, outcome])).toEqual([
      ['failed', 'a *** went wrong. | more', 'auth-error'],
      ['skipped', 'skipped: "First" failed', undefined],
      ['unknown', '', undefined],
      ['skipped', 'skipped: "First" failed', undefined],
      ['passed', 'fine', undefined],
    ]);
  });

  it('waits for nobody longer than the deadline, even who ignores it, but for the clean-up at the end', async () => {
    const its = examination();
    const cleaned = Promise.withResolvers<void>();
    let aborted = false;
    its.check({ ...spec, deadlineMs: 30, id: 'a', title: 'A' }, [], async (signal) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await cleaned.promise;
      throw new Error('nobody hears this');
    });
    const [report] = await all(its);
    expect(report).toMatchObject({ status: 'failed', outcome: 'target-error' });
    expect(report?.detail).toBe('It took longer than 0.03 s, so it was given up. Whatever it asked may be overloaded.');
    expect(aborted).toBe(true);
    let over = false;
    const settled = its.settled(60_000).then(() => {
      over = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).toBe(false);
    cleaned.resolve();
    await settled;
  });

  it('ends at once when it is interrupted, and begins nothing more', async () => {
    const stop = new AbortController();
    const its = examination(stop.signal);
    const a = its.check({ ...spec, id: 'a', title: 'A' }, [], () => new Promise<never>(() => undefined));
    its.check({ ...spec, id: 'b', title: 'B' }, [a], () => passed(1));
    stop.abort();
    expect((await all(its)).map(({ status, outcome }) => [status, outcome])).toEqual([
      ['failed', 'interrupted'],
      ['skipped', undefined],
    ]);
    await its.settled(1);
  });
});

describe('the table', () => {
  const check = (status: CheckStatus, detail = 'what was seen') => ({
    id: 'x',
    title: 'Title',
    status,
    detail,
    seconds: 0,
  });

  it.each([
    ['passed', '✔'],
    ['warning', '!'],
    ['failed', '✘'],
    ['unknown', '?'],
    ['skipped', '–'],
  ] as const)('has a sign for %s, coloured on a terminal alone', (status, sign) => {
    expect(checkLine(check(status), 8, false)).toBe(`${sign} Title     what was seen\n`);
    expect(checkLine(check(status), 8, true)).toMatch(
      new RegExp(`^\u001b\\[\\d+m\\${sign}\u001b\\[0m Title     what was seen\n$`),
    );
  });

  it('lets no text from outside act on a terminal', () => {
    expect(checkLine(check('failed', 'CN=\u001b]0;title\u0007evil\u001b[2J\r\n'), 5, true)).toMatch(
      / Title {2}CN=evil\n$/,
    );
  });

  it('counts', () => {
    expect(countChecks([check('passed'), check('passed'), check('failed'), check('skipped')])).toBe(
      '4 checks: 2 passed, 1 failed, 1 skipped.',
    );
  });
});

it.each([
  [0, '0 seconds'],
  [-1_000, '1 second'],
  [119_000, '119 seconds'],
  [300_000, '5 minutes'],
  [7_200_000, '2 hours'],
  [86_400_000 * 2, '2 days'],
])('%d ms are %s', (ms, text) => {
  expect(span(ms)).toBe(text);
});
