import { describe, expect, it } from 'vitest';
import { FILE, load } from './sources.ts';

const TOKEN = { PULUMI_AGENT_TOKEN: 'pul-environment' };

describe('notices', () => {
  const notices = (given: Parameters<typeof load>[0]) => {
    const all = load(given).notices;
    const rest = all.filter((notice) => !notice.startsWith('the default of enabled_workflow_types names '));
    expect(all.length - rest.length).toBe(1); // for the default names work that this agent doesn't serve
    return rest;
  };

  it.each([
    ['deployment', []],
    ['deployment,insights_scan', ['insights_scan']],
    ['policy_evaluation,deployment,insights_scan', ['policy_evaluation', 'insights_scan']],
  ])('name work that needs another agent: %s', (types, others) => {
    const ours = (place: string) => [
      `enabled_workflow_types (${place}) names ${others.join(' and ')}: that work needs Pulumi's own agent on the pool, this one serves deployment only.`,
    ];
    const loaded = load({ environment: TOKEN, text: `enabled_workflow_types: [${types}]\n` });
    expect(loaded.notices).toEqual(others.length === 0 ? [] : ours(`${FILE}:1`));
    expect(loaded.config.enabledWorkflowTypes).toEqual(types.split(','));
  });

  it('are no others for an ordinary configuration', () => {
    expect(notices({ environment: { ...TOKEN, PATH: '/bin', PULUMI_HOME: '/x' }, text: 'single_run: true\n' })).toEqual(
      [],
    );
  });

  it('name variables that are not known', () => {
    const environment = { ...TOKEN, PULUMI_AGENT_POLING_INTERVAL: '1s', PULUMI_AGENT_FOO: '1' };
    expect(load({ environment }).warnings).toEqual([
      'PULUMI_AGENT_FOO is not a known setting and has no effect.',
      'PULUMI_AGENT_POLING_INTERVAL is not a known setting and has no effect; did you mean PULUMI_AGENT_POLLING_INTERVAL?',
    ]);
  });

  it.each([
    ['PULUMI_AGENT_IMAGE_PULL_POLICY', 'Never'],
    ['PULUMI_AGENT_SERVICE_ACCOUNT_NAME', 'x'],
    ['PULUMI_AGENT_DEBUG_POD', 'true'],
    ['PULUMI_AGENT_KUBECONFIG', '/x'],
  ])('say that %s only acts on Kubernetes', (variable, value) => {
    const line = `${variable} only acts on the Kubernetes target, so it has no effect here.`;
    const environment = { ...TOKEN, [variable]: value };
    expect(notices({ environment })).toEqual([line]);
    expect(notices({ environment: { ...environment, PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes' } })).toEqual([]);
  });

  it('say that what is said of containers only acts on Docker', () => {
    const environment = { ...TOKEN, PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes', PULUMI_AGENT_PIDS_LIMIT: '500' };
    expect(notices({ environment })).toEqual([
      'PULUMI_AGENT_PIDS_LIMIT only acts on the Docker target, so it has no effect here.',
    ]);
  });

  it("say that the agent's own image has no effect", () => {
    const [line] = notices({ environment: { ...TOKEN, PULUMI_AGENT_IMAGE: 'x' } });
    expect(line).toMatch(/^PULUMI_AGENT_IMAGE has no effect: .*PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE\.$/);
  });

  it('name settings without effect', () => {
    const text = 'version: v0.0.5\nshared_volume_directory: /x\nworking_directory: /y\n';
    expect(notices({ environment: TOKEN, text })).toEqual([
      `working_directory (${FILE}:3) has no effect: this agent loads no runner binaries.`,
      `shared_volume_directory (${FILE}:2) has no effect: nothing of the host is mounted into jobs.`,
      `version (${FILE}:1) is a key of old configuration files and has no effect.`,
    ]);
  });

  it('tell of patterns with a tag where images are named by their digest', () => {
    const given = 'r.io:5000/a, b:1.*, r.io:5000/c:2, d@sha256:*';
    const environment = { ...TOKEN, PULUMI_AGENT_ALLOWED_IMAGES: given, PULUMI_AGENT_REQUIRE_DIGEST: 'true' };
    expect(notices({ environment })).toEqual([
      'PULUMI_AGENT_ALLOWED_IMAGES has b:1.* and r.io:5000/c:2, which can take no image while require_digest is true: leave the tag out.',
    ]);
    expect(notices({ environment: { ...environment, PULUMI_AGENT_REQUIRE_DIGEST: 'false' } })).toEqual([]);
  });

  it('tell of a service reached without TLS', () => {
    const text = 'service_url: http://pulumi.example.com\nallow_insecure_service_url: true\n';
    expect(notices({ environment: TOKEN, text })).toEqual([
      `service_url (${FILE}:1) is not https: tokens cross the network readable.`,
    ]);
  });

  it('tell of waits that contradict each other', () => {
    expect(notices({ environment: TOKEN, text: 'request_retry_wait: 3m\nhealth_threshold: 1m\n' })).toEqual([
      'request_retry_wait (3m0s) is longer than request_retry_max_wait; each wait is 2m0s.',
      'health_threshold (1m0s) is not longer than polling_interval (1m0s); /healthz will say unhealthy between polls.',
    ]);
  });
});
