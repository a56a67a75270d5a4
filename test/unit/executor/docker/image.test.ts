import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DockerEngine } from '../../../../src/executor/docker/engine/engine.ts';
import { obtainImage } from '../../../../src/executor/docker/image/image.ts';
import { lineOf, readFrame } from '../../../../src/executor/docker/image/pull-progress.ts';

const download = {
  status: 'Downloading',
  id: 'aa',
  progress: '[>',
  progressDetail: { current: 1, total: 2 },
};

it('a frame yields its known fields, and an error in any shape', () => {
  expect(readFrame(download)).toEqual({ id: 'aa', status: 'Downloading', current: 1 });
  for (const odd of [null, 7, 'x', [], { id: 1, status: null, progressDetail: 3 }])
    expect(readFrame(odd)).toEqual({});
  expect(readFrame({ error: 'a', errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
  expect(readFrame({ error: 'a' })).toEqual({ error: 'a' });
  expect(readFrame({ errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
});

it('the progress shows each event, not every update of it', () => {
  const frames = [
    { status: 'Pulling from acme/app', id: '1' },
    { status: 'Pulling fs layer', id: 'aa' },
    { status: 'Already exists', id: 'bb' },
    download,
    { status: 'Download complete', id: 'aa' },
    { status: 'Extracting', id: 'aa' },
    { status: 'Retrying in 5 seconds', id: 'aa' },
    { status: 'Pull complete', id: 'aa' },
    { status: 'Digest: sha256:1' },
    {},
  ];
  const lines = frames.map((frame) => lineOf(readFrame(frame))).filter((line) => line !== undefined);
  const shown = [
    '1: Pulling from acme/app',
    'bb: Already exists',
    'aa: Retrying in 5 seconds',
    'aa: Pull complete',
  ];
  expect(lines).toEqual([...shown, 'Digest: sha256:1']);
});

afterEach(() => vi.useRealTimers());

const IDLE_MS = 120_000;
const UNPACK_MS = 30 * 60_000;
/** The interval at which engines with the containerd store repeat each layer's state. */
const TICK_MS = 100;

/** A pull whose frames the test sends, and whose time it controls. */
function pulling() {
  vi.useFakeTimers();
  const frames = new PassThrough();
  const docker = {
    createImage: async (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
      abortSignal.addEventListener('abort', () => frames.destroy(new Error('aborted')));
      return frames;
    },
  };
  const engine = {
    negotiated: (run: (client: typeof docker) => unknown) => run(docker),
    endpoint: { name: 'unix:///engine.sock' },
  } as unknown as DockerEngine;
  const settings = { pullIdleMs: IDLE_MS, pullRetryMs: 1_000, hostLogin: async () => undefined };
  let ended: string | undefined;
  obtainImage(
    engine,
    settings,
    { image: 'acme/app:1', pull: true },
    async () => undefined,
    new AbortController().signal,
  ).catch((error: Error) => {
    ended = error.message;
  });
  const send = async (...some: object[]) => {
    for (const frame of some) frames.write(`${JSON.stringify(frame)}\n`);
    await vi.advanceTimersByTimeAsync(0);
  };
  return {
    send,
    /** Lets `ms` milliseconds pass, and repeats these frames meanwhile; returns the error, if there is one. */
    async pass(ms: number, ...repeated: object[]): Promise<string | undefined> {
      for (let passed = 0; passed < ms; passed += TICK_MS) {
        if (ended === undefined && repeated.length > 0) await send(...repeated);
        await vi.advanceTimersByTimeAsync(TICK_MS);
      }
      return ended;
    },
  };
}

const layer = (status: string, current?: number, units?: string) => ({
  id: 'aa',
  status,
  progressDetail: { current, units },
});
const STALLED = expect.stringContaining('acme/app:1 made no progress for 120 s. Check the network');

describe('a pull continues while', () => {
  it('bytes arrive, also from the start again', async () => {
    const pull = pulling();
    for (const bytes of [1, 2, 1_000, 5, 6]) {
      await pull.send(layer('Downloading', bytes));
      expect(await pull.pass(IDLE_MS - 1_000)).toBeUndefined();
    }
  });

  it('layers appear, or change their state', async () => {
    const pull = pulling();
    for (const frame of [{ id: '1', status: 'Pulling from acme/app' }, layer('Pulling fs layer')]) {
      await pull.send(frame);
      expect(await pull.pass(IDLE_MS - 1_000)).toBeUndefined();
    }
    await pull.send({ ...layer('Pulling fs layer'), id: 'bb' });
    expect(await pull.pass(IDLE_MS - 1_000)).toBeUndefined();
  });

  it('downloaded layers are unpacked on a slow disk, without a frame or with the seconds alone', async () => {
    const pull = pulling();
    await pull.send(layer('Downloading', 10), layer('Download complete'));
    expect(await pull.pass(UNPACK_MS - 1_000)).toBeUndefined();
    for (let second = 1; second < 1_700; second += 1)
      expect(await pull.pass(1_000, layer('Extracting', second, 's'))).toBeUndefined();
  });
});

describe('a pull is given up when', () => {
  it('nothing arrives', async () => {
    expect(await pulling().pass(IDLE_MS)).toEqual(STALLED);
  });

  it('a layer’s download stalls, although the engine repeats its frame every 100 ms', async () => {
    const pull = pulling();
    const repeated = [layer('Downloading', 4_096), { ...layer('Extracting', 1, 's'), id: 'bb' }];
    expect(await pull.pass(IDLE_MS - 1_000, ...repeated)).toBeUndefined();
    expect(await pull.pass(2_000, ...repeated)).toEqual(STALLED);
  });

  it('unpacking shows nothing but passing seconds for half an hour', async () => {
    const pull = pulling();
    await pull.send(layer('Download complete'), layer('Extracting', 1, 's'));
    expect(await pull.pass(UNPACK_MS - 1_000, layer('Extracting', 2, 's'))).toBeUndefined();
    expect(await pull.pass(2_000, layer('Extracting', 1_900, 's'))).toContain(
      'acme/app:1 was not unpacked within 30 minutes. Check the disk of the engine, and its log.',
    );
  });
});
