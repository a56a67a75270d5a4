import { expect, it } from 'vitest';
import { PullProgress, readFrame } from '../../../../src/executor/docker/image/pull-progress.ts';

const download = (id: string, current: number, total: number) => ({
  status: 'Downloading',
  id,
  progressDetail: { current, total },
});

it('a frame has what is known of it, and an error in each of its shapes', () => {
  expect(readFrame({ ...download('a', 1, 2), progress: '[>' })).toEqual({ id: 'a', status: 'Downloading' });
  for (const odd of [null, 7, 'x', [], { id: 1, status: null, progressDetail: 3 }]) expect(readFrame(odd)).toEqual({});
  expect(readFrame({ error: 'a', errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
  expect(readFrame({ error: 'a' })).toEqual({ error: 'a' });
  expect(readFrame({ errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
});

it('the progress shows what happens, not how often', () => {
  const frames = [
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
  ];
  const progress = new PullProgress();
  const lines = frames.map((frame) => progress.line(readFrame(frame))).filter((line) => line !== undefined);
  const shown = ['1: Pulling from acme/app', 'bb: Already exists', 'aa: Retrying in 5 seconds', 'aa: Pull complete'];
  expect(lines).toEqual([...shown, 'Digest: sha256:1']);
});
