import { Duplex } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MainProcess } from '../../../../src/executor/docker/container/main-process.ts';
import type { Engine } from '../../../../src/executor/docker/engine/engine.ts';
import { startStep } from '../../../../src/executor/docker/step/step.ts';
import { StepOutput } from '../../../../src/executor/docker/step/step-output.ts';
import { frame } from '../../../support/docker/frame.ts';

afterEach(() => vi.useRealTimers());

/** A stream of the Docker engine, and what was written to it. */
function engineStream(): { stream: Duplex; written: string[] } {
  const written: string[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => {
      written.push(chunk.toString());
      done();
    },
  });
  return { stream, written };
}

describe('an interrupt for a step that the engine is slow to start', () => {
  test('is not waited for beyond its time, and reaches the step as soon as it has started', async () => {
    vi.useFakeTimers();
    const main = engineStream();
    const step = engineStream();
    const exec = { start: async () => step.stream };
    const docker = { getContainer: () => ({ exec: async () => exec }) };
    const { signal } = new AbortController();
    const engine = { call: (run: (...args: unknown[]) => unknown) => run(docker, signal) } as unknown as Engine;
    const warnings: string[] = [];
    const context = {
      engine,
      id: 'c0ffee',
      environmentFile: '/PULUMI_ENV',
      mainProcess: new MainProcess(main.stream),
      silenceMs: 3_600_000,
      logger: (_: string, text: string) => void warnings.push(text),
      oomKills: 0,
      loss: () => Promise.reject(new Error('the container was lost')),
    };
    const spec = { shell: 'sh', script: 'pulumi up', environment: {} };
    const started = await startStep(context, spec, () => undefined, signal);

    const interrupted = started.signal('SIGINT');
    await vi.advanceTimersByTimeAsync(15_000);
    await interrupted;
    expect(warnings).toEqual([expect.stringContaining('SIGINT is not delivered yet')]);

    step.stream.push(frame(2, '42\n'));
    await vi.advanceTimersByTimeAsync(10);
    expect(main.written.join('')).toContain('signal INT 42\n');
    step.stream.destroy();
    main.stream.destroy();
    await expect(started.exit).rejects.toThrow('the container was lost');
  });
});

test('the end of a step is answered only once, so that an engine cannot cut off unread output', async () => {
  vi.useFakeTimers();
  const { stream, written } = engineStream();
  let text = '';
  const output = new StepOutput(stream, (piece) => {
    text += piece;
  });
  const whole = output.read();
  stream.push(frame(2, '42\n\n0 0 0\n'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(['\n']);
  stream.push(frame(1, 'the last line'));
  stream.push(null);
  await whole;
  expect(text).toBe('the last line');
});

test('a process that outlives its step and floods the disk does not keep the step from ending', async () => {
  vi.useFakeTimers();
  const { stream, written } = engineStream();
  const piece = frame(1, 'y'.repeat(16_000));
  stream._read = () => void stream.push(piece);
  const output = new StepOutput(stream, () => new Promise((resolve) => setTimeout(resolve, 20)));
  const whole = output.read();
  stream.push(frame(2, '42\n\n0 0 0\n'));
  await vi.advanceTimersByTimeAsync(4_000);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(written).toEqual(['\n']);
  stream.destroy();
  await Promise.all([whole, vi.advanceTimersByTimeAsync(100)]);
});
