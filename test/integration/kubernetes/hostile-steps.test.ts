import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { JobContainer, StepSpec } from '../../../src/executor/executor.ts';
import type { KubernetesExecutorOptions } from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { BUSYBOX_IMAGE, clusterBench, JOB_IMAGE } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();

type Shell = Pick<StepSpec, 'shell'>;

/** Runs `what` in two pods at once: sh is dash in one, busybox's in the other. */
async function inBoth(
  options: Partial<KubernetesExecutorOptions>,
  what: (container: JobContainer, shell: Shell) => Promise<void>,
): Promise<void> {
  const images = [
    [JOB_IMAGE, 'bash'],
    [BUSYBOX_IMAGE, 'sh'],
  ] as const;
  const containers = await Promise.all(
    images.map(async ([image, shell]) => ({
      shell,
      container: await bench.prepare({ image }, bench.target(options)),
    })),
  );
  await Promise.all(containers.map(({ container, shell }) => what(container, { shell })));
}

/** Limits the agent's folder to a disk of 1 MiB. */
const SMALL = JSON.stringify({
  spec: { volumes: [{ name: 'pulumi-runner', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }] },
});

it('a step that fills the disk keeps its own exit code, and the pod goes on', () =>
  inBoth({ podTemplate: SMALL, leaseSeconds: 12 }, async (container, shell) => {
    // Lasts longer than the pod goes on without hearing from its agent.
    const full = await run(container, 'echo first; seq 1000000 2>/dev/null; sleep 16; exit 3', shell);
    expect(full).toMatchObject({ code: 3, output: expect.stringMatching(/^first\n1\n2\n3\n/) });
    expect(await run(container, 'echo on', shell)).toMatchObject({ code: 0, output: 'on\n' });
    await run(container, 'seq 1000000 2>/dev/null >/mnt/pulumi-runner/mine', shell);
    await expect(run(container, 'echo never', shell)).rejects.toThrow(
      'volume "pulumi-runner" in its pod is full',
    );
  }));

it('a step that removes the agent’s files in the pod loses no line, even when its stream is cut', async () => {
  const { way, kubeconfig } = await bench.breakable();
  let cut = 0;
  await inBoth({ kubeconfig }, async (container, shell) => {
    const step = await begin(
      container,
      'echo a; rm -rf /mnt/pulumi-runner/*; echo b; sleep 8; echo c; exit 5',
      shell,
    );
    await step.shows('b\n');
    cut += 1;
    if (cut === 2) way.cut();
    expect(await step.exit).toMatchObject({ code: 5 });
    expect(step.output()).toBe('a\nb\nc\n');
    expect(await run(container, 'rm -rf /mnt/pulumi-runner/*; exit 6', shell)).toMatchObject({ code: 6 });
    expect(await run(container, 'echo on', shell)).toMatchObject({ code: 0, output: 'on\n' });
  });
  expect(bench.logged.join('\n')).toMatch(/step's stream was cut/);
});

it('a step that kills all it can, blocks the next one or holds its stream harms no other step, and the pod goes on', () =>
  inBoth({}, async (container, shell) => {
    // kill spares the shell that calls it, but not those that would report its end.
    expect(
      await run(container, 'echo before; kill -9 -1; sleep 0.1; echo after; exit 4', shell),
    ).toMatchObject({
      code: 137,
      output: 'before\nafter\n',
    });
    // What a step leaves running in its group delays nothing, even once the step's shells are gone.
    const left = 'sleep 100 & set -- $(cat /proc/$$/stat); echo left; kill -9 $6 $PPID; exit 3';
    expect(await run(container, left, shell)).toMatchObject({ code: 137, output: 'left\n' });
    const holds = 'exec 3>/proc/$PPID/fd/1 4>/proc/$PPID/fd/2; sleep 300 >&3 2>&4 & echo held; exit 3';
    expect(await run(container, holds, shell)).toMatchObject({ code: 3, output: 'held\n' });
    await run(container, 'mkdir /mnt/pulumi-runner/end-5 /mnt/pulumi-runner/output-5', shell);
    expect(await run(container, 'echo here; exit 7', shell)).toMatchObject({ code: 7, output: 'here\n' });
    expect(await run(container, 'echo on', shell)).toMatchObject({ code: 0, output: 'on\n' });
  }));

it('a step that keeps its pod from answering, or writes its last words, says nothing about node or network', async () => {
  const options = {
    leaseSeconds: 6,
    orphanGraceSeconds: 1,
    stopTimeoutMs: 30_000,
    cancelGracePeriodMs: 1_000,
  };
  const endsWith = async (script: string, why: RegExp) => {
    const container = await bench.prepare({}, bench.target(options));
    await bench.kubectl('wait', `pod/${container.id}`, '--for=condition=Ready', '--timeout=30s');
    await expect(run(container, script)).rejects.toThrow(why);
    await container.remove();
  };
  // Everything but itself and process 1, whose heartbeats it forges.
  const each =
    'for p in /proc/[0-9]*; do case ${p#/proc/} in 1|$$) ;; *) kill -STOP ${p#/proc/};; esac; done';
  const stopped = `while :; do echo "$((n += 1))" >/mnt/pulumi-runner/beat; ${each}; done 2>/dev/null`;
  await Promise.all([
    endsWith(stopped, /: the pod no longer answers, although the cluster considers its node ready/),
    endsWith(
      'trap "" INT; echo "no heartbeat of the agent" >/dev/termination-log; kill -TERM 1; sleep 60',
      /: the pod ended, and reports that it had heard nothing from its agent for longer/,
    ),
  ]);
});

it('a step that takes every process number there is does not end the pod', () =>
  inBoth({}, async (container, shell) => {
    const limit = pidsLimitOf(container.id);
    const step = await begin(
      container,
      'mkfifo /tmp/f; echo ready; read -r line </tmp/f; echo on; exit 8',
      shell,
    );
    await step.shows('ready');
    writeFileSync(limit, '1');
    // The pod's first process starts another every two seconds.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    writeFileSync(limit, 'max');
    expect(await run(container, 'echo on >/tmp/f; echo here', shell)).toMatchObject({
      code: 0,
      output: 'here\n',
    });
    expect(await step.exit).toMatchObject({ code: 8 });
    expect(step.output()).toBe('ready\non\n');
  }));

/** The cgroup file, v2 or v1, with the process limit of the pod's container. */
function pidsLimitOf(pod: string): string {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOSTNAME=${pod}\0`)) continue;
      const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
      const [, v1] = /:pids:(.+)$/m.exec(groups) ?? [];
      const [, v2] = /^0::(.+)$/m.exec(groups) ?? [];
      return v1 === undefined ? `/sys/fs/cgroup${v2}/pids.max` : `/sys/fs/cgroup/pids${v1}/pids.max`;
    } catch {
      // The process is gone.
    }
  }
  throw new Error(`no process of ${pod}`);
}
