import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { chartRules } from '../../support/kubernetes/chart.ts';
import { clusterBench, JOB_IMAGE, rule } from '../../support/kubernetes/cluster.ts';
import { type Diagnosis, diagnose } from '../doctor/command.ts';

const POOL = 'pool-7a1c';
const PERMISSIONS = ['pods', 'pods-exec', 'events', 'secrets'].map((name) => `permission-${name}`);
const bench = clusterBench();
let cloud: PulumiCloud;
beforeAll(async () => {
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [{ id: POOL, name: 'private' }] });
});
afterAll(() => cloud.stop());

/** Doctor's report with this kubeconfig's account. */
async function examined(kubeconfig: string, more: Record<string, string> = {}): Promise<Diagnosis> {
  return diagnose({
    PULUMI_AGENT_SERVICE_URL: cloud.url,
    PULUMI_AGENT_TOKEN: cloud.createStaticToken(POOL),
    PULUMI_AGENT_HTTP_SERVER_PORT: '0',
    PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes',
    PULUMI_AGENT_KUBECONFIG: kubeconfig,
    PULUMI_AGENT_NAMESPACE: bench.namespace,
    PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: JOB_IMAGE,
    ...more,
  });
}

const written = (resource: string, ...verbs: string[]) =>
  `{apiGroups: [""], resources: ["${resource}"], verbs: [${verbs.map((verb) => `"${verb}"`).join(', ')}]} to a Role in namespace ${bench.namespace}`;

describe('doctor on a cluster', () => {
  it('finds nothing missing in the chart’s Role, and leaves nothing, not even kept pods', async () => {
    const account = await bench.accountWith(await chartRules());
    const diagnosis = await examined(account, {
      PULUMI_AGENT_POD_TEMPLATE: 'metadata: {labels: {team: platform}}',
      PULUMI_AGENT_DEBUG_POD: 'true',
    });
    expect(diagnosis.outcome).toBe('succeeded');
    expect(diagnosis.having('failed')).toEqual([]);
    expect(diagnosis.having('passed')).toEqual(
      expect.arrayContaining(['kubernetes', ...PERMISSIONS, 'permission-podtemplates']),
    );
    expect(diagnosis.of('kubernetes')).toMatchObject({ title: 'Kubernetes' });
    expect(diagnosis.of('kubernetes').detail).toContain(`namespace ${bench.namespace}`);
    expect(diagnosis.of('container')).toMatchObject({ title: 'Pod', status: 'warning' });
    expect(diagnosis.of('container').detail).toMatch(/started, used and removed; it lacks pulumi,/);
    expect(diagnosis.checks.map(({ id }) => id)).not.toContain('docker');
    await expect.poll(() => bench.objects(), { timeout: 20_000 }).toEqual([]);
  });

  it('warns of what only some jobs need, and runs a pod without it', async () => {
    const version: unknown = JSON.parse(await bench.kubectl('version', '--output', 'json'));
    const { minor } = (version as { serverVersion: { minor: string } }).serverVersion;
    const pods = rule('pods', 'create', 'get', 'delete');
    const diagnosis = await examined(await bench.accountWith([pods, rule('pods/exec', 'get')]));
    // Since 1.35 a stream that is requested with GET needs the verb of POST, too.
    if (Number(minor) >= 35) {
      expect(diagnosis.having('failed')).toEqual(['kubernetes']);
      expect(diagnosis.of('kubernetes').detail).toContain(
        `this account can't create pods/exec in namespace ${bench.namespace}. Add the rule {apiGroups: [""], resources: ["pods/exec"], verbs: ["create"]} to a Role there`,
      );
      return;
    }
    expect(diagnosis.having('failed')).toEqual([]);
    expect(diagnosis.having('warning')).toEqual([...PERMISSIONS, 'container']);
    expect(diagnosis.of('permission-events').detail).toBe(
      `this account can't list: without it, a pod's failure is reported without its events. Add the rule ${written('events', 'list')} that is bound to this account.`,
    );
    expect(diagnosis.of('permission-pods').detail).toContain(`can't list, watch: `);
    expect(diagnosis.of('permission-secrets').detail).toContain(
      written('secrets', 'create', 'list', 'delete'),
    );
    expect(diagnosis.of('container').detail).toMatch(/used and removed/);
  });

  it('names each rule that no job can do without', async () => {
    const account = await bench.accountWith([rule('pods', 'create', 'list'), rule('pods/exec', 'create')]);
    const diagnosis = await examined(account, {
      PULUMI_AGENT_POD_TEMPLATE: 'metadata: {labels: {team: platform}}',
    });
    expect(diagnosis.outcome).toBe('target-error');
    expect(diagnosis.having('failed')).toEqual([
      'kubernetes',
      'permission-pods',
      'permission-pods-exec',
      'permission-podtemplates',
    ]);
    expect(diagnosis.of('permission-pods').detail).toBe(
      `Failed to get access to pods for jobs: this account can't get, delete, watch. Add the rule ${written('pods', 'get', 'delete', 'watch')} that is bound to this account.`,
    );
    expect(diagnosis.of('permission-pods-exec').detail).toContain(written('pods/exec', 'get'));
    expect(diagnosis.of('permission-podtemplates').detail).toContain(
      written('podtemplates', 'create', 'patch', 'delete'),
    );
    expect(diagnosis.having('skipped')).toContain('container');
  });

  it('pulls no image that nobody named', async () => {
    const diagnosis = await examined(bench.kubeconfig, { PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: '' });
    expect(diagnosis.of('container')).toMatchObject({
      status: 'unknown',
      detail:
        "could not tell: pulumi/pulumi:latest isn't there yet, and a job pulls its own. --image IMAGE tries it.",
    });
    expect(await bench.objects()).toEqual([]);
    const events = () =>
      bench.kubectl('get', 'events', '--output', 'jsonpath={.items[*].reason} {.items[*].message}');
    await expect.poll(events, { timeout: 20_000 }).toContain('ErrImageNeverPull');
    expect(await events()).not.toContain('Pulling image "pulumi/pulumi');
  });
});
