import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
const kubeconfig = join(folder, 'config');
afterAll(() => rmSync(folder, { recursive: true }));

it('an error about a kubeconfig’s YAML names the place and quotes nothing', async () => {
  writeFileSync(
    kubeconfig,
    'users:\n  - name: u\n    user:\n      password: *ca-na-ry\n      token: ca-na-ry\n',
  );
  await expect(new Cluster({ kubeconfig }).config()).rejects.toMatchObject({
    code: 'PRA-K8S-02',
    message: expect.stringMatching(/for the cluster: its YAML is invalid at line 4, column \d+\. Check/),
  });
  await expect(new Cluster({ kubeconfig }).config()).rejects.not.toThrow(/ca-na-ry/);
});
