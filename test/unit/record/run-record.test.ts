import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEvent, readResult } from '../../../src/record/reader.ts';
import { type RunEnd, RunRecord } from '../../../src/record/run-record.ts';
import { folder } from '../../support/agent/claimed-run.ts';

const OWNER = { host: 'box', pid: 1, started: '2' };
const END: RunEnd = {
  outcome: 'no-work',
  exitCode: 0,
  message: 'No deployment was queued for the pool in time.',
  waitSeconds: 5,
  runSeconds: 0,
  forwarded: [],
  steps: [],
};

function recordOf() {
  const at = { ms: Date.parse('2026-06-18T10:00:00Z'), secret: 'hunter2' };
  const redact = (text: string) => text.replaceAll(at.secret, '***');
  return { at, record: new RunRecord({ version: '1.2.3', owner: OWNER, now: () => at.ms, redact }) };
}
/** The same, opened in a directory. */
async function opened() {
  const made = { ...recordOf(), directory: await folder() };
  made.record.open(made.directory);
  return made;
}
/** The paths of this process's open files; '' for one that is closed before its link is read. */
const openFiles = () =>
  readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
const events = (directory: string) =>
  readFileSync(join(directory, 'events.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseEvent(line));

describe('a run’s record', () => {
  it('keeps a hundred warnings, even from before it has a directory, and counts the rest', async () => {
    const { record } = recordOf();
    const directory = await folder();
    for (let index = 1; index <= 5_000; index += 1) record.notice('warning', `warning ${index}`);
    record.open(directory);
    record.close(END);
    const notices = (await readResult(directory))?.notices;
    expect(notices?.slice(99)).toEqual(['warning 100', "4900 more warnings in the agent's log."]);
  });

  it('names a deployment and its directory, even if a job’s secret reads the same', async () => {
    const { directory, record } = await opened();
    const own = { stack: 'acme/web/hunter2', operation: 'update', directory: 'deployments/001-hunter2' };
    record.event({ type: 'own-deployment', ...own, message: 'hunter2', state: 'running', ranHere: true });
    expect(events(directory)).toMatchObject([{ ...own, message: '***' }]);
    record.close(END);
  });

  it('ends with its outcome and result, whose warnings hide even secrets that are forgotten by then', async () => {
    const { directory, at, record } = await opened();
    record.event({ type: 'agent-started', version: '1.2.3', owner: OWNER });
    record.notice('info', 'by the way');
    record.notice('warning', 'mind the hunter2');
    at.ms += 5_000;
    at.secret = 'another';
    record.close(END);
    expect(events(directory).map((event) => event?.type)).toEqual([
      'agent-started',
      'notice',
      'notice',
      'outcome',
    ]);
    expect(await readResult(directory)).toEqual({
      schema: 1,
      ...END,
      version: '1.2.3',
      owner: OWNER,
      startedAt: '2026-06-18T10:00:00.000Z',
      finishedAt: '2026-06-18T10:00:05.000Z',
      notices: ['mind the ***'],
    });
  });

  it('holds its owner and the latest events from before its directory existed', async () => {
    const directory = await folder();
    const { record } = recordOf();
    record.health({ t: 't', status: 'healthy', state: 's', lastActivity: 'l', rssBytes: 1 });
    record.event({ type: 'agent-started', version: '1.2.3', owner: OWNER });
    for (let polls = 1; polls <= 1_000; polls++) record.event({ type: 'waiting', polls, nextPollSeconds: 1 });
    record.open(directory);
    record.event({ type: 'notice', level: 'info', message: 'opened' });
    const told = events(directory);
    expect(told).toHaveLength(51);
    // Without this event, the containers of a killed agent could not be attributed to it.
    expect(told[0]).toMatchObject({ type: 'agent-started' });
    expect(told[1]).toMatchObject({ polls: 952 });
    expect(told.at(-1)).toMatchObject({ message: 'opened' });
    record.close(END);
  });

  it('closes its files even when the result can’t be written', async () => {
    const { directory, record } = await opened();
    mkdirSync(join(directory, 'run.json'));
    const open = () => openFiles().filter((path) => path.startsWith(directory)).length;
    expect(open()).toBe(3);
    expect(() => record.close(END)).toThrow('EISDIR');
    expect(open()).toBe(0);
    expect(() => record.close(END)).not.toThrow();
  });

  it('names no step’s file after a secret', async () => {
    const { record } = await opened();
    expect(record.stepLog(4, 'run hunter2 now').relative).toBe('steps/04-run-now.log');
    record.close(END);
  });

  it('that can’t have a directory says so, and continues without one', () => {
    const { record } = recordOf();
    const message = expect.stringMatching(/ENOTDIR.*Set run_directory/);
    expect(() => record.open('/dev/null/run')).toThrow(
      expect.objectContaining({ outcome: 'config-error', message }),
    );
    record.event({ type: 'notice', level: 'info', message: 'on we go' });
    expect(record.stepLog(1, 'up').absolute).toBe('/dev/null/run/steps/01-up.log');
    expect(() => record.close(END)).not.toThrow();
  });
});

it('has the run’s trace in its first event and in its result, as far as each knows it', async () => {
  const directory = await folder();
  const traceOf = (deploymentId?: string) => ({
    flags: '01',
    ...(deploymentId !== undefined && { traceId: 'ab'.repeat(16) }),
  });
  const redact = (text: string) => text.replaceAll('ab', '***');
  const record = new RunRecord({ version: '1', owner: OWNER, now: () => 0, redact, traceOf });
  record.open(directory);
  record.event({ type: 'agent-started', version: '1', owner: OWNER });
  record.event({ type: 'notice', level: 'info', message: 'x' });
  record.close({ ...END, deploymentId: 'dep-1' });

  const result = await readResult(directory);
  expect(result?.trace).toEqual({ flags: '01', traceId: 'ab'.repeat(16) });
  const [started, notice] = readFileSync(join(directory, 'events.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map(parseEvent);
  expect(started).toMatchObject({ trace: { flags: '01' } });
  expect(notice).not.toHaveProperty('trace');
});
