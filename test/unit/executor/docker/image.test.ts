import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
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
  expect(readFrame(download)).toEqual({ id: 'aa', status: 'Downloading' });
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

it('a pull continues while data arrives, and is given up when none does', async () => {
  vi.useFakeTimers();
  const frames = new PassThrough();
  const engine = {
    docker: {
      createImage: async (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
        abortSignal.addEventListener('abort', () => frames.destroy(new Error('aborted')));
        return frames;
      },
    },
    endpoint: { name: 'unix:///engine.sock' },
  } as unknown as DockerEngine;
  const settings = { pullIdleMs: IDLE_MS, pullRetryMs: 1_000, hostLogin: async () => undefined };
  const [said, { signal }]: [string[], AbortController] = [[], new AbortController()];
  const progress = async (line: string) => void said.push(line);
  const pulled = obtainImage(engine, settings, { image: 'acme/app:1', pull: true }, progress, signal);
  const refused = expect(pulled).rejects.toThrow('acme/app:1 made no progress for 120 s. Check the network');
  for (let count = 1; count <= 3; count += 1) {
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1_000);
    frames.write('{"id":"aa","status":"Downloading"}\n');
    await vi.advanceTimersByTimeAsync(0);
  }
  frames.write('{"id":"aa","status":"Pull complete"}\n');
  await vi.waitFor(() => expect(said.at(-1)).toBe('aa: Pull complete'));
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  await refused;
});
