import { Duplex } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LastReport } from '../../../../src/executor/container/step-report.ts';
import { DockerContainer } from '../../../../src/executor/docker/container/container.ts';
import { MainProcess } from '../../../../src/executor/docker/container/main-process.ts';
import type { DockerEngine } from '../../../../src/executor/docker/engine/engine.ts';
import { startStep } from '../../../../src/executor/docker/step/start-step.ts';
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

/** A container on an engine that has these answers to the calls of an exec. */
function stepIn(exec: object, silenceMs = 3_600_000) {
  const main = engineStream();
  const { signal } = new AbortController();
  const docker = { getContainer: () => ({ exec: async () => exec }) };
  const call = (run: (...args: unknown[]) => unknown) => run(docker, signal);
  const warnings: string[] = [];
  const lost: string[] = [];
  const container = {
    engine: { call, takeOver: call } as unknown as DockerEngine,
    id: 'c0ffee',
    environmentFile: '/PULUMI_ENV',
    mainProcess: new MainProcess(main.stream),
    silenceMs,
    keepAliveMs: 3_600_000,
    logger: (_: string, text: string) => void warnings.push(text),
    lastReport: new LastReport(),
    noteUnansweredStart: () => void lost.push('c0ffee'),
    ending: async () => undefined,
    loss: () => Promise.reject(new Error('the container was lost')),
  };
  const spec = { shell: 'sh', script: 'pulumi up', environment: {} };
  return { main, lost, warnings, start: () => startStep(container, spec, () => undefined, signal) };
}

