import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { parseEvent, readResult } from '../../../src/record/reader.ts';
import { RecordWriter, stepLogPath } from '../../../src/record/writer.ts';
import { sampleResult, sampleStep } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const NOW = Date.parse('2026-06-18T10:00:00.123Z');
const OWNER = { host: 'box', pid: 4711, started: '123456' };
const STEP = sampleStep({ name: 'Setup', reason: 'why', log: 'steps/00-setup.log' });
const RESULT = sampleResult({
  ...{ outcome: 'failed', exitCode: 1, message: 'Failed to run step 1.', owner: OWNER, steps: [STEP] },
  ...{ serviceUrl: 'https://api.pulumi.com', consoleUrl: 'https://app.pulumi.com/acme/deployments' },
  ...{ image: 'pulumi/pulumi', imageDigest: 'pulumi/pulumi@sha256:0', claimedAt: '2026-06-18T10:00:01.000Z' },
  ...{ forwarded: ['REGION'], notices: ['a notice'] },
});

describe('a run directory', () => {
  let directory: string;
  let redactor: Redactor;

  beforeEach(async () => {
    directory = join(await temporaryDirectory(), 'deep', 'run');
    redactor = new Redactor();
  });

  const writer = () => new RecordWriter({ directory, now: () => NOW, redact: (text) => redactor.text(text) });
  const lines = async (file: string) => (await readFile(join(directory, file), 'utf8')).split('\n');

  it('is created with all its folders, and nobody else can read it', async () => {
    writer().close();
    expect((await readdir(directory)).sort()).toEqual([
      'events.ndjson',
      'health.ndjson',
      'run.json.part',
      'steps',
    ]);
    const modeOf = async (name: string) => (await stat(join(directory, name))).mode & 0o777;
    const names = ['steps', 'events.ndjson', 'health.ndjson', 'run.json.part'];
    expect(await Promise.all(names.map(modeOf))).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it('holds each event on a line of its own, with its time, as soon as it is recorded', async () => {
    const record = writer();
    const notice = { type: 'notice', level: 'info', message: 'two\nlines "quoted" \u2028 ü' } as const;
    const waiting = { type: 'waiting', polls: 3, nextPollSeconds: 9.5 } as const;
    for (const event of [notice, waiting]) record.event(event);
    const [first = '', second = '', rest] = await lines('events.ndjson');
    const t = '2026-06-18T10:00:00.123Z';
    expect(parseEvent(first)).toEqual({ t, ...notice });
    expect(parseEvent(second)).toEqual({ t, ...waiting });
    expect(rest).toBe('');
    record.close();
  });

  it('holds the result as it was given, and no half-written file beside it', async () => {
    const record = writer();
    expect(await readResult(directory)).toBeUndefined();
    record.result(RESULT);
    record.close();
    expect(await readResult(directory)).toEqual(RESULT);
    expect(await readdir(directory)).not.toContain('run.json.part');
    expect((await stat(join(directory, 'run.json'))).mode & 0o777).toBe(0o600);
  });

  it('hides secrets before encoding, as escapes would disguise them', async () => {
    const secret = 'line one\n"quoted"\tand\\more';
    redactor.add([secret]);
    const record = writer();
    record.event({ type: 'notice', level: 'warning', message: `it is ${secret}!` });
    const steps = [{ ...STEP, name: secret, reason: secret }];
    record.result({ ...RESULT, message: `it is ${secret}`, notices: [secret], steps });
    record.close();
    expect(parseEvent((await lines('events.ndjson'))[0] ?? '')).toMatchObject({ message: 'it is ***!' });
    expect(await readResult(directory)).toMatchObject({
      message: 'it is ***',
      notices: ['***'],
      steps: [{ name: '***', reason: '***' }],
    });
    for (const file of ['events.ndjson', 'run.json']) {
      expect(await readFile(join(directory, file), 'utf8')).not.toMatch(/quoted|line one/);
    }
  });

  it('says in full where its agent is, even if part of that is a secret', async () => {
    const space = 'machine-1/3f1c-boot/pid:[4026531836]';
    redactor.add(['3f1c-boot']);
    const record = writer();
    const owner = { ...OWNER, space };
    record.event({ type: 'agent-started', version: '1.2.3', owner });
    record.close();
    expect(parseEvent((await lines('events.ndjson'))[0] ?? '')).toMatchObject({ owner });
  });

  it('stays readable whatever is secret, and shows no secret in its texts', async () => {
    const texts = JSON.stringify([RESULT, { type: 'step-finished', level: 'warning' }]);
    // Any piece of the record itself, such as a word of its schema, a date, an ID or a path.
    const secret = fc
      .tuple(fc.nat(texts.length - 4), fc.integer({ min: 4, max: 24 }))
      .map(([from, length]) => texts.slice(from, from + length));
    const base = directory;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(secret, async (value) => {
        runs += 1;
        directory = join(base, String(runs));
        const record = writer();
        redactor = new Redactor();
        redactor.add([value]);
        const end = { index: 1, status: 'failed', seconds: 1, lines: 0 } as const;
        record.event({ type: 'step-finished', step: value, reason: value, ...end });
        record.result({ ...RESULT, message: value, notices: [`so: ${value}`] });
        const event = parseEvent((await lines('events.ndjson')).at(-2) ?? '');
        expect(event).toMatchObject({
          type: 'step-finished',
          status: 'failed',
          t: '2026-06-18T10:00:00.123Z',
        });
        const result = await readResult(directory);
        expect(result).toMatchObject({ outcome: 'failed', deploymentId: 'dep-1', owner: OWNER });
        expect(result?.startedAt).toBe(RESULT.startedAt);
        expect(result?.steps[0]).toMatchObject({ log: 'steps/00-setup.log', status: 'succeeded' });
        const { reason = '' } = event?.type === 'step-finished' ? event : {};
        const texts = [result?.message ?? '', ...(result?.notices ?? []), reason];
        if (value.trim().length >= 4) expect(texts.filter((text) => text.includes(value))).toEqual([]);
        record.close();
      }),
    );
  });
});

describe('a step’s file name', () => {
  it.each([
    [12, 'Fetch provider credentials via OIDC', '12-fetch-provider-credentials-via-oidc.log'],
    [1, 'Zoë’s Ärger №1', '01-zoe-s-a-rger-no1.log'],
    [3, 'Pre-run: ../../etc/passwd', '03-pre-run-etc-passwd.log'],
    [1, '../..', '01-step.log'],
  ])('for step %i %j is %s', (index, name, expected) => {
    const paths = { relative: `steps/${expected}`, absolute: `/run/steps/${expected}` };
    expect(stepLogPath('/run', index, name)).toEqual(paths);
  });

  it('is plain, short and unique whatever the name is', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.string({ unit: 'binary', maxLength: 200 }), (index, name) => {
        const file = stepLogPath('', index, name).relative;
        expect(file).toMatch(/^steps\/\d{2,}-[a-z0-9](?:[a-z0-9-]{0,59})\.log$/);
        expect(Number.parseInt(file.slice('steps/'.length), 10)).toBe(index);
      }),
    );
  });
});
