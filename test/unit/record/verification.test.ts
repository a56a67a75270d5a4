import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { verify } from '../../../src/cli/verify.ts';
import { digestOf, jobRecords } from '../../../src/record/digests.ts';
import { verifyRecord } from '../../../src/record/verification.ts';
import { capturedProcess } from '../../support/run/captured-process.ts';
import { ownDeployment, sampleJob } from '../../support/run/own-run.ts';
import { SampleRun, sampleStep } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const TEXT = 'one\ntwo\n';
const LOG = 'steps/01-pulumi-update.log';
const EARLIER = '2026-11-28T14-00-00.000Z';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

/** A run of one job whose result is `over`, with a log that its digest fits. */
function oneJob(...steps: Parameters<typeof sampleStep>): void {
  const run = new SampleRun(directory);
  run.step(1, 'pulumi update')(TEXT);
  run.result({ steps: [sampleStep({ sha256: digestOf(TEXT), ...steps[0] })] });
  run.close();
}

/** A run that started a deployment, and has the record of its job and of a stranger's. */
async function ownRun(): Promise<{ own: string; other: string }> {
  const run = new SampleRun(directory);
  const sha256 = digestOf(TEXT);
  const other = await sampleJob(run, { id: '001-old', text: TEXT, over: { sha256 } });
  const own = await sampleJob(run, { id: '002-prod', text: TEXT, over: { sha256 } });
  const deployments = [{ ...ownDeployment('prod'), directory: own }];
  run.result({ deployments, records: await jobRecords(directory) });
  run.close();
  return { own, other };
}

/** The files that are not as recorded, each with its problem. */
async function problems(): Promise<Record<string, string>> {
  const { files } = await verifyRecord(directory);
  return Object.fromEntries(files.flatMap(({ path, problem }) => (problem ? [[path, problem]] : [])));
}

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(join(directory, path));
  bytes[at]! ^= 1;
  writeFileSync(join(directory, path), bytes);
}

function editResult(edit: (result: { steps: { log: string }[] }) => void): void {
  const file = join(directory, 'run.json');
  const result = JSON.parse(readFileSync(file, 'utf8'));
  edit(result);
  writeFileSync(file, JSON.stringify(result));
}

