import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Uncaught } from '../../../src/agent/uncaught.ts';
import { StopSource } from '../../../src/job/stop.ts';
import { jobOf } from './claimed-run.ts';
import { agentOf } from './cloud-agent.ts';

function watched() {
  const process = new EventEmitter();
  const [log, exits]: [string[], number[]] = [[], []];
  const uncaught = new Uncaught({
    process,
    log: (level, message) => log.push(`${level}: ${message}`),
    graceMs: 30_000,
    exit: (code) => exits.push(code),
  });
  return { process, log, exits, uncaught, throws: (error: unknown) => process.emit('uncaughtException', error) };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('the first error that nobody caught is told, and its stack', () => {
  const { throws, log, uncaught } = watched();
  const error = new TypeError('x is undefined');
  throws(error);
  throws(new Error('the next'));
  expect(log).toEqual([
    'error: Nobody caught an error: x is undefined. A running step is interrupted, and the agent ends.',
    `info: ${error.stack}`,
  ]);
  expect(uncaught.error).toMatchObject({ message: 'x is undefined', cause: error });
});

it.each(['before', 'after'])('interrupts a job that is claimed %s it', (when) => {
  const { throws, uncaught } = watched();
  const job = new StopSource();
  if (when === 'before') uncaught.attach(job);
  expect([uncaught.drain.aborted, job.stop]).toEqual([false, undefined]);
  throws(new Error('lost'));
  if (when === 'after') uncaught.attach(job);
  expect([uncaught.drain.aborted, job.stop?.by]).toEqual([true, 'signal']);
});

it('ends an agent that can’t end any more after its grace period and two minutes', () => {
  const { throws, exits } = watched();
  throws(new Error('lost'));
  vi.advanceTimersByTime(149_999);
  expect(exits).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(exits).toEqual([1]);
});

it('drops before that what Pulumi Cloud doesn’t take, so that run.json is written', () => {
  const { throws, exits, uncaught } = watched();
  const job = new StopSource();
  uncaught.attach(job);
  throws(new Error('lost'));
  vi.advanceTimersByTime(119_999);
  expect(job.reportsAbandoned.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect([job.reportsAbandoned.aborted, exits]).toEqual([true, []]);
});

it('is no business of an agent that has ended', () => {
  const { throws, exits, process, uncaught } = watched();
  throws(new Error('lost'));
  uncaught.close();
  vi.advanceTimersByTime(600_000);
  expect([exits, process.listenerCount('uncaughtException')]).toEqual([[], 0]);
});

it('makes a failure of how the run ended', async () => {
  vi.useRealTimers();
  const fault = new Error('x is undefined');
  const { agent, enqueue, result } = await agentOf({ options: () => ({ fault: () => fault }) });
  enqueue(jobOf('true'));
  expect(await agent.run()).toBe(1);
  const message = "Failed to run the agent for the pool: x is undefined. Report this with the run's artifact.";
  expect(await result()).toMatchObject({ outcome: 'failed', exitCode: 1, message });
});
