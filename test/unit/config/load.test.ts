import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AgentConfig } from '../../../src/config/agent-config.ts';
import { OutcomeError } from '../../../src/outcome.ts';
import { FILE, load, problems, refusal } from './sources.ts';

const TOKEN = { PULUMI_AGENT_TOKEN: 'pul-environment' };

describe('rank', () => {
  const environment = { ...TOKEN, PULUMI_AGENT_POLLING_INTERVAL: '2s' };
  const text = 'polling_interval: 3s\n';
  const defaults = { polling_interval: '4s' };

  it('is flag, environment, file, caller default, built-in default', () => {
    const overrides = { polling_interval: '1s' };
    const steps = [
      { given: { overrides, environment, text, defaults }, ms: 1_000 },
      { given: { environment, text, defaults }, ms: 2_000 },
      { given: { environment: TOKEN, text, defaults }, ms: 3_000 },
      { given: { environment: TOKEN, defaults }, ms: 4_000 },
      { given: { environment: TOKEN }, ms: 60_000 },
    ];
    for (const { given, ms } of steps) {
      const { config } = load(given);
      expect(config.pollingIntervalMs).toBe(ms);
    }
  });

  it('lets a bad value be that a better source overrides', () => {
    const { config } = load({ environment, text: 'polling_interval: [soon]\n' });
    expect(config.pollingIntervalMs).toBe(2_000);
  });

  it('keeps names every object has apart from settings', () => {
    const { config } = load({ environment: TOKEN, overrides: Object.create({ polling_interval: '9s' }) });
    expect(config.pollingIntervalMs).toBe(60_000);
  });
});

describe('what depends on other things', () => {
  it('is the health threshold: twice the longer interval, unless it is given', () => {
    const threshold = (text: string) => load({ environment: TOKEN, text }).config.healthThresholdMs;
    expect(threshold('polling_interval: 10s\n')).toBe(60_000);
    expect(threshold('polling_interval: 3m\n')).toBe(360_000);
    expect(threshold('job_status_loop_interval: 3m\n')).toBe(360_000);
    expect(threshold('polling_interval: 3m\nhealth_threshold: 5m\n')).toBe(300_000);
  });
});

describe('ways to authenticate', () => {
  const OIDC = {
    PULUMI_AGENT_OIDC_TOKEN_FILE: '/run/token',
    PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
    PULUMI_AGENT_RUNNER_POOL_ID: 'pool-1',
  };

  it('is a token, or OIDC with organization and pool', () => {
    expect(load({ environment: TOKEN }).config.token).toBe('pul-environment');
    const { config } = load({ environment: OIDC });
    expect(config).toMatchObject({ oidcTokenFile: '/run/token', organizationName: 'acme', runnerPoolId: 'pool-1' });
    expect(config.token).toBeUndefined();
  });

  it('must be given, and the message says where was looked', () => {
    expect(problems({})).toEqual([
      'no way to authenticate: set token (PULUMI_AGENT_TOKEN) or oidc_token_file (PULUMI_AGENT_OIDC_TOKEN_FILE) ' +
        '(there is no pulumi-workflow-agent.yaml in /current, /home-dir, /etc, /agent-dir)',
    ]);
    expect(problems({ text: 'single_run: true\n' })).toEqual([
      expect.stringContaining(`(neither the environment nor ${FILE} does)`),
    ]);
  });

  it('names what OIDC lacks', () => {
    expect(problems({ text: '\noidc_token_file: /t\n' })).toEqual([
      `organization_name is required with oidc_token_file (${FILE}:2); set it (or PULUMI_AGENT_ORGANIZATION_NAME)`,
      `runner_pool_id is required with oidc_token_file (${FILE}:2); set it (or PULUMI_AGENT_RUNNER_POOL_ID)`,
    ]);
  });

  it('must not be two at once, in one source or across sources', () => {
    const sentence = 'is one way to authenticate, and';
    expect(problems({ environment: { ...TOKEN, ...OIDC } })).toEqual([
      `PULUMI_AGENT_TOKEN ${sentence} PULUMI_AGENT_OIDC_TOKEN_FILE is another; keep one of them`,
    ]);
    expect(problems({ environment: OIDC, text: 'single_run: true\ntoken: pul-x\n' })).toEqual([
      `${FILE}:2:1: token ${sentence} PULUMI_AGENT_OIDC_TOKEN_FILE is another; keep one of them`,
    ]);
    expect(problems({ overrides: { token: 'pul-x' }, text: 'oidc_token_file: /t\n' })).toEqual([
      `--token ${sentence} oidc_token_file (${FILE}:1) is another; keep one of them`,
    ]);
  });
});

