import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { packFiles, readEntry } from '../../../src/executor/docker/container/files.ts';

describe('an archive', () => {
  it('brings a file there and back', async () => {
    const content = `é \n${'x'.repeat(100_000)}`;
    const archive = await packFiles([{ path: '/mnt/../mnt//a/file', mode: 0o640, content }], { uid: 7, gid: 8 });
    // ustar: name at 0, mode at 100, uid at 108, gid at 116.
    expect(archive.toString('latin1', 0, 11)).toBe('mnt/a/file\0');
    expect(archive.toString('latin1', 100, 124)).toBe('000640 \x00000007 \x00000010 \x00');
    expect(await readEntry(Readable.from([archive]), 200_000)).toEqual({ kind: 'file', text: content });
  });

  it('is not read beyond the limit', async () => {
    const archive = await packFiles([{ path: '/f', mode: 0o600, content: 'x'.repeat(1000) }], { uid: 0, gid: 0 });
    expect(await readEntry(Readable.from([archive]), 999)).toEqual({ kind: 'too-big', bytes: 1000 });
    expect(await readEntry(Readable.from([archive]), 1000)).toMatchObject({ kind: 'file' });
  });

  it('tells what is no file', async () => {
    const link = pack();
    link.entry({ name: 'l', type: 'symlink', linkname: '../x' });
    link.finalize();
    expect(await readEntry(Readable.from(link), 10)).toEqual({ kind: 'link', target: '../x' });
    const fifo = pack();
    fifo.entry({ name: 'f', type: 'fifo' });
    fifo.finalize();
    expect(await readEntry(Readable.from(fifo), 10)).toEqual({ kind: 'other', type: 'fifo' });
  });

  it('throws when it is empty or cut', async () => {
    const empty = pack();
    empty.finalize();
    await expect(readEntry(Readable.from(empty), 10)).rejects.toThrow('the archive is empty');
    const archive = await packFiles([{ path: '/f', mode: 0o600, content: 'x'.repeat(5000) }], { uid: 0, gid: 0 });
    await expect(readEntry(Readable.from([archive.subarray(0, 3000)]), 10_000)).rejects.toThrow();
  });
});
