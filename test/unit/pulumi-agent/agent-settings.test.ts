import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/base/config/load.ts';
import { agentEnvironment, agentFile } from '../../../src/pulumi-agent/agent-settings.ts';

const configOf = (overrides: Record<string, string>) =>
  loadConfig({
    environment: {},
    workingDirectory: '/nowhere',
    overrides: { single_run: 'true', engine: 'pulumi', ...overrides },
  }).config;
const fileOf = (overrides: Record<string, string>) =>
  agentFile({
    config: configOf(overrides),
    serviceUrl: 'http://172.17.0.1:4001',
    port: 4002,
    programs: '/p',
    shared: '/s',
  });

describe('the configuration of Pulumi’s agent', () => {
  it('says in Pulumi’s own keys what ours says, and where the relay is', () => {
    const file = fileOf({
      token: 'pul-"1',
      polling_interval: '10s',
      env_forward_allowlist: 'A,B',
      max_wait: '5m',
      memory: '1Gi',
    });
    expect(file.split('\n')).toEqual(
      expect.arrayContaining([
        'token: "pul-\\"1"',
        'service_url: "http://172.17.0.1:4001"',
        'single_run: true',
        'polling_interval: "10s"',
        'http_server_port: 4002',
        'working_directory: "/p"',
        'shared_volume_directory: "/s"',
        '  - "A"',
        '  - "B"',
      ]),
    );
    expect(file).not.toMatch(/^(?:max_wait|memory|engine|oidc)/m);
  });

  it('names the ID token’s file in place of a token', () => {
    const file = fileOf({
      oidc_token_file: '/id',
      organization_name: 'acme',
      runner_pool_id: 'p',
      token_expiration: '1h',
    });
    expect(file).not.toMatch(/^token:/m);
    const keys = [...file.matchAll(/^(\w+):/gm)].map(([, key]) => key);
    expect(keys).toEqual(
      expect.arrayContaining(['oidc_token_file', 'organization_name', 'runner_pool_id', 'token_expiration']),
    );
  });

  it('comes with an environment of documented and forwarded variables only', () => {
    const environment = {
      PATH: '/bin',
      GITHUB_TOKEN: 'x',
      FOO: 'forwarded',
      HTTPS_PROXY: 'http://p',
      PULUMI_AGENT_TOKEN: 'x',
      OTEL_EXPORTER_OTLP_HEADERS: 'key=x',
      TRACEPARENT: 'x',
      DOCKER_HOST: 'unix:///d',
    };
    const config = configOf({ token: 't', env_forward_allowlist: 'FOO' });
    expect(agentEnvironment({ config, environment, version: '2.2.0', isProxied: true })).toEqual({
      PATH: '/bin',
      FOO: 'forwarded',
      DOCKER_HOST: 'unix:///d',
    });
    expect(
      agentEnvironment({ config, environment, version: '2.2.0', isProxied: false, certificates: '/ca' }),
    ).toMatchObject({
      HTTPS_PROXY: 'http://p',
      SSL_CERT_FILE: '/ca',
    });
  });

  it('comes with variables for the pods, and the image of the agent’s own version', () => {
    const pods = { deploy_target: 'kubernetes', service_account: 'jobs', memory: '1536Mi', num_cpus: '1.5' };
    const config = configOf({ token: 't', kubeconfig: '/k', ...pods });
    expect(agentEnvironment({ config, environment: {}, version: '2.2.0', isProxied: false })).toEqual({
      PULUMI_AGENT_IMAGE: 'pulumi/customer-managed-workflow-agent:v2.2.0',
      PULUMI_AGENT_IMAGE_PULL_POLICY: 'IfNotPresent',
      PULUMI_AGENT_SERVICE_ACCOUNT_NAME: 'jobs',
      PULUMI_AGENT_NUM_CPUS: '1.5',
      PULUMI_AGENT_MEM_QUANTITY: '1.5',
      KUBECONFIG: '/k',
    });
    const environment = { PULUMI_AGENT_IMAGE: 'mirror/agent:2' };
    expect(agentEnvironment({ config, environment, version: '2.2.0', isProxied: false })).toMatchObject(
      environment,
    );
  });
});
