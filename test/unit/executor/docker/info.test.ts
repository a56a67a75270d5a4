import { describe, expect, it } from 'vitest';
import { readCreated } from '../../../../src/executor/docker/container/confinement.ts';
import {
  confinedBy,
  type EngineInfo,
  engineInfo,
  isPlain,
} from '../../../../src/executor/docker/engine/info.ts';

const { signal } = new AbortController();
/** An engine that answers every call with this. */
const answering = (answer: unknown) => ({ call: async <T>() => answer as T });
const infoOf = (answer: object): Promise<EngineInfo> => engineInfo(answering(answer), signal);

describe('an engine', () => {
  it.each([
    [
      { SecurityOptions: ['name=apparmor', 'name=seccomp,profile=builtin', 'name=userns', 'name=cgroupns'] },
      ['AppArmor', 'seccomp builtin', 'user namespaces', 'cgroup namespaces'],
    ],
    [
      { SecurityOptions: ['name=seccomp,profile=/etc/strict.json', 'name=selinux', 'name=rootless'] },
      ['seccomp /etc/strict.json', 'SELinux', 'rootless'],
    ],
    [
      {
        SecurityOptions: ['name=seccomp,profile=default'],
        FirewallBackend: { Driver: 'nftables+firewalld' },
      },
      ['seccomp default', 'firewall nftables+firewalld'],
    ],
  ])('says what it confines with: %j', async (answer, engine) => {
    expect(confinedBy(await infoOf(answer), 'runc')).toEqual({
      confinement: { runtime: 'runc', engine },
      warnings: [],
    });
  });

  it.each([
    [{ SecurityOptions: ['name=seccomp,profile=unconfined'] }, ['seccomp unconfined']],
    [{ SecurityOptions: ['name=apparmor'] }, ['no seccomp', 'AppArmor']],
    [{ SecurityOptions: null, FirewallBackend: 'odd', Runtimes: null }, ['no seccomp']],
  ])(
    'that filters no system calls is a warning, but not for a runtime with a kernel of its own: %j',
    async (answer, engine) => {
      const info = await infoOf(answer);
      const warnings = [
        expect.stringMatching(/^The engine filters no system calls \(seccomp\): .* such as runsc\.$/),
      ];
      expect(confinedBy(info, 'runc')).toEqual({ confinement: { runtime: 'runc', engine }, warnings });
      expect(confinedBy(info, 'my-runc')).toMatchObject({ warnings });
      expect(confinedBy(info, 'runsc').warnings).toEqual([]);
    },
  );

  it('is believed about files in a running container only with runtimes that are known to show them', () => {
    for (const plain of ['runc', 'crun', 'io.containerd.runc.v2', 'oci'])
      expect(isPlain(plain), plain).toBe(true);
    for (const other of [
      'runsc',
      'runsc-kvm',
      'kata-runtime',
      'sysbox-runc',
      'io.containerd.runsc.v1',
      'my-runc',
    ])
      expect(isPlain(other), other).toBe(false);
  });

  it('that made a container with another runtime than the configured one is refused', async () => {
    const engine = answering({ HostConfig: { Runtime: 'runc' }, Config: { User: 'job' } });
    expect(await readCreated(engine, 'c', undefined, signal)).toEqual({ runtime: 'runc', user: 'job' });
    await expect(readCreated(engine, 'c', 'runsc', signal)).rejects.toThrow(
      'Failed to confine the job: the engine made its container with the runtime runc, not with runsc. Correct the runtime on the engine, or set container_runtime to another.',
    );
  });
});
