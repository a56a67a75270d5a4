import { expect, it } from 'vitest';
import { dataDirectory } from '../../../../src/executor/docker/engine/data-directory.ts';

const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

/** `docker info` of Docker 29, as seen; `store` is the containerd store. */
const info = (store: boolean, address = '/run/containerd/containerd.sock') => ({
  DockerRootDir: '/var/lib/docker',
  Driver: store ? 'overlayfs' : 'overlay2',
  DriverStatus: store ? [['driver-type', 'io.containerd.snapshotter.v1']] : [['Backing Filesystem', 'extfs']],
  Containerd: { Address: address },
});

const folder = (found: unknown, configuration?: string, seen: string | undefined = undefined) =>
  dataDirectory(found, {
    read: () => (configuration === undefined ? failing('ENOENT') : Promise.resolve(configuration)),
    see: (path) =>
      seen === undefined || path === `${seen}/io.containerd.content.v1.content`
        ? Promise.resolve()
        : failing('ENOENT'),
  });

const CONFIGURED = 'version = 3\nroot = "/data/containerd"\n[plugins]\n  root = "/other"\n';

it.each<[title: string, found: Promise<string | undefined>, expected: string | undefined]>([
  ['the classic store', folder(info(false)), '/var/lib/docker'],
  [
    'an engine without a containerd',
    folder({ DockerRootDir: '/var/lib/docker', DriverStatus: null }),
    '/var/lib/docker',
  ],
  ['the containerd store of a system', folder(info(true)), '/var/lib/containerd'],
  ['a root that is configured', folder(info(true), CONFIGURED), '/data/containerd'],
  [
    'a table’s own root, which is another',
    folder(info(true), '[x]\nroot = "/other"\n'),
    '/var/lib/containerd',
  ],
  [
    'a containerd of the engine’s own',
    folder(info(true, '/var/run/docker/containerd/containerd.sock')),
    '/var/lib/docker/containerd/daemon',
  ],
  [
    'a Snap',
    folder(info(true, '/run/snap.docker/containerd/containerd.sock')),
    '/var/lib/docker/containerd/daemon',
  ],
  ['another containerd', folder(info(true, '/run/k3s/containerd/containerd.sock')), undefined],
  [
    'a root by a flag, where the usual one has nothing',
    folder(info(true), undefined, '/elsewhere'),
    undefined,
  ],
  ['no answer', folder({}), undefined],
])('images are looked for with %s', async (_, found, expected) => {
  expect(await found).toBe(expected);
});

it('a folder that only root can look into is measured, one whose configuration is secret is not', async () => {
  const denied = () => failing('EACCES');
  const missing = () => failing('ENOENT');
  expect(await dataDirectory(info(true), { read: missing, see: denied })).toBe('/var/lib/containerd');
  expect(await dataDirectory(info(true), { read: denied, see: denied })).toBeUndefined();
});
