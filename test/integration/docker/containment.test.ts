import { readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../../src/executor/docker/container/host-config.ts';
import type { Containment } from '../../../src/executor/docker/docker-executor.ts';
import { BUSYBOX_IMAGE, docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { begin, run, workbench } from '../../support/docker/workbench.ts';
import { maskOf } from './capability-mask.ts';

const bench = workbench();

const prepare = (containment: Containment = {}, image = JOB_IMAGE) =>
  bench.prepare({ image }, bench.newExecutor({ containment }));
const inBusybox = async (script: string) =>
  run(await bench.prepare({ image: BUSYBOX_IMAGE }), script, { shell: 'sh' });

describe('the capabilities of a step', () => {
  const status = 'grep -E "^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs):" /proc/self/status | tr -d "\\t"';

  it('are only those listed, as the kernel sees them, and can never become more', async () => {
    const few = maskOf(Object.keys(CAPABILITIES));
    const { output } = await run(await prepare(), status);
    expect(output.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^CapInh:(${few}|0{16})$`)),
      `CapPrm:${few}`,
      `CapEff:${few}`,
      `CapBnd:${few}`,
      'CapAmb:0000000000000000',
      'NoNewPrivs:1',
      '',
    ]);
  });

  it('are none when the image’s user is not root', async () => {
    const image = await bench.derive(JOB_IMAGE, { changes: ['USER job'] });
    const { output } = await run(await prepare({}, image), status);
    expect(output).toContain('CapEff:0000000000000000\n');
    expect(output).toContain('NoNewPrivs:1\n');
  });

  it('suffice for what package managers do as root', async () => {
    const script = `set -e; cd /tmp
      mkdir tree; echo a >tree/file; chown -R 1000:1000 tree; chmod 2750 tree; chmod 600 tree/file
      tar cf a.tar tree; rm -r tree; tar xpf a.tar
      stat -c '%a %u:%g' tree tree/file
      echo b >>tree/file; chmod 640 tree/file; touch tree/file
      mkdir shared; chown 0:50 shared; chmod 2775 shared; stat -c %a shared
      su job -c 'id -u; exec tail -f /dev/null' &
      until pidof tail >/dev/null; do sleep 0.05; done
      kill $!; wait $! || echo ended`;
    const { code, output } = await inBusybox(script);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^2750 1000:1000\n600 1000:1000\n2775\n1000\n(Terminated\n)?ended\n$/);
  });

  it('let the agent interrupt what runs as another user', async () => {
    const container = await bench.prepare({ image: BUSYBOX_IMAGE });
    const script = `su job -c 'trap "echo in order; exit 3" INT; echo up as $(id -u); while :; do sleep 0.05; done'`;
    const step = await begin(container, script, { shell: 'sh' });
    await step.shows('up as 1000');
    await step.signal('SIGINT');
    expect(await step.exit).toMatchObject({ code: 3 });
    expect(step.output()).toContain('in order\n');
  });

  it('do not let root make devices, mount, change its root, its network, the kernel or the clock, forge packets or use setuid', async () => {
    const container = await bench.prepare({ image: BUSYBOX_IMAGE });
    for (const script of [
      'mknod /tmp/disk b 8 0',
      'mount -t tmpfs none /mnt',
      'chroot / true',
      'arping -c 1 -I lo 127.0.0.1',
      'ip link set lo down',
      'unshare -m true',
      'cat /proc/sys/kernel/panic >/proc/sys/kernel/panic',
      '[ -z "$(date -s @$(date +%s) 2>&1 >/dev/null | tee /dev/stderr)" ]',
      'cp /bin/busybox /tmp/su; chmod 4755 /tmp/su; su job -c "/tmp/su su -c true"',
    ]) {
      const { code, output } = await run(container, script, { shell: 'sh' });
      expect.soft(code, script).not.toBe(0);
      expect.soft(output, script).toMatch(/not permitted|denied|read-only|must be suid/i);
    }
  });
});

describe('a job sees', () => {
  it('no file or device of the host, and no socket of the engine', async () => {
    const script = `cut -d' ' -f5,9- /proc/self/mountinfo | sed 's/ - / /; s/^\\(\\S*\\) \\(\\S* - \\)\\?/\\1 /' | cut -d' ' -f1
      echo; ls -1 /dev; echo; ls /var/run/docker.sock /run/docker.sock 2>&1 | grep -c 'No such file'
      find / -xdev -type s 2>/dev/null; find /dev -type b`;
    const [mounts = '', devices = '', rest] = (await run(await prepare(), script)).output.split('\n\n');
    const own =
      /^\/(|proc(\/.*)?|dev(\/(pts|mqueue|shm|console))?|sys(\/.*)?|etc\/(resolv\.conf|hostname|hosts)|sbin\/docker-init|usr\/sbin\/docker-init)$/;
    expect(mounts.split('\n').filter((path) => !own.test(path))).toEqual([]);
    const harmless =
      'core fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero'.split(' ');
    expect(devices.split('\n').filter((name) => !harmless.includes(name))).toEqual([]);
    expect(rest).toBe('2\n');
  });

  it('no namespace of the host', async () => {
    const kinds = ['ipc', 'mnt', 'net', 'pid', 'uts'];
    const { output } = await run(await prepare(), `cd /proc/self/ns && readlink ${kinds.join(' ')}`);
    expect(output.match(/\w+:\[\d+\]/g)).toHaveLength(kinds.length);
    for (const kind of kinds) expect(output).not.toContain(readlinkSync(`/proc/self/ns/${kind}`));
  });
});

describe('the limits of a job', () => {
  // cgroup v2, then v1.
  const limits = `cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null | head -1
    cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | head -1
    cut -d' ' -f1 /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us`;

  it('are the ones that the kernel enforces', async () => {
    const container = await prepare({ memoryBytes: 64 * 2 ** 20, numCpus: 0.5, pidsLimit: 150 });
    expect((await run(container, limits)).output).toBe(`150\n${64 * 2 ** 20}\n50000\n`);
  });

  it('stop a fork bomb, which the agent can still end', async () => {
    const container = await prepare({ pidsLimit: 150 });
    const step = await begin(container, 'echo up; for i in $(seq 400); do sleep 300 & done; echo all; wait');
    await step.shows('Resource temporarily unavailable');
    await step.signal('SIGKILL');
    expect((await step.exit).code).not.toBe(0);
    expect(step.output()).not.toContain('all\n');
  });

  it.each([
    ['bash', JOB_IMAGE, undefined],
    ['dash', JOB_IMAGE, 'rm $(command -v bash)'],
    ['busybox ash', BUSYBOX_IMAGE, undefined],
  ])('do not count the 1,000 dead that a step left behind (%s)', async (_, base, script) => {
    const container = await prepare({ pidsLimit: 100 }, await bench.derive(base, { script }));
    const zombies = `grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l`;
    const leave = 'i=0; while [ $i -lt 1000 ]; do (sh -c : &); i=$((i + 1)); done';
    const many = `${leave}; until [ $(${zombies}) -le 10 ]; do sleep 0.1; done; echo few`;
    expect(await run(container, many, { shell: 'sh' })).toMatchObject({ code: 0, output: 'few\n' });
  });

  it('end a step that takes more memory, and say so', async () => {
    const container = await prepare({ memoryBytes: 64 * 2 ** 20 });
    expect(await run(container, 'head -c 200m /dev/zero | tail')).toMatchObject({ outOfMemory: true });
    expect(await run(container, 'echo well')).toMatchObject({
      code: 0,
      outOfMemory: false,
      output: 'well\n',
    });
  });

  it('keep output off the host’s disk: the engine logs nothing that the container writes', async () => {
    const { id } = await prepare();
    await expect(docker.getContainer(id).logs({ stdout: true })).rejects.toThrow(/does not support reading/);
  });
});

describe('the limits of a process', () => {
  const ask = 'ulimit -Sn; ulimit -Hn; ulimit -Sc';
  const limits = { ulimits: ['nofile=1024:4096', 'core=0'], shmSizeBytes: 32 * 1024 ** 2 };

  it.each([
    [JOB_IMAGE, 'bash'],
    [JOB_IMAGE, 'dash'],
    [BUSYBOX_IMAGE, 'sh'],
  ])(
    'are those set, and a step may have as many files open as the hard one says: %s, %s',
    async (image, shell) => {
      const container = await prepare(limits, image);
      const script = `${ask}; df -k /dev/shm | tail -n 1 | tr -s ' ' | cut -d' ' -f2`;
      expect(await run(container, script, { shell })).toMatchObject({ output: '4096\n4096\n0\n32768\n' });
    },
  );

  it('leave the variables and the arguments of a step alone', async () => {
    const environment = { soft: 'a', hard: 'b', files: 'c' };
    const { output } = await run(await prepare(limits), 'echo "$soft $hard $files $# $0"', { environment });
    expect(output).toBe('a b c 0 bash\n');
  });
});

it('a job finds the names that are set', async () => {
  const extraHosts = ['db.internal=192.0.2.7', 'six.internal=2001:db8::7'];
  const { output } = await run(await prepare({ extraHosts }), 'grep internal /etc/hosts');
  expect(output.replaceAll('\t', ' ')).toBe('192.0.2.7 db.internal\n2001:db8::7 six.internal\n');
});
