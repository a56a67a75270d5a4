import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StopSource } from '../../../src/agent/job/stop.ts';
import { Shutdown } from '../../../src/agent/process/shutdown.ts';

const INTERRUPTS = 'the agent interrupts a running step and claims nothing more';
const DRAINS = 'the agent finishes a running job and claims nothing more';
const ABANDONS = 'reports that Pulumi Cloud does not have yet are dropped';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A shutdown of a fake process: real signals and errors would end the test runner. */
function shutdownOf(more: { readonly interruptedBySigterm?: true } = {}) {
  const process = new EventEmitter();
  const [log, exits]: [string[], number[]] = [[], []];
  let elapsedMs = 0;
  const shutdown = new Shutdown({
    process,
    log: (level, message) => log.push(`${level}: ${message}`),
    steady: () => elapsedMs,
    graceMs: 30_000,
    exit: (code) => exits.push(code),
    ...more,
  });
  const send = (...names: string[]) => {
    for (const name of names) process.emit(name, name);
  };
  const fail = (error: unknown) => process.emit('uncaughtException', error);
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  return { process, shutdown, log, exits, send, fail, pass };
}

describe('a signal', () => {
  it.each<[string[], string | undefined, string[]]>([
    [[], undefined, []],
    [['SIGINT'], 'SIGINT', [`SIGINT: ${INTERRUPTS}`]],
    [['SIGTERM'], undefined, [`SIGTERM: ${DRAINS}`]],
    [['SIGHUP', 'SIGINT'], 'SIGINT', [`SIGHUP: ${DRAINS}`, `SIGINT: ${INTERRUPTS}`]],
    [['SIGTERM', 'SIGHUP'], 'SIGHUP', [`SIGTERM: ${DRAINS}`, `SIGHUP: ${INTERRUPTS}`]],
    [['SIGINT', 'SIGTERM'], 'SIGINT', [`SIGINT: ${INTERRUPTS}`, `SIGTERM: ${ABANDONS}`]],
    [
      ['SIGTERM', 'SIGTERM', 'SIGTERM'],
      'SIGTERM',
      [`SIGTERM: ${DRAINS}`, `SIGTERM: ${INTERRUPTS}`, `SIGTERM: ${ABANDONS}`],
    ],
    [['SIGINT', 'SIGINT'], 'SIGINT', [`SIGINT: ${INTERRUPTS}`, `SIGINT: ${INTERRUPTS}`]],
  ])(
    '(%j) stops further claims and interrupts the job by %j, before or after the claim',
    (names, by, said) => {
      for (const isClaimed of [true, false]) {
        const { shutdown, send, log } = shutdownOf();
        const earlier = isClaimed ? new StopSource(shutdown) : undefined;
        send(...names);
        const job = earlier ?? new StopSource(shutdown);
        expect(shutdown.drain.aborted).toBe(names.length > 0);
        expect(job.stop).toEqual(by && { by: 'signal', reason: `the agent was interrupted by ${by}` });
        expect(log).toEqual(said.map((line) => `warning: ${line}.`));
        expect(job.reportsAbandoned.aborted).toBe(said.at(-1)?.endsWith(ABANDONS) ?? false);
      }
    },
  );
});

it('interrupts at the first SIGTERM where the CI system sends it to every process', () => {
  const { shutdown, send, log } = shutdownOf({ interruptedBySigterm: true });
  const job = new StopSource(shutdown);
  send('SIGTERM', 'SIGTERM');
  expect(job.stop).toEqual({ by: 'signal', reason: 'the agent was interrupted by SIGTERM' });
  expect(log).toEqual([`warning: SIGTERM: ${INTERRUPTS}.`, `warning: SIGTERM: ${ABANDONS}.`]);
});

