import { expect, it } from 'vitest';
import { PullProgress, readFrame } from '../../../../src/executor/docker/image/pull-progress.ts';

const feed = (frames: readonly object[], now = () => 0) => {
  const progress = new PullProgress(now);
  return frames.map((frame) => progress.line(readFrame(frame))).filter((line) => line !== undefined);
};
const download = (id: string, current: number, total: number) => ({
  status: 'Downloading',
  id,
  progressDetail: { current, total },
});

it('a frame has what is known of it, and an error in each of its shapes', () => {
  expect(readFrame({ ...download('a', 1, 2), progress: '[>' })).toEqual({
    ...{ id: 'a', status: 'Downloading', current: 1, total: 2 },
  });
  for (const odd of [null, 7, 'x', [], { id: 1, status: null, progressDetail: 3 }]) expect(readFrame(odd)).toEqual({});
  expect(readFrame({ error: 'a', errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
  expect(readFrame({ error: 'a' })).toEqual({ error: 'a' });
  expect(readFrame({ errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
});

it('the progress shows what happens, not how often', () => {
  const lines = feed([
    { status: 'Pulling from acme/app', id: '1' },
    { status: 'Pulling fs layer', id: 'aa' },
    { status: 'Already exists', id: 'bb' },
    ...Array.from({ length: 500 }, (_, current) => download('aa', current, 500)),
    { status: 'Download complete', id: 'aa' },
    { status: 'Extracting', id: 'aa', progressDetail: { current: 1, total: 500 } },
    { status: 'Retrying in 5 seconds', id: 'aa' },
    { status: 'Pull complete', id: 'aa' },
    { status: 'Pull complete', id: 'aa' },
    { status: 'Digest: sha256:1' },
    {},
  ]);
  const shown = ['1: Pulling from acme/app', 'bb: Already exists', 'aa: Retrying in 5 seconds', 'aa: Pull complete'];
  expect(lines).toEqual([...shown, 'Digest: sha256:1']);
});

it('the progress says now and then how far a long download is', () => {
  let now = 0;
  const frames = [
    ...Array.from({ length: 250 }, (_, second) => download(second % 2 ? 'aa' : 'bb', second * 1e6, 300e6)),
  ];
  const lines = feed(frames, () => {
    now += 100;
    return now;
  });
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.length).toBeLessThan(6);
  expect(lines[1]).toMatch(/^\d+\.\d of 600\.0 MB downloaded$/);
});