describe('an interrupt for a step that the engine is slow to start', () => {
  test('is not waited for beyond its time, and reaches the step as soon as it has started', async () => {
    vi.useFakeTimers();
    const step = engineStream();
    const { main, warnings, start } = stepIn({ start: async () => step.stream });
    const started = await start();

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

  test('reaches it if only the main process passes on that it has begun', async () => {
    vi.useFakeTimers();
    const step = engineStream();
    const { main, warnings, start } = stepIn({ start: async () => step.stream });
    const started = await start();
    main.stream.push(frame(1, '1 42\n'));
    await vi.advanceTimersByTimeAsync(10);

    const interrupted = started.signal('SIGINT');
    await vi.advanceTimersByTimeAsync(900);
    // The step's shell may not handle signals yet.
    expect(main.written.join('')).not.toContain('signal');
    await vi.advanceTimersByTimeAsync(100);
    expect(main.written.join('')).toContain('signal INT 42\n');
    await interrupted;
    expect(warnings).toEqual([]);
    step.stream.destroy();
    main.stream.destroy();
    await expect(started.exit).rejects.toThrow('the container was lost');
  });
});

describe('a step whose start the engine has not answered', () => {
  const created = { Running: false, ExitCode: null };
  const begun = { Running: true, ExitCode: null };
  const ended = { Running: false, ExitCode: 4 };
  /** The first answer is lost too. */
  const lostStart = (states: readonly object[]) => {
    let asked = 0;
    return {
      start: () => Promise.reject(new Error('reset')),
      inspect: async () => {
        asked += 1;
        if (asked === 1) throw new Error('reset');
        return states[Math.min(asked - 2, states.length - 1)];
      },
    };
  };

  test('is followed when it begins later', async () => {
    vi.useFakeTimers();
    const { main, start } = stepIn(lostStart([created, created, created, begun, ended]), 5_000);
    const started = await start();
    // The report of its end, without which the main process would be asked.
    main.stream.push(frame(1, '1 42\n1 4 0 0\n'));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await started.exit).toMatchObject({ code: 4 });
    main.stream.destroy();
  });

  test('is lost, and interrupted before its container is removed, when it begins within no patience', async () => {
    vi.useFakeTimers();
    const { main, start } = stepIn(lostStart([created]), 5_000);
    const started = await start();
    await vi.advanceTimersByTimeAsync(15_000);
    await expect(started.exit).rejects.toMatchObject({ code: 'PRA-CONTAINER-04' });
    expect(started.needsInterrupt).toBe(true);
    main.stream.destroy();
  });

  test('and says at once that it has not begun may begin all the same', async () => {
    vi.useFakeTimers();
    const exec = { start: () => Promise.reject(new Error('reset')), inspect: async () => created };
    const { main, lost, start } = stepIn(exec, 0);
    await expect(start()).rejects.toThrow('reset');
    expect(lost).toEqual(['c0ffee']);
    main.stream.destroy();
  });
});

test('a malformed answer about the state changes nothing that is known of it', async () => {
  const main = engineStream();
  const steps = [engineStream(), engineStream(), engineStream()];
  const streams = steps.map(({ stream }) => stream);
  const inspect = async () => ({ Running: false, ExitCode: 1 });
  const docker = {
    getContainer: () => ({ exec: async () => ({ inspect, start: async () => streams.shift() }) }),
  };
  const call = (run: (...args: unknown[]) => unknown) => run(docker, new AbortController().signal);
  const container = new DockerContainer({
    engine: { call, takeOver: call } as unknown as DockerEngine,
    ...{
      id: 'c0ffee',
      imageDigest: '',
      environmentFile: '/PULUMI_ENV',
      confinement: { runtime: 'runc', engine: [] },
      warnings: [],
    },
    ...{ isOpaque: false, ownNetwork: undefined, logger: () => undefined },
    mainProcess: new MainProcess(main.stream),
    times: { stopMs: 1_000, silenceMs: 3_600_000, keepAliveMs: 3_600_000, orphanGraceSeconds: 1 },
  });
  const spec = { shell: 'sh', script: 'pulumi up', environment: {} };
  const exits: boolean[] = [];
  for (const [index, report] of ['\n1 3 0\n', '', '\n1 3 0\n'].entries()) {
    const { exit } = await container.start(spec, () => undefined, new AbortController().signal);
    steps[index]?.stream.push(frame(2, `42\n${report}`));
    steps[index]?.stream.push(null);
    if (report === '') {
      // A killed shell reports no end, so the main process is asked.
      const asked = await vi.waitUntil(() => /(\d+) state\n/.exec(main.written.join('')));
      main.stream.push(frame(1, `${asked[1]} forged by a step\n`));
    }
    exits.push((await exit).outOfMemory);
  }
  expect(exits).toEqual([true, false, false]);
  main.stream.destroy();
});

test('the end of a step is answered at once, and its last output read before a slow sink has taken it', async () => {
  const { stream, written } = engineStream();
  const disk = Promise.withResolvers<void>();
  let text = '';
  const output = new StepOutput(stream, async (piece) => {
    await disk.promise;
    text += piece;
  });
  const whole = output.read();
  stream.push(frame(2, '42\n\n0 0 0\n'));
  const rest = Array.from({ length: 16 }, (_, at) => String.fromCharCode(97 + at).repeat(100_000));
  for (const piece of rest) stream.push(frame(1, piece));
  await vi.waitFor(() => expect(stream.readableLength).toBe(0));
  expect(written).toEqual(['\n']);
  // The engine closes the stream while the disk still hangs.
  stream.destroy(new Error('EPIPE'));
  await vi.waitFor(() => expect(output.isReading).toBe(false));
  disk.resolve();
  await whole;
  expect(text).toBe(rest.join(''));
  expect(written).toEqual(['\n']);
});

test('an endless output of a process that outlives its step is read ahead only so far', async () => {
  const { stream } = engineStream();
  const piece = 'y'.repeat(64_000);
  let read = 0;
  stream._read = () => {
    read += piece.length;
    stream.push(read < 8 * 1024 ** 2 ? frame(1, piece) : null);
  };
  const disk = Promise.withResolvers<void>();
  const output = new StepOutput(stream, () => disk.promise);
  stream.push(frame(2, '42\n\n0 0 0\n'));
  const whole = output.read();
  await vi.waitFor(() => expect(read).toBeGreaterThan(4 * 1024 ** 2));
  await vi.waitFor(() => expect(output.idleMs).toBe(0));
  const before = read;
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toBe(before);
  stream.destroy();
  disk.resolve();
  await whole;
});

test('a sink that fails after a step has ended fails the reading of its output', async () => {
  const { stream } = engineStream();
  const output = new StepOutput(stream, () => Promise.reject(new Error('the disk is full')));
  const whole = output.read();
  stream.push(frame(2, '42\n\n0 0 0\n'));
  stream.push(frame(1, 'the last line'));
  stream.push(null);
  await expect(whole).rejects.toThrow('the disk is full');
});