describe('the verification of a record', () => {
  it('passes what was recorded, and gives the digest of run.json', async () => {
    oneJob();
    const sha256 = digestOf(readFileSync(join(directory, 'run.json')));
    expect(await verifyRecord(directory)).toEqual({
      files: [{ path: LOG }],
      unpinned: ['events.ndjson', 'health.ndjson'],
      sha256,
    });
  });

  it('names every file and folder that run.json does not know, wherever it lies', async () => {
    oneJob();
    const unknown = 'is not in run.json';
    for (const name of ['notes.txt', '.hidden', 'steps.log', 'run.json.bak'])
      writeFileSync(join(directory, name), '');
    for (const name of ['more', 'deployments', 'steps/sub']) mkdirSync(join(directory, name));
    // The names of other places count in theirs alone.
    writeFileSync(join(directory, 'steps/report.html'), '');
    mkdirSync(join(directory, 'steps', EARLIER));
    symlinkSync('/etc/passwd', join(directory, 'link'));
    const names = ['notes.txt', '.hidden', 'steps.log', 'run.json.bak', 'more', 'deployments', 'link'];
    expect(await problems()).toEqual(
      Object.fromEntries(
        [...names, 'steps/sub', 'steps/report.html', `steps/${EARLIER}`].map((name) => [name, unknown]),
      ),
    );
  });

  it('says that nothing pins the record of an earlier run, which was moved aside', async () => {
    oneJob();
    mkdirSync(join(directory, EARLIER));
    expect(await problems()).toEqual({});
    expect((await verifyRecord(directory)).unpinned).toEqual(['events.ndjson', 'health.ndjson', EARLIER]);
  });

  it('of a run with trigger names those beside the record of each job, too', async () => {
    const { own } = await ownRun();
    writeFileSync(join(directory, own, 'result.json'), '');
    mkdirSync(join(directory, own, 'deployments'));
    expect(await problems()).toEqual({
      [`${own}/result.json`]: 'is not in run.json',
      [`${own}/deployments`]: 'is not in run.json',
    });
    expect((await verifyRecord(directory)).unpinned).toContain(`${own}/events.ndjson`);
  });

  it('names a log with a flipped byte, a missing one, one without a digest and one of no step', async () => {
    oneJob();
    flipByte(LOG, 3);
    expect(await problems()).toEqual({
      [LOG]: expect.stringMatching(/^is not the recorded file: .*[0-9a-f]{64}$/),
    });
    rmSync(join(directory, LOG));
    writeFileSync(join(directory, 'steps/02-more.log'), '');
    expect(await problems()).toEqual({ [LOG]: 'is missing', 'steps/02-more.log': 'is not in run.json' });
  });

  it.each([undefined, '', 'ab', 'AB'.repeat(32)])('names a log whose digest is %j', async (sha256) => {
    oneJob({ sha256 } as { sha256: string });
    expect(await problems()).toEqual({ [LOG]: expect.stringMatching(/^has no digest/) });
  });

  it.each([
    ['../secret.log'],
    ['steps/../../secret.log'],
    ['/etc/passwd'],
    ['steps/a/b.log'],
    ['deployments/x/steps/01-a.log'],
  ])('does not follow a log called %s', async (log) => {
    oneJob();
    editResult(({ steps: [step] }) => {
      step!.log = log;
    });
    expect(await problems()).toMatchObject({ [log]: 'is no path of a record: it was not followed' });
  });

  it('follows no link, in a path or at its end, and waits for no pipe', async () => {
    oneJob();
    const outside = await temporaryDirectory();
    renameSync(join(directory, LOG), join(outside, '01-pulumi-update.log'));
    symlinkSync(join(outside, '01-pulumi-update.log'), join(directory, LOG));
    const linked = 'is a link, or lies behind one';
    expect(await problems()).toEqual({ [LOG]: linked });
    rmSync(join(directory, 'steps'), { recursive: true });
    symlinkSync(outside, join(directory, 'steps'));
    expect(await problems()).toEqual({ [LOG]: linked, steps: linked });
    rmSync(join(directory, 'steps'));
    mkdirSync(join(directory, LOG), { recursive: true });
    expect(await problems()).toEqual({ [LOG]: 'is no regular file' });
    rmSync(join(directory, 'run.json'));
    symlinkSync(join(outside, 'gone'), join(directory, 'run.json'));
    expect(await problems()).toEqual({ 'run.json': linked });
  });

  it.each(['{', '[]', '{"schema":2}'])('names a run.json that is %s', async (text) => {
    writeFileSync(join(directory, 'run.json'), text);
    expect(await problems()).toEqual({ 'run.json': 'is not what this version writes' });
  });

  it('names a missing run.json, also in a directory that does not exist', async () => {
    expect(await problems()).toEqual({ 'run.json': 'is missing' });
    rmSync(directory, { recursive: true });
    expect(await problems()).toEqual({ 'run.json': 'is missing' });
  });

  it('of a run with trigger includes the run.json of each job, and its logs', async () => {
    const { own, other } = await ownRun();
    const paths = [other, own].flatMap((each) => [`${each}/run.json`, `${each}/${LOG}`]);
    expect((await verifyRecord(directory)).files).toEqual(paths.map((path) => ({ path })));

    flipByte(`${own}/run.json`, readFileSync(join(directory, own, 'run.json'), 'utf8').indexOf('succeeded'));
    flipByte(`${other}/${LOG}`, 0);
    const changed = expect.stringMatching(/^is not the recorded file/);
    expect(await problems()).toEqual({ [`${own}/run.json`]: changed, [`${other}/${LOG}`]: changed });

    rmSync(join(directory, own, 'run.json'));
    mkdirSync(join(directory, 'deployments/003-added'));
    expect(await problems()).toMatchObject({
      [`${own}/run.json`]: 'is missing',
      'deployments/003-added': 'is not in run.json',
    });
  });

  it('of a run with trigger names a record that run.json has no digest of', async () => {
    await ownRun();
    editResult((result) => {
      Object.assign(result, { records: [{ directory: 'deployments/002-prod' }, { directory: '../out' }] });
    });
    expect(await problems()).toEqual({
      'deployments/002-prod/run.json': expect.stringMatching(/^has no digest/),
      '../out': 'is no path of a record: it was not followed',
      'deployments/001-old': 'is not in run.json',
    });
  });

  it('keeps a record whose result can’t be read without a digest', async () => {
    const { own } = await ownRun();
    rmSync(join(directory, own, 'run.json'));
    const [, record] = await jobRecords(directory);
    expect(record).toEqual({ directory: own });
    expect(await jobRecords(join(directory, 'none'))).toEqual([]);
  });
});

describe('the command verify', () => {
  const run = async () => {
    const { process, text } = capturedProcess();
    const command = { name: 'verify', directory } as const;
    const code = await verify({ command, process, workingDirectory: '/' } as never);
    return { code, text: text() };
  };

  it('exits with 0 and says what it does not verify, with the command that does', async () => {
    oneJob();
    const { code, text } = await run();
    expect(code).toBe(0);
    expect(text).toMatch(
      /^✔ steps\/01-pulumi-update\.log\n– events\.ndjson is never pinned.*\n– health\.ndjson is never pinned.*\n\n1 file as recorded\.\n\nNo signature was verified/,
    );
    expect(text).toContain(`gh attestation verify ${directory}/run.json --repo`);
    expect(text).toContain(digestOf(readFileSync(join(directory, 'run.json'))));
  });

  it.each([
    '##vso[task.setvariable variable=PATH]x',
    "##teamcity[setParameter name='a' value='b']",
    '##[add-mask]a',
  ])('makes no message to a CI system of a name in the record: %s', async (name) => {
    oneJob();
    writeFileSync(join(directory, name), '');
    const { code, text } = await run();
    expect(code).toBe(1);
    expect(text).toContain(`✘ # ${name.slice(1)} is not in run.json`);
    expect(text).not.toContain('##');
  });

  it('exits with 1, and shows hostile names safely', async () => {
    oneJob();
    appendFileSync(join(directory, LOG), 'more');
    writeFileSync(join(directory, 'steps/\u001b[31m\n::error::x\u202e.log'), '');
    const { code, text } = await run();
    expect(code).toBe(1);
    expect(text).toContain('✘ steps/01-pulumi-update.log is not the recorded file');
    expect(text).toContain('\n2 of 2 files not as recorded.\n');
    expect(text).toContain('✘ steps/ ::error::x.log is not in run.json\n');
    for (const hidden of ['\u001b', '\u202e']) expect(text).not.toContain(hidden);
  });
});
