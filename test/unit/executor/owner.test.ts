import { describe, expect, it } from 'vitest';
import { imageOwner, isRoot } from '../../../src/executor/docker/owner.ts';

const FILES: Record<string, string> = {
  '/etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n\nbroken\njob:x:1000:1001:job:/:/bin/sh\n',
  '/etc/group': 'root:x:0:\ndocker:x:998:job\n',
};

describe('imageOwner', () => {
  it.each([
    ['', 0, 0],
    ['root', 0, 0],
    ['0', 0, 0],
    ['0:0', 0, 0],
    ['0:5', 0, 5],
    ['1234', 1234, 0],
    ['1234:5', 1234, 5],
    ['1000', 1000, 1001],
    ['job', 1000, 1001],
    ['job:5', 1000, 5],
    ['job:docker', 1000, 998],
    ['1234:docker', 1234, 998],
    ['root:docker', 0, 998],
    ['nobody-knows', 0, 0],
    ['job:no-such', 1000, 0],
  ])('%j', async (user, uid, gid) => {
    expect(await imageOwner(user, async (path) => FILES[path])).toEqual({ uid, gid });
  });

  it('reads nothing where numbers say all', async () => {
    const read = () => Promise.reject(new Error('not to be read'));
    for (const user of ['', 'root', '0', '7:8', 'root:7']) await imageOwner(user, read);
  });

  it('bears an image without such files', async () => {
    expect(await imageOwner('job', async () => undefined)).toEqual({ uid: 0, gid: 0 });
    expect(await imageOwner('7', async () => undefined)).toEqual({ uid: 7, gid: 0 });
  });
});

describe('isRoot', () => {
  it('knows every spelling', () => {
    for (const user of ['', 'root', '0', '00', '0:0', 'root:wheel', ':']) expect(isRoot(user)).toBe(true);
    for (const user of ['1', '01', 'rooty', 'job', '10:0', 'x:root']) expect(isRoot(user)).toBe(false);
  });
});
