import { Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { OutcomeError } from '../../../src/base/outcome.ts';
import { checkLine } from '../../../src/cli/doctor/doctor.ts';
import { Examination } from '../../../src/cli/doctor/examination.ts';
import type { DoctorCheck } from '../../../src/record/doctor-report.ts';

const spec = { outcome: 'target-error', deadlineMs: 10_000 } as const;
const examination = (signal = new AbortController().signal) =>
  new Examination(
    signal,
    (text) => text.replaceAll('secret', '***'),
    () => undefined,
  );
const passed = <T>(value: T) => ({ status: 'passed', detail: 'fine', value }) as const;

describe('an examination', () => {
  it('passes values on, skips what depends on a failure, and names the first failure', async () => {
    const its = examination();
    const a = await its.check({ ...spec, id: 'a', title: 'First' }, [], () => {
      throw new OutcomeError('auth-error', 'a secret went wrong.\n  more', { code: 'PRA-AUTH-05' });
    });
    const b = await its.check({ ...spec, id: 'b', title: 'B' }, [a], () => passed(1));
    const unknown = { status: 'unknown', detail: '', value: 3 } as const;
    const c = await its.check<number>({ ...spec, id: 'c', title: 'C' }, [], () => unknown);
    await its.check({ ...spec, id: 'd', title: 'D' }, [c, b], () => passed(1));
    const e = await its.check({ ...spec, id: 'e', title: 'E' }, [c], (_, value) => passed(value + 1));
    expect(e).toEqual({ value: 4 });
    expect(its.reports.map(({ status, detail, outcome, code }) => [status, detail, outcome, code])).toEqual([
      ['failed', 'a *** went wrong. | more', 'auth-error', 'PRA-AUTH-05'],
      ['skipped', 'skipped: "First" failed', undefined, undefined],
      ['unknown', '', undefined, undefined],
      ['skipped', 'skipped: "First" failed', undefined, undefined],
      ['passed', 'fine', undefined, undefined],
    ]);
  });

  it('gives up on a check at its deadline, even if that is ignored, but waits for its clean-up at the end', async () => {
    const its = examination();
    const cleaned = Promise.withResolvers<void>();
    let aborted = false;
    await its.check({ ...spec, deadlineMs: 30, id: 'a', title: 'A' }, [], async (signal) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await cleaned.promise;
      throw new Error('too late');
    });
    const detail = 'Gave up after 0.03 s without a result. Perhaps the other side is overloaded.';
    expect(its.reports).toEqual([
      expect.objectContaining({ status: 'failed', outcome: 'target-error', detail }),
    ]);
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
});

describe('the table', () => {
  const check = (status: DoctorCheck['status'], detail = 'what was seen'): DoctorCheck => {
    return { id: 'x', title: 'Title', status, detail, seconds: 0 };
  };

  it('has a sign for each status, coloured only on a terminal', () => {
    const terminal = Object.assign(new Writable(), { isTTY: true });
    vi.stubEnv('NO_COLOR', undefined).stubEnv('FORCE_COLOR', undefined);
    expect(checkLine(check('passed'), new Writable())).toBe('✔ Title                what was seen\n');
    expect(checkLine(check('failed'), terminal)).toBe(
      '\u001b[31m✘\u001b[39m Title                what was seen\n',
    );
    vi.unstubAllEnvs();
  });

  it('strips control sequences from outside text', () => {
    expect(checkLine(check('failed', 'CN=\u001b]0;title\u0007evil\u001b[2J\r\n'), new Writable())).toMatch(
      / CN=evil\n$/,
    );
  });

  it.each([
    ['##vso[task.setvariable variable=PATH]/evil', '# #vso['],
    ["##teamcity[setParameter name='env.PATH' value='/evil']", '# #teamcity['],
    ['##[add-mask]a', '# #['],
  ])('makes no message to a CI system of a server’s answer: %s', (answer, shown) => {
    const line = checkLine({ ...check('failed'), detail: `the proxy said ${answer}` }, new Writable());
    expect(line).toContain(`the proxy said ${shown}`);
    expect(line).not.toContain('##');
  });
});
