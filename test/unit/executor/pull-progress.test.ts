import { describe, expect, it } from 'vitest';
import { PullProgress, readFrame } from '../../../src/executor/docker/image/pull-progress.ts';

describe('readFrame', () => {
  it('takes what it knows of anything', () => {
    expect(
      readFrame({ id: 'a', status: 'Downloading', progressDetail: { current: 1, total: 2 }, progress: '[>' }),
    ).toEqual({
      id: 'a',
      status: 'Downloading',
      current: 1,
      total: 2,
    });
    for (const odd of [null, 7, 'x', [], { id: 1, status: null, progressDetail: 3 }])
      expect(readFrame(odd)).toEqual({});
  });

  it('sees an error in each of its shapes', () => {
    expect(readFrame({ error: 'a', errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
    expect(readFrame({ error: 'a' })).toEqual({ error: 'a' });
    expect(readFrame({ errorDetail: { message: 'b' } })).toEqual({ error: 'b' });
    expect(readFrame({ status: 'x', error: '' })).toEqual({ status: 'x', error: '' });
  });
});

describe('PullProgress', () => {
  const feed = (frames: readonly object[], now = () => 0) => {
    const progress = new PullProgress(now);
    return frames.map((frame) => progress.line(readFrame(frame))).filter((line) => line !== undefined);
  };

  it('shows what happens, not how often', () => {
    expect(
      feed([
        { status: 'Pulling from acme/app', id: '1' },
        { status: 'Pulling fs layer', id: 'aa' },
        { status: 'Waiting', id: 'aa' },
        { status: 'Already exists', id: 'bb' },
        ...Array.from({ length: 500 }, (_, current) => ({
          status: 'Downloading',
          id: 'aa',
          progressDetail: { current, total: 500 },
        })),
        { status: 'Verifying Checksum', id: 'aa' },
        { status: 'Download complete', id: 'aa' },
        { status: 'Extracting', id: 'aa', progressDetail: { current: 1, total: 500 } },
        { status: 'Retrying in 5 seconds', id: 'aa' },
        { status: 'Pull complete', id: 'aa' },
        { status: 'Pull complete', id: 'aa' },
        { status: 'Digest: sha256:1' },
        {},
      ]),
    ).toEqual([
      '1: Pulling from acme/app',
      'bb: Already exists',
      'aa: Retrying in 5 seconds',
      'aa: Pull complete',
      'Digest: sha256:1',
    ]);
  });

  it('says now and then how far a long download is', () => {
    let now = 0;
    const download = (id: string, current: number, total: number) => ({
      status: 'Downloading',
      id,
      progressDetail: { current, total },
    });
    const frames = [
      { status: 'Already exists', id: 'cc' },
      ...Array.from({ length: 250 }, (_, second) => download(second % 2 ? 'aa' : 'bb', second * 1e6, 300e6)),
    ];
    const lines = feed(frames, () => {
      now += 100;
      return now;
    });
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThan(6);
    expect(lines[1]).toMatch(/^\d+\.\d of 600\.0 MB downloaded, 1 of 3 layers ready$/);
  });
});