it('drops no report for that SIGTERM when its own SIGINT overtakes it', () => {
  const { shutdown, send, log } = shutdownOf({ interruptedBySigterm: true });
  const job = new StopSource(shutdown);
  // Of signals that wait for a busy process, the one of the lower number arrives first (signal(7)).
  send('SIGINT', 'SIGTERM');
  expect(job.stop).toEqual({ by: 'signal', reason: 'the agent was interrupted by SIGINT' });
  expect(job.reportsAbandoned.aborted).toBe(false);
  send('SIGTERM');
  expect(job.reportsAbandoned.aborted).toBe(true);
  expect(log).toEqual([
    `warning: SIGINT: ${INTERRUPTS}.`,
    `warning: SIGTERM: ${INTERRUPTS}.`,
    `warning: SIGTERM: ${ABANDONS}.`,
  ]);
});

it('drops the reports for a SIGTERM that comes when the time after its SIGINT is over', () => {
  const { shutdown, send, log, pass } = shutdownOf({ interruptedBySigterm: true });
  const job = new StopSource(shutdown);
  // Where the CI system's own SIGTERM reached main alone, main sends both.
  send('SIGINT');
  pass(8_000);
  send('SIGTERM');
  expect(job.reportsAbandoned.aborted).toBe(true);
  expect(log).toEqual([`warning: SIGINT: ${INTERRUPTS}.`, `warning: SIGTERM: ${ABANDONS}.`]);
});

describe('a watched stream', () => {
  it.each<[string, string[], (stream: PassThrough) => unknown, string | undefined, string]>([
    ['ends', [], (stream) => stream.end('dropped'), undefined, `The end of standard input: ${DRAINS}`],
    [
      'breaks',
      [],
      (stream) => stream.destroy(new Error('EIO')),
      undefined,
      `The end of standard input: ${DRAINS}`,
    ],
    ['ends after an interrupt', ['SIGINT'], (stream) => stream.end(), 'signal', `SIGINT: ${INTERRUPTS}`],
  ])('that %s drains the agent and never interrupts the job', async (_, sent, end, by, said) => {
    const { shutdown, send, log } = shutdownOf();
    const job = new StopSource(shutdown);
    const stream = new PassThrough();
    shutdown.watch(stream);
    send(...sent);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    end(stream);
    await closed;
    expect({ aborted: shutdown.drain.aborted, by: job.stop?.by, log }).toEqual({
      aborted: true,
      by,
      log: [`warning: ${said}.`],
    });
  });
});

describe('an uncaught error', () => {
  it('interrupts the job and is logged with its stack, and later ones are ignored', () => {
    const { fail, log, shutdown } = shutdownOf();
    const job = new StopSource(shutdown);
    const error = new TypeError('x is undefined');
    fail(error);
    fail(new Error('the next'));
    expect(log).toEqual([
      'error: Uncaught error: x is undefined. A running step is interrupted, and the agent ends.',
      `info: ${error.stack}`,
    ]);
    expect(shutdown.error).toMatchObject({ message: 'x is undefined', cause: error });
    expect({ aborted: shutdown.drain.aborted, by: job.stop?.by }).toEqual({ aborted: true, by: 'signal' });
  });

  it('drops what Pulumi Cloud hasn’t taken 90 s after the grace period, and ends the process 30 s later', () => {
    const { fail, exits, shutdown } = shutdownOf();
    const job = new StopSource(shutdown);
    fail(new Error('lost'));
    vi.advanceTimersByTime(119_999);
    expect(job.reportsAbandoned.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect({ aborted: job.reportsAbandoned.aborted, exits }).toEqual({ aborted: true, exits: [] });
    vi.advanceTimersByTime(30_000);
    expect(exits).toEqual([1]);
  });

  it('does nothing to the process once the agent has ended, and neither do signals', () => {
    const { fail, exits, process, shutdown } = shutdownOf();
    fail(new Error('lost'));
    shutdown.close();
    vi.advanceTimersByTime(600_000);
    expect({ exits, eventNames: process.eventNames() }).toEqual({ exits: [], eventNames: [] });
  });
});
