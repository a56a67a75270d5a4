import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEntry } from '../../../src/executor/docker/container/files.ts';

/** Bytes of an archive's end: padding of its last entry, and two empty blocks. */
const END_BYTES = 1_440;

describe('an archive whose end comes together with the end of the response', () => {
  let archive = Buffer.alloc(0);

  // Docker 29 sends archives in such pieces.
  const server = http.createServer((_, response) => {
    response.write(archive.subarray(0, -END_BYTES), () =>
      setImmediate(() => response.end(archive.subarray(-END_BYTES))),
    );
  });
  const agent = new http.Agent({ keepAlive: true });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  async function read(header: Partial<Header> & Pick<Header, 'name'>, content = ''): Promise<string> {
    const written = pack();
    written.entry(header, content);
    written.finalize();
    archive = await buffer(written);

    const { port } = server.address() as AddressInfo;
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get({ host: '127.0.0.1', port, agent }, resolve).on('error', reject);
    });
    return readEntry(response, '/f');
  }

  it('is read to its end, and its connection kept', { timeout: 10_000 }, async () => {
    for (let times = 0; times < 6; times += 1)
      expect(await read({ name: 'f' }, 'x'.repeat(24_160))).toHaveLength(24_160);

    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
  });

  it('is refused for its entry without a wait for the rest', { timeout: 10_000 }, async () => {
    const link = { name: 'f', type: 'symlink', linkname: '/etc/passwd' } as const;
    for (let times = 0; times < 6; times += 1) {
      await expect(read(link)).rejects.toThrow('it is not a regular file');
      await expect(read({ name: 'f' }, 'x'.repeat(1024 ** 2 + 1))).rejects.toThrow('it has 1048577 bytes');
    }
  });
});
