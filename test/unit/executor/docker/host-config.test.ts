import { describe, expect, it } from 'vitest';
import {
  CAPABILITIES,
  hostConfig,
  PIDS_LIMIT,
} from '../../../../src/executor/docker/container/host-config.ts';

describe('what the engine lets a container do', () => {
  it('is the minimum for jobs, unless more is configured', () => {
    expect(hostConfig({}, 'own', undefined)).toEqual({
      AutoRemove: true,
      Init: false,
      LogConfig: { Type: 'none', Config: {} },
      Privileged: false,
      SecurityOpt: ['no-new-privileges'],
      CapDrop: ['ALL'],
      CapAdd: Object.keys(CAPABILITIES),
      IpcMode: 'private',
      NetworkMode: 'own',
      PidsLimit: PIDS_LIMIT,
    });
  });

  it('is limited or extended as configured', () => {
    const limits = { memoryBytes: 512 * 1024 ** 2, numCpus: 1.5, pidsLimit: 100, dnsServers: ['10.0.0.2'] };
    const extraCapabilities = ['CHOWN', 'NET_RAW'];
    expect(hostConfig({ ...limits, extraCapabilities }, 'none', undefined)).toMatchObject({
      NetworkMode: 'none',
      Memory: 536_870_912,
      MemorySwap: 536_870_912,
      CpuPeriod: 100_000,
      CpuQuota: 150_000,
      PidsLimit: 100,
      Dns: ['10.0.0.2'],
      CapAdd: [...Object.keys(CAPABILITIES), 'NET_RAW'],
    });

    const more = {
      shmSizeBytes: 2 ** 29,
      ulimits: ['nofile=1024:4096', 'core=0', 'memlock=-1'],
      extraHosts: ['db.internal=10.0.0.7', 'v6=fd00::7', 'host=host-gateway'],
    };
    expect(hostConfig(more, 'own', undefined)).toMatchObject({
      ShmSize: 536_870_912,
      Ulimits: [
        { Name: 'nofile', Soft: 1024, Hard: 4096 },
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'memlock', Soft: -1, Hard: -1 },
      ],
      ExtraHosts: ['db.internal:10.0.0.7', 'v6:fd00::7', 'host:host-gateway'],
    });
  });

  it('includes mounting a volume, but nothing else', () => {
    const mounts = (name: string) =>
      hostConfig({}, 'own', { name, path: '/cache', pool: 'acme/pool-1' }).Mounts as unknown;
    expect(mounts('pool-cache')).toEqual([{ Type: 'volume', Source: 'pool-cache', Target: '/cache' }]);
    for (const name of ['/var/run/docker.sock', '/', '.', '../x', 'a/b', '~', ''])
      expect(() => mounts(name), name).toThrow("is not a volume's name");
  });

  it.each(['host', 'container:abc'])('excludes the network of %s', (network) => {
    expect(() => hostConfig({}, network, undefined)).toThrow(
      `a job must not share the network of ${network}`,
    );
  });
});