describe('problems', () => {
  it('come all at once, those of the file first and in its order', () => {
    const text = [
      '# the agent of the build machines',
      'http_server_prot: 9000',
      'polling_interval: 30',
      'env_forward_allowlist:',
      '  - GOOD',
      '  - NOT-GOOD',
      '  - { a: b }',
      'enabled_workflow_types: [deployment, deploiment]',
      'single_run: perhaps',
      'polling_interval: 1m',
      'syslog: maybe',
    ].join('\n');
    const error = refusal({
      text,
      environment: { PULUMI_AGENT_HTTP_SERVER_PORT: '99999', PULUMI_AGENT_TOKEN: 'a b' },
      overrides: { max_wait: 'never', no_such: '1' },
    });
    expect(error).toBeInstanceOf(OutcomeError);
    expect(error.outcome).toBe('config-error');
    expect(error.message.split('\n')).toEqual([
      "Failed to load the agent's configuration: 9 problems. Correct what is listed:",
      `  ${FILE}:4:1: env_forward_allowlist must be a plain list`,
      `  ${FILE}:8:38: enabled_workflow_types "deploiment" is not one of deployment, insights_scan, policy_evaluation; did you mean deployment?`,
      `  ${FILE}:9:1: single_run "perhaps" is neither true nor false`,
      `  ${FILE}:10:1: polling_interval is given twice; keep one`,
      `  ${FILE}:11:1: syslog "maybe" is neither true nor false`,
      '  --no-such is not a known setting',
      '  PULUMI_AGENT_TOKEN holds white space or characters a token cannot have; copy the token again',
      '  PULUMI_AGENT_HTTP_SERVER_PORT "99999" is not a whole number from 0 to 65535',
      '  --max-wait "never" is not a duration; write one such as 30s or 1h30m',
      `  passed over: ${FILE}:2:1: "http_server_prot" is not a known key and has no effect; did you mean http_server_port?`,
    ]);
  });

  it('carry key, file, line and column', () => {
    const { problems: list } = refusal({ environment: TOKEN, text: '\n  max_wait: 5\n' });
    expect(list).toEqual([
      {
        message: 'max_wait "5" has no unit; write a duration such as 30s or 1h30m',
        key: 'max_wait',
        file: FILE,
        line: 2,
        column: 3,
      },
    ]);
  });

  it('call an override what the caller calls it', () => {
    const overrideName = (key: string) => `input ${key.replaceAll('_', '-')}`;
    expect(problems({ environment: TOKEN, overrides: { max_wait: '5' }, overrideName })).toEqual([
      'input max-wait "5" has no unit; write a duration such as 30s or 1h30m',
    ]);
  });

  it('include a default for no known setting', () => {
    expect(problems({ environment: TOKEN, defaults: { max_weight: '5' } })).toEqual([
      'the default of max_weight is for no known setting',
    ]);
  });
});

describe('AgentConfig', () => {
  it('has these properties', () => {
    interface Expected {
      readonly token?: string;
      readonly serviceUrl: string;
      readonly deployTarget: 'docker' | 'kubernetes';
      readonly singleRun: boolean;
      readonly pullImage: boolean;
      readonly enabledWorkflowTypes: readonly ('deployment' | 'insights_scan' | 'policy_evaluation')[];
      readonly envForwardAllowlist: readonly string[];
      readonly oidcTokenFile?: string;
      readonly organizationName?: string;
      readonly runnerPoolId?: string;
      readonly runnerPoolName?: string;
      readonly oidcScope?: string;
      readonly oidcAudience?: string;
      readonly tokenExpirationSeconds?: number;
      readonly pollingIntervalMs: number;
      readonly pollingIntervalOverride: boolean;
      readonly jobStatusLoopIntervalMs: number;
      readonly requestTimeoutMs: number;
      readonly requestRetryCount: number;
      readonly requestRetryWaitMs: number;
      readonly requestRetryMaxWaitMs: number;
      readonly circuitBreakerFailures: number;
      readonly circuitBreakerTimeoutMs: number;
      readonly httpServerPort: number;
      readonly healthThresholdMs: number;
      readonly syslog: boolean;
      readonly allowInsecureServiceUrl: boolean;
      readonly maxWaitMs?: number;
      readonly failOnNoWork: boolean;
      readonly image?: string;
      readonly cancelGracePeriodMs: number;
      readonly reportTimeoutMs: number;
      readonly httpServerAddress?: string;
      readonly runDirectory?: string;
      readonly keptRuns?: number;
      readonly caCertificate?: string;
      readonly caCertificateInJobs: boolean;
      readonly logFormat: 'text' | 'json';
      readonly logLevel: 'debug' | 'info' | 'warning' | 'error';
      readonly syslogSocket: string;
      readonly syslogFormat?: 'rfc5424' | 'local';
      readonly allowedImages: readonly string[];
      readonly requireDigest: boolean;
      readonly prepullImages: readonly string[];
      readonly cacheVolume?: string;
      readonly memoryBytes?: number;
      readonly numCpus?: number;
      readonly pidsLimit: number;
      readonly extraCapabilities: readonly string[];
      readonly containerNetwork?: string;
      readonly dnsServers: readonly string[];
      readonly allowMetadata: boolean;
      readonly trigger: readonly string[];
      readonly operation?: 'update' | 'preview' | 'refresh' | 'destroy' | 'detect-drift' | 'remediate-drift';
      readonly triggerJitterMs: number;
      readonly accessToken?: string;
      readonly accessTokenScope?: string;
      readonly planMax: number;
      readonly kubeconfig?: string;
      readonly kubeContext?: string;
      readonly namespace?: string;
      readonly podTemplate?: string | { readonly text: string; readonly name: string };
      readonly serviceAccount?: string;
      readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
      readonly podStartTimeoutMs: number;
      readonly debugPod: boolean;
    }
    // one flat type of the two that AgentConfig joins
    type Flat = { [K in keyof AgentConfig]: AgentConfig[K] };
    expectTypeOf<Flat>().toEqualTypeOf<{ [K in keyof Expected]: Expected[K] }>();
  });

  it("counts Pulumi's variable for memory in Gi, and takes ours before it", () => {
    const memory = (environment: Record<string, string>) =>
      load({ environment: { ...TOKEN, ...environment } }).config.memoryBytes;
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '4' })).toBe(4 * 2 ** 30);
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '0.5' })).toBe(2 ** 29);
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '512Mi' })).toBe(2 ** 29);
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '4', PULUMI_AGENT_MEMORY: '1Gi' })).toBe(2 ** 30);
    expect(() => memory({ PULUMI_AGENT_MEMORY: '4' })).toThrow('PULUMI_AGENT_MEMORY "4" has no unit');
  });

  it('is frozen', () => {
    const { config } = load({ environment: TOKEN });
    expect(Object.isFrozen(config)).toBe(true);
  });
});
