import { expect, it } from 'vitest';
import type { ContainerSpec } from '../../../../src/executor/executor.ts';
import { podFor } from '../../../../src/executor/kubernetes/pod/pod.ts';

it('a pod holds no value of its job', () => {
  const value = 'canary-8f2c61d07b';
  const spec: ContainerSpec = {
    image: 'acme/app:1',
    pull: true,
    labels: { 'pulumi-runner.run': 'run-1' },
    credentials: { username: 'reader', password: value },
    files: [{ path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: value }],
    environmentFile: '/PULUMI_ENV',
  };
  const settings = { graceMs: 1_000, startTimeoutMs: 1_000 };
  const pod = podFor(spec, { name: 'pulumi-runner-1', pullSecret: 'pulumi-runner-1', settings });
  expect(pod.spec?.imagePullSecrets).toEqual([{ name: 'pulumi-runner-1' }]);
  expect(JSON.stringify(pod)).not.toContain(value);
});
