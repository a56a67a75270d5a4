import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { growingTrust } from '../../../src/network/growing-trust.ts';
import { contextOf } from '../../../src/network/trust.ts';
import { Authority } from './authority.ts';
import { webServer } from './servers.ts';

let authority: Authority;
beforeAll(() => {
  authority = new Authority();
});
afterAll(() => authority.remove());

/** What comes of connecting to a server of its own, and how often more was asked for. */
async function connecting(more: () => Promise<string>, names = 'DNS:localhost') {
  const server = await webServer({ identity: authority.issue({ names }) });
  onTestFinished(() => server.close());
  let asked = 0;
  const connect = growingTrust(5_000, async () => {
    asked += 1;
    return contextOf([await more()]);
  });
  const once = () =>
    new Promise<Socket>((resolve, reject) => {
      const place = {
        hostname: 'localhost',
        host: `localhost:${server.port}`,
        protocol: 'https:',
        port: String(server.port),
      };
      connect(place, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)));
    }).then((socket) => void socket.destroy());
  return { once, asked: () => asked };
}

it('asks for more once, for all that needed it, and keeps it', async () => {
  const { once, asked } = await connecting(async () => authority.certificate);
  await Promise.all([once(), once(), once()]);
  await once();
  expect(asked()).toBe(1);
});

it('fails where more isn’t enough, each time', async () => {
  const other = new Authority('Other');
  onTestFinished(() => other.remove());
  const { once, asked } = await connecting(async () => other.certificate);
  for (let time = 0; time < 2; time += 1)
    await expect(once()).rejects.toMatchObject({ code: expect.stringMatching(/^(?:UNABLE|SELF_SIGNED)/) });
  expect(asked()).toBe(1);
});

it('fails with why there is no more', async () => {
  const { once } = await connecting(() => Promise.reject(new Error('no store')));
  await expect(once()).rejects.toThrow('no store');
});

it('leaves what isn’t a matter of trust as it is', async () => {
  const { once } = await connecting(async () => authority.certificate, 'DNS:other.test');
  for (let time = 0; time < 2; time += 1)
    await expect(once()).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});
