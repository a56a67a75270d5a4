import { expect, it } from 'vitest';
import { lineOf, readFrame } from '../../../../src/executor/docker/image/pull-progress.ts';

const download = { status: 'Downloading', id: 'aa', progress: '[>', progressDetail: { current: 1, total: 2 } };

it('a frame has what is known of it, and an error in each of its shapes', () => {
  expect(readFrame(download)).toEqual({ id: 'aa', status: 'Downloading' });
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
    download,
    { status: 'Download complete', id: 'aa' },
    { status: 'Extracting', id: 'aa' },
    { status: 'Retrying in 5 seconds', id: 'aa' },
    { status: 'Pull complete', id: 'aa' },
    { status: 'Digest: sha256:1' },
    {},
  ];
  const lines = frames.map((frame) => lineOf(readFrame(frame))).filter((line) => line !== undefined);
  const shown = ['1: Pulling from acme/app', 'bb: Already exists', 'aa: Retrying in 5 seconds', 'aa: Pull complete'];
  expect(lines).toEqual([...shown, 'Digest: sha256:1']);
});
