import { describe, expect, it } from 'vitest';
import { FILE, load } from './sources.ts';

const TOKEN = { PULUMI_AGENT_TOKEN: 'pul-environment' };

describe('notices', () => {
  const notices = async (given: Parameters<typeof load>[0]) => (await load(given)).notices;

  it('are none for an ordinary configuration', async () => {
    expect(
      await notices({ environment: { ...TOKEN, PATH: '/bin', PULUMI_HOME: '/x' }, text: 'single_run: true\n' }),
    ).toEqual([]);
  });

  it('name variables that are not known', async () => {
    const environment = { ...TOKEN, PULUMI_AGENT_POLING_INTERVAL: '1s', PULUMI_AGENT_ZZZZZZZZZZ: '1' };
    expect((await load({ environment })).warnings).toEqual([
      'PULUMI_AGENT_POLING_INTERVAL is not a known setting and has no effect; did you mean PULUMI_AGENT_POLLING_INTERVAL?',
      'PULUMI_AGENT_ZZZZZZZZZZ is not a known setting and has no effect.',
    ]);
  });

  it.each([
    'PULUMI_AGENT_IMAGE',
    'PULUMI_AGENT_IMAGE_PULL_POLICY',
    'PULUMI_AGENT_SERVICE_ACCOUNT_NAME',
    'PULUMI_AGENT_NUM_CPUS',
    'PULUMI_AGENT_MEM_QUANTITY',
    'PULUMI_AGENT_DEBUG_POD',
  ])('say that %s only acts on Kubernetes', async (variable) => {
    const loaded = await load({ environment: { ...TOKEN, [variable]: 'x' } });
    expect(loaded.notices).toEqual([expect.stringMatching(`^${variable} only acts on the Kubernetes target`)]);
    expect(loaded.config).toEqual((await load({ environment: TOKEN })).config);
  });

  it('name settings without effect', async () => {
    const text = 'version: v0.0.5\nshared_volume_directory: /x\nworking_directory: /y\n';
    expect(await notices({ environment: TOKEN, text })).toEqual([
      `working_directory (${FILE}:3) has no effect: this agent loads no runner binaries.`,
      `shared_volume_directory (${FILE}:2) has no effect: nothing of the host is mounted into jobs.`,
      `version (${FILE}:1) is a key of old configuration files and has no effect.`,
    ]);
  });

  it('tell of a service reached without TLS', async () => {
    const text = 'service_url: http://pulumi.example.com\nallow_insecure_service_url: true\n';
    expect(await notices({ environment: TOKEN, text })).toEqual([
      `service_url (${FILE}:1) is not https: tokens cross the network readable.`,
    ]);
  });

  it('tell of waits that contradict each other', async () => {
    expect(await notices({ environment: TOKEN, text: 'request_retry_wait: 3m\nhealth_threshold: 1m\n' })).toEqual([
      'request_retry_wait (3m0s) is longer than request_retry_max_wait; each wait is 2m0s.',
      'health_threshold (1m0s) is not longer than polling_interval (1m0s); /healthz will say unhealthy between polls.',
    ]);
  });
});
