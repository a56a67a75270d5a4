import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSampled,
  parseTraceparent,
  spanIdOf,
  traceparentOf,
  tracingOf,
} from '../../../../src/record/telemetry/ids.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`;
const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));

describe('a traceparent', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.constantFrom('00', '01', '02', '03'), (traceId, parentId, flags) => {
        fc.pre(!/^0+$/.test(traceId) && !/^0+$/.test(parentId));
        const parent = { traceId, parentId, flags };
        expect(parseTraceparent(traceparentOf(parent))).toEqual(parent);
      }),
    );
  });

  it('of a later version counts, with what that appends and without its flags', () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-ff-more`)).toEqual({
      traceId: TRACE,
      parentId: SPAN,
      flags: '03',
    });
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01`)).toBeDefined();
  });

  it.each([
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `0-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0x`,
    `cc-${TRACE}-${SPAN}-01more`,
  ])('%j is none', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('of any text is refused or keeps its form', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parent = parseTraceparent(text);
        if (parent !== undefined)
          expect(traceparentOf(parent)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/);
      }),
    );
  });

  it('says by its last bit whether the trace is recorded', () => {
    expect(['00', '01', '02', '03'].map((flags) => isSampled({ flags }))).toEqual([false, true, false, true]);
  });
});

describe('the ID of a span', () => {
  it('is 16 digits of the hash of its job and its own name', () => {
    expect(spanIdOf('job-1')).toBe(sha('job-1').slice(0, 16));
    expect(spanIdOf('job-1', 2)).toBe(sha('job-1/2').slice(0, 16));
    expect(spanIdOf('job-1', 'wait')).toBe(sha('job-1/wait').slice(0, 16));
  });
});

describe('the trace of a run', () => {
  const github = {
    GITHUB_RUN_ID: '123',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/infra',
    GITHUB_SHA: 'c0ffee',
  };
  const source = { repository: 'https://github.com/acme/infra', revision: 'c0ffee' };
  const single = { singleRun: true, isOn: true };
  const lasting = { singleRun: false, isOn: true };

  it('is that of the environment', () => {
    const { traceOf } = tracingOf({ TRACEPARENT, TRACESTATE: 'a=1', ...github }, single);
    expect(traceOf('dep-1')).toEqual({
      traceId: TRACE,
      parentId: SPAN,
      flags: '01',
      state: 'a=1',
      ...source,
    });
  });

  it('is on GitHub that of the githubreceiver, without a parent', () => {
    const { traceOf } = tracingOf({ TRACEPARENT: 'bad', TRACESTATE: 'a=1', ...github }, single);
    expect(traceOf()).toEqual({ traceId: sha('1232t').slice(0, 32), flags: '01', ...source });
  });

  it('is elsewhere, and for each job of a lasting agent, that of the deployment', () => {
    const traceId = sha('dep-1').slice(0, 32);
    expect(tracingOf({}, single).traceOf('dep-1')).toEqual({ traceId, flags: '01' });
    expect(tracingOf({ TRACEPARENT, TRACESTATE: 'a=1', ...github }, lasting).traceOf('dep-1')).toEqual({
      traceId,
      flags: '01',
      ...source,
    });
    expect(tracingOf({}, single).traceOf()).toEqual({ flags: '01' });
  });

  it('reaches a step as its span, with the state that came with it', () => {
    const { traceOf, variablesOf } = tracingOf({ TRACEPARENT, TRACESTATE: 'a=1' }, single);
    expect(variablesOf?.(traceOf(), 'job-1', 2)).toEqual({
      TRACEPARENT: `00-${TRACE}-${sha('job-1/2').slice(0, 16)}-01`,
      TRACESTATE: 'a=1',
    });
  });

  it('passes an unrecorded trace on as it came', () => {
    const unrecorded = `00-${TRACE}-${SPAN}-00`;
    const { traceOf, variablesOf } = tracingOf({ TRACEPARENT: unrecorded }, single);
    expect(traceOf('dep-1').flags).toBe('00');
    expect(variablesOf?.(traceOf('dep-1'), 'job-1', 2)).toEqual({ TRACEPARENT: unrecorded });
  });

  it('reaches no step while tracing is off', () => {
    expect(tracingOf({ TRACEPARENT }, { singleRun: true, isOn: false }).variablesOf).toBeUndefined();
  });
});
