import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Authority } from '../integration/network/authority.ts';
import { BUSYBOX_IMAGE, deriveImage, docker, removeImage } from '../support/docker/images.ts';
import { startRegistry } from '../support/docker/registry.ts';
import { useConfiguredAgent } from '../support/e2e/configured-agent.ts';
import { CACHE, FILES } from '../support/e2e/key-settings.ts';
import { definition, filesBelow, JOB_IMAGE, logOf } from '../support/e2e/stage.ts';

const agent = useConfiguredAgent();
const { stage } = agent;

describe('the keys for', () => {
  it('a job behind a private authority take effect', async () => {
    const authority = new Authority();
    onTestFinished(() => authority.remove());
    const job = definition(
      {
        Look: 'echo "[$AWS_REGION] [$AWS_PROFILE] [$NOT_ALLOWED] [$SSL_CERT_FILE]"; echo "[$LABEL_A] [$LABEL_HIDDEN]"; test "$HOOKED" = by-the-hook && echo hooked; echo "$(cat /sys/class/net/eth0/mtu) $(tail -n 1 /etc/hosts)"; cat "$SSL_CERT_FILE"',
        Work: "trap '' INT; trap 'exit 1' TERM; echo at work; while :; do sleep 0.1; done",
      },
      {
        image: { reference: 'pulumi-runner-test/absent:1' },
        env: { LABEL_A: 'pr-web-123', LABEL_HIDDEN: 'pr-web-124' },
      },
    );
    const hook = (name: string, script: string) =>
      writeFile(join(agent.home, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await hook('before', 'echo HOOKED=by-the-hook >>"$PULUMI_RUNNER_ENV"');
    await hook('after', `echo "$PULUMI_RUNNER_OUTCOME" >'${agent.home}/told'`);
    const deployment = stage.enqueue(job);
    const next = stage.enqueue(definition({ Next: 'true' }), { stack: 'next' });
    const { ended } = await agent.start(FILES.job, {
      authority,
      environment: { AWS_REGION: 'eu-west-1', AWS_PROFILE: 'staging', NOT_ALLOWED: 'hidden' },
    });
    await stage.cloud.waitFor(() => deployment.steps[2]?.lines.length === 1, 60_000);
    // job_status_loop_interval
    const before = deployment.statusReads;
    await stage.cloud.waitFor(() => deployment.statusReads >= before + 3, 45_000);
    stage.cloud.cancel(deployment.id);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(6);
    // env_forward_allowlist, ca_certificate_in_jobs; pull_image and image: the job's image is nowhere, this one local
    const [first = '', second, third, fourth, ...bundle] = deployment.steps[1]?.lines.map(({ l }) => l) ?? [];
    expect(first).toBe('[eu-west-1] [staging] [] [/mnt/pulumi/ca-certificates.crt]\n');
    // plain_variables, secret_variables
    expect(second).toBe('[pr-web-123] [***]\n');
    // hook_before_job, hook_after_job
    expect(third).toBe('hooked\n');
    expect(await readFile(join(agent.home, 'told'), 'utf8')).toBe('cancelled\n');
    // container_mtu, container_subnet
    expect(fourth).toMatch(/^1450 198\.19\.(19[2-9]|20[0-7])\.\d+\s/);
    const [, body = ''] = authority.certificate.trim().split('\n');
    expect(bundle.join('')).toContain(body);
    expect(await agent.result()).toMatchObject({ outcome: 'cancelled', image: JOB_IMAGE });
    // cancel_grace_period
    const sent = (signal: string) =>
      Date.parse(deployment.steps[2]?.lines.find(({ l }) => l.includes(`Sending ${signal}`))?.t ?? '');
    expect(sent('SIGTERM') - sent('SIGINT')).toBeGreaterThanOrEqual(950);
    expect(sent('SIGTERM') - sent('SIGINT')).toBeLessThan(30_000);
    // single_run
    expect(next.claimedAt).toBeUndefined();
  });

  it('allowed images, images pulled ahead and a volume shared between jobs take effect', async () => {
    const registry = await startRegistry();
    try {
      const source = await deriveImage(BUSYBOX_IMAGE, { script: 'head -c 50000 /dev/urandom >/unlike' });
      const tag = await registry.push(source, 'acme/tools:1');
      const image = `${tag.replace(/:1$/, '')}@${await registry.digest('acme/tools', '1')}`;
      await removeImage(source);
      const { username, password } = registry.credentials;
      const auth = Buffer.from(`${username}:${password}`).toString('base64');
      await mkdir(join(agent.home, '.docker'));
      await writeFile(
        join(agent.home, '.docker/config.json'),
        JSON.stringify({ auths: { [registry.host]: { auth } } }),
      );
      const { child, ended, said } = await agent.start(FILES.images, { image });
      await said(/Image \S+\/acme\/tools@sha256:\w+ \(\S+\) is ready for the next job/);

      const asked: string[] = [];
      registry.fault = ({ url = '' }) => {
        asked.push(url);
        return false;
      };
      const job = (run: string, reference: string) =>
        stage.enqueue(definition({ Step: run }, { image: { reference }, shell: 'sh' }), {
          stack: `${run}${reference}`,
        });
      const texts = async (deployment: ReturnType<typeof job>) => {
        await stage.cloud.waitFor(() => deployment.endReason !== undefined, 60_000);
        return deployment.steps.map((_, index) => logOf(deployment, index));
      };
      // allowed_images, require_digest: no registry is asked
      const [foreign] = await texts(job('true', `${registry.host}/other/tools@sha256:${'0'.repeat(64)}`));
      expect(foreign).toMatch(
        /is not allowed: no pattern of allowed_images \(\S+\/acme\/\*, pulumi\/\*\) matches/,
      );
      const [unpinned] = await texts(job('true', tag));
      expect(unpinned).toMatch(/is not allowed: require_digest requires its digest/);
      expect(asked).toEqual([]);
      const [setup = ''] = await texts(job('echo from the first >/var/cache/job/file', image));
      expect(setup).not.toMatch(/Pull complete|Downloaded/);
      // prepull_images
      expect(asked.filter((url) => url.includes('/blobs/'))).toEqual([]);
      // cache_volume
      expect(await texts(job('cat /var/cache/job/file', image))).toEqual([
        expect.any(String),
        'from the first\n',
      ]);

      // kept_runs: the first of the four is removed; kept_runs_days
      await said(
        /Removed the oldest run directories below \S+: 1, as kept_runs is 3 and kept_runs_days 30\./,
      );
      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      expect(code, stderr).toBe(0);
      const files = await filesBelow(agent.home);
      const results = [...files]
        .filter(([path]) => path.endsWith('/run.json'))
        .map(([, text]) => JSON.parse(String(text)));
      expect(results.map(({ outcome, imageDigest }) => [outcome, imageDigest]).sort()).toEqual([
        ['succeeded', image],
        ['succeeded', image],
        ['target-error', undefined],
      ]);
      await removeImage(image);
    } finally {
      await registry.close();
      // Don't hide an earlier failure.
      await docker
        .getVolume(CACHE)
        .remove()
        .catch(() => undefined);
    }
  });

  it('a job’s limits, capabilities and network take effect', async () => {
    const script = `cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null
      cut -d' ' -f1 /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us
      cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null
      grep CapBnd /proc/self/status | cut -f2
      grep ^nameserver /etc/resolv.conf
      ulimit -Sn; ulimit -Sc
      df -k /dev/shm | tail -n 1 | tr -s ' ' | cut -d' ' -f2
      grep internal /etc/hosts`;
    const deployment = stage.enqueue(definition({ Look: script }));
    const { ended } = await agent.start(FILES.container);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    const setup = logOf(deployment, 0);
    // memory, num_cpus, pids_limit, extra_capabilities, dns_servers
    const [own, more] = logOf(deployment, 1).split(/(?<=nameserver .*\n)/);
    expect(own).toBe(`${256 * 2 ** 20}\n50000\n300\n00000000800020fb\nnameserver 192.0.2.53\n`);
    // ulimits, shm_size, extra_hosts
    expect(more).toBe(`2048\n0\n${48 * 1024}\n192.0.2.7\tdb.internal\n`);
    // container_network, allow_metadata
    expect(setup).toContain('Started container');
    expect(setup).not.toContain('metadata address');
    const { runId, confinement } = await agent.result();
    // container_runtime
    expect(confinement).toEqual({ runtime: 'io.containerd.runc.v2', engine: expect.any(Array) });
    expect(setup).toMatch(/^Confined by io\.containerd\.runc\.v2, /m);
    const filters = { label: [`pulumi-runner.run=${runId}`] };
    expect(await docker.listNetworks({ filters })).toEqual([]);
  });
});
