import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Signals } from '../../../src/agent/signals.ts';
import { StopSource } from '../../../src/job/stop.ts';

/** Signals of a process that a test sends itself: real ones would end the test's runner. */
function signalled() {
  const process = new EventEmitter();
  const told: string[] = [];
  const signals = new Signals(process, (signal, meaning) => told.push(`${signal}: ${meaning}`));
  const send = (...names: string[]) => {
    for (const name of names) process.emit(name, name);
  };
  return { process, signals, told, send };
}

const INTERRUPTS = 'a running step is interrupted, nothing more is claimed';
const DRAINS = 'a running job is finished, nothing more is claimed';
const ABANDONS = 'what Pulumi Cloud has not been told yet is dropped';

describe('signals', () => {
  it('of none leave everything as it is', () => {
    const { signals } = signalled();
    const job = new StopSource();
    signals.attach(job);
    expect([signals.drain.aborted, job.stop]).toEqual([false, undefined]);
  });

  it.each<[string[], string | undefined, string[]]>([
    [['SIGINT'], 'SIGINT', [`SIGINT: ${INTERRUPTS}`]],
    [['SIGTERM'], undefined, [`SIGTERM: ${DRAINS}`]],
    [['SIGHUP'], undefined, [`SIGHUP: ${DRAINS}`]],
    [['SIGTERM', 'SIGTERM'], 'SIGTERM', [`SIGTERM: ${DRAINS}`, `SIGTERM: ${INTERRUPTS}`]],
    [['SIGTERM', 'SIGHUP'], 'SIGHUP', [`SIGTERM: ${DRAINS}`, `SIGHUP: ${INTERRUPTS}`]],
    [['SIGHUP', 'SIGINT'], 'SIGINT', [`SIGHUP: ${DRAINS}`, `SIGINT: ${INTERRUPTS}`]],
    [['SIGINT', 'SIGTERM'], 'SIGINT', [`SIGINT: ${INTERRUPTS}`, `SIGTERM: ${ABANDONS}`]],
    [['SIGINT', 'SIGHUP'], 'SIGINT', [`SIGINT: ${INTERRUPTS}`, `SIGHUP: ${ABANDONS}`]],
    [
      ['SIGTERM', 'SIGTERM', 'SIGTERM'],
      'SIGTERM',
      [`SIGTERM: ${DRAINS}`, `SIGTERM: ${INTERRUPTS}`, `SIGTERM: ${ABANDONS}`],
    ],
    [['SIGINT', 'SIGINT'], 'SIGINT', [`SIGINT: ${INTERRUPTS}`, `SIGINT: ${INTERRUPTS}`]],
  ])('%j: claim nothing more, and interrupt the job by %j', (names, by, expected) => {
    for (const attachFirst of [true, false]) {
      const { signals, send, told } = signalled();
      const job = new StopSource();
      if (attachFirst) signals.attach(job);
      send(...names);
      if (!attachFirst) signals.attach(job);
      expect(signals.drain.aborted).toBe(true);
      expect(job.stop).toEqual(
        by === undefined ? undefined : { by: 'signal', reason: `the agent was interrupted by ${by}` },
      );
      expect(told).toEqual(expected);
      expect(job.reportsAbandoned.aborted).toBe(expected.at(-1)?.endsWith(ABANDONS));
    }
  });

  it.each<[string, string[], (stream: PassThrough) => unknown, string | undefined, string[]]>([
    [
      'ends',
      [],
      (stream) => stream.end('what it says is dropped'),
      undefined,
      [`The end of standard input: ${DRAINS}`],
    ],
    ['breaks', [], (stream) => stream.destroy(new Error('EIO')), undefined, [`The end of standard input: ${DRAINS}`]],
    ['ends behind an interrupt', ['SIGINT'], (stream) => stream.end(), 'signal', [`SIGINT: ${INTERRUPTS}`]],
    ['ends behind a SIGTERM', ['SIGTERM'], (stream) => stream.end(), undefined, [`SIGTERM: ${DRAINS}`]],
  ])('of a stream that %s drain and never interrupt', async (_, sent, end, by, expected) => {
    const { signals, send, told } = signalled();
    const job = new StopSource();
    signals.attach(job);
    const stream = new PassThrough();
    signals.watch(stream);
    send(...sent);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    end(stream);
    await closed;
    expect([signals.drain.aborted, job.stop?.by, told]).toEqual([true, by, expected]);
  });

  it('interrupt the job that runs now, not an earlier one', () => {
    const { signals, send } = signalled();
    const [first, second] = [new StopSource(), new StopSource()];
    signals.attach(first);
    signals.attach(second);
    send('SIGINT');
    expect([first.stop, second.stop?.by]).toEqual([undefined, 'signal']);
  });

  it('are listened to until the end, and no longer', () => {
    const { process, signals } = signalled();
    const names = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    expect(names.map((name) => process.listenerCount(name))).toEqual([1, 1, 1]);
    signals.close();
    expect(names.map((name) => process.listenerCount(name))).toEqual([0, 0, 0]);
  });
});
