import { describe, expect, it } from 'vitest';
import { METADATA_ADDRESSES, nameServerNextDoor } from '../../../src/executor/docker/container/network.ts';

const LOCAL = { name: 'unix:///var/run/docker.sock', socketPath: '/var/run/docker.sock' };
const reading = (files: Readonly<Record<string, string>>) => async (path: string) => {
  const text = files[path];
  if (text === undefined) throw new Error(`ENOENT: ${path}`);
  return text;
};

describe('the name server of the host', () => {
  it.each([
    ['Google Cloud’s', { '/etc/resolv.conf': 'search x\nnameserver 169.254.169.254\n' }, '169.254.169.254'],
    [
      'one of AWS’s, behind another',
      { '/etc/resolv.conf': 'nameserver 10.0.0.2\nnameserver 169.254.169.253\n' },
      '169.254.169.253',
    ],
    [
      'that of systemd-resolved behind its stub',
      {
        '/etc/resolv.conf': 'nameserver 127.0.0.53\n',
        '/run/systemd/resolve/resolv.conf': 'nameserver 169.254.169.254\n',
      },
      '169.254.169.254',
    ],
    ['elsewhere', { '/etc/resolv.conf': '# nameserver 169.254.169.254\nnameserver 10.0.0.2\n' }, undefined],
    [
      'named by both files, of which the engine reads one',
      {
        '/etc/resolv.conf': 'nameserver 10.0.0.2\n',
        '/run/systemd/resolve/resolv.conf': 'nameserver 169.254.169.254\n',
      },
      undefined,
    ],
    ['unknown', {}, undefined],
  ])('is %s', async (_, files: Readonly<Record<string, string>>, expected) => {
    expect(await nameServerNextDoor(LOCAL, reading(files))).toBe(expected);
  });

  it('is not this machine’s where the engine is elsewhere', async () => {
    const files = { '/etc/resolv.conf': 'nameserver 169.254.169.254\n' };
    expect(
      await nameServerNextDoor({ name: 'tcp://there:2376', host: 'there', port: 2376 }, reading(files)),
    ).toBeUndefined();
  });
});

it('the addresses are link-local, which is what an engine lets a container have', () => {
  for (const address of METADATA_ADDRESSES) expect(address).toMatch(/^169\.254\./);
});
