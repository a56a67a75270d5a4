import { describe, expect, it } from 'vitest';
import { softMemoryBytes } from '../../../../src/base/config/keys/jobs.ts';
import { OutcomeError } from '../../../../src/base/outcome.ts';
import { FILE, load, problems, refusal } from './sources.ts';

const TOKEN = { PULUMI_AGENT_TOKEN: 'pul-environment' };

describe('precedence', () => {
  const environment = { ...TOKEN, PULUMI_AGENT_POLLING_INTERVAL: '2s' };
  const text = 'polling_interval: 3s\n';
  const defaults = { polling_interval: '4s' };

  it('is flag, environment, file, caller default, built-in default', () => {
    const overrides = { polling_interval: '1s' };
    const given = [
      { overrides, environment, text, defaults },
      { environment, text, defaults },
      { environment: TOKEN, text, defaults },
      { environment: TOKEN, defaults },
      { environment: TOKEN },
    ];
    const read = given.map((sources) => load(sources).config.pollingIntervalMs);
    expect(read).toEqual([1_000, 2_000, 3_000, 4_000, 60_000]);
  });

  it('ignores a bad value that a better source overrides', () => {
    const { config } = load({ environment, text: 'polling_interval: [soon]\n' });
    expect(config.pollingIntervalMs).toBe(2_000);
  });
});

describe('the console', () => {
  it.each([
    ['console.bank.example:8443', 'console.bank.example:8443'],
    ['console.bank.example/x?', undefined],
    ['user@evil.example', undefined],
  ])('is where PULUMI_CONSOLE_DOMAIN says, if it is a host: %s', (domain, expected) => {
    const { config, warnings } = load({ environment: { ...TOKEN, PULUMI_CONSOLE_DOMAIN: domain } });
    expect(config.consoleDomain).toBe(expected);
    expect(warnings).toHaveLength(expected === undefined ? 1 : 0);
  });
});

describe('the health threshold', () => {
  it('is twice the longer interval, unless it is given', () => {
    const threshold = (text: string) => load({ environment: TOKEN, text }).config.healthThresholdMs;
    expect(threshold('polling_interval: 10s\n')).toBe(60_000);
    expect(threshold('polling_interval: 3m\n')).toBe(360_000);
    expect(threshold('job_status_loop_interval: 3m\n')).toBe(360_000);
    expect(threshold('polling_interval: 3m\nhealth_threshold: 5m\n')).toBe(300_000);
  });
});

describe('authentication', () => {
  const OIDC = {
    PULUMI_AGENT_OIDC_TOKEN_FILE: '/run/token',
    PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
    PULUMI_AGENT_RUNNER_POOL_ID: 'pool-1',
  };

  it('uses a token, or OIDC with an organization and a pool', () => {
    expect(load({ environment: TOKEN }).config.token).toBe('pul-environment');
    const { config } = load({ environment: OIDC });
    expect(config).toMatchObject({
      oidcTokenFile: '/run/token',
      organizationName: 'acme',
      runnerPoolId: 'pool-1',
    });
    expect(config.token).toBeUndefined();
  });

  it('must be configured, and the message says where the agent looked', () => {
    expect(problems({})).toEqual([
      'no way to authenticate: set token (PULUMI_AGENT_TOKEN) or oidc_token_file (PULUMI_AGENT_OIDC_TOKEN_FILE) ' +
        '(there is no pulumi-workflow-agent.yaml in /current, /elsewhere)',
    ]);
    expect(problems({ directories: [] })).toEqual([
      expect.stringContaining('(there is no configuration file)'),
    ]);
    expect(problems({ text: 'single_run: true\n' })).toEqual([
      expect.stringContaining(`(neither the environment nor ${FILE} does)`),
    ]);
  });

  it('by OIDC names what is missing', () => {
    expect(problems({ text: '\noidc_token_file: /t\n' })).toEqual([
      `organization_name is required with oidc_token_file (${FILE}:2); set it (or PULUMI_AGENT_ORGANIZATION_NAME)`,
      `runner_pool_id is required with oidc_token_file (${FILE}:2); set it (or PULUMI_AGENT_RUNNER_POOL_ID)`,
    ]);
  });

  it('must not be configured in two ways, in one source or across sources', () => {
    const sentence = 'are two ways to authenticate; keep one of them';
    expect(problems({ environment: { ...TOKEN, ...OIDC } })).toEqual([
      `PULUMI_AGENT_TOKEN and PULUMI_AGENT_OIDC_TOKEN_FILE ${sentence}`,
    ]);
    expect(problems({ environment: OIDC, text: 'single_run: true\ntoken: pul-x\n' })).toEqual([
      `${FILE}:2:1: token and PULUMI_AGENT_OIDC_TOKEN_FILE ${sentence}`,
    ]);
    expect(problems({ overrides: { token: 'pul-x' }, text: 'oidc_token_file: /t\n' })).toEqual([
      `--token and oidc_token_file (${FILE}:1) ${sentence}`,
    ]);
  });
});

describe('the engine', () => {
  const PULUMI = 'engine: pulumi\nsingle_run: true\n';
  const problemsOf = (text: string) =>
    refusal({ environment: TOKEN, text }).problems.map(({ message }) => message);

  it("own refuses work that it doesn't serve", () => {
    const text = 'enabled_workflow_types: [deployment, policy_evaluation, insights_scan]\n';
    expect(problemsOf(text)).toEqual([
      "enabled_workflow_types names policy_evaluation and insights_scan, which this agent doesn't serve; remove it, or set engine to pulumi",
    ]);
    expect(load({ environment: TOKEN, text: `${text}${PULUMI}` }).notices).toEqual([]);
  });

  it('pulumi serves only single runs', () => {
    expect(problemsOf('engine: pulumi\n')).toEqual([
      "engine is pulumi, which serves single runs only; set single_run to true, or start Pulumi's agent by itself",
    ]);
  });

  it('pulumi refuses settings that it could not enforce, and names those without effect', () => {
    const clause =
      "has no effect with the engine pulumi, as Pulumi's agent doesn't know it; remove it, or set engine to own";
    const rules =
      'allowed_images: [acme/*]\nrequire_digest: true\ncontainer_runtime: runsc\ntrigger: a/b/c\n';
    expect(problemsOf(`${PULUMI}${rules}operation: preview\naccess_token: pul-2\n`)).toEqual([
      `allowed_images ${clause}`,
      `require_digest ${clause}`,
      `container_runtime ${clause}`,
      `trigger ${clause}`,
    ]);
    const reason = "has no effect: the engine is pulumi, and what it gives to jobs is up to Pulumi's agent.";
    const noticesOf = (text: string) => load({ environment: TOKEN, text: `${PULUMI}${text}` }).notices;
    expect(noticesOf('require_digest: false\nmemory: 1Gi\ncontainer_network: bridge\n')).toEqual([
      `memory (${FILE}:4) ${reason}`,
      `container_network (${FILE}:5) ${reason}`,
    ]);
    expect(noticesOf('deploy_target: kubernetes\nmemory: 1Gi\nnamespace: jobs\n')).toEqual([
      `namespace (${FILE}:5) ${reason}`,
    ]);
    expect(noticesOf('http_server_port: 9090\naccess_token: pul-2\n')).toEqual([
      `access_token (${FILE}:4) has no effect with the engine pulumi.`,
      `http_server_port (${FILE}:3) has no effect with the engine pulumi.`,
    ]);
  });
});

describe('metadata services that are forbidden', () => {
  it.each([
    [
      'deploy_target: kubernetes\n',
      /^allow_metadata \(.*\) can't be enforced on Kubernetes, .* with a NetworkPolicy/,
    ],
    [
      'engine: pulumi\nsingle_run: true\n',
      /^allow_metadata \(.*\) can't be enforced with the engine pulumi, .*: block/,
    ],
  ])('are a warning where nothing can block them: %j', (text, warning) => {
    const loaded = (value: string) => load({ environment: TOKEN, text: `${text}${value}` });
    expect(loaded('allow_metadata: false\n').warnings).toEqual([expect.stringMatching(warning)]);
    expect(loaded('allow_metadata: false\n').notices).toEqual(loaded('').notices);
    expect(loaded('').warnings).toEqual([]);
    expect(loaded('allow_metadata: true\n')).toMatchObject({
      warnings: [],
      notices: expect.arrayContaining([expect.stringMatching(/^allow_metadata .* no effect/)]),
    });
  });
});

describe('problems', () => {
  it('are reported all at once, those of the file first and in its order', () => {
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
      'syslog: maybe',
    ].join('\n');
    const error = refusal({
      text,
      environment: { PULUMI_AGENT_HTTP_SERVER_PORT: '99999', PULUMI_AGENT_TOKEN: 'a b' },
      overrides: { max_wait: 'never' },
    });
    expect(error).toBeInstanceOf(OutcomeError);
    expect(error.outcome).toBe('config-error');
    expect(error.message.split('\n')).toEqual([
      "Failed to load the agent's configuration: 8 problems. Correct what is listed:",
      `  ${FILE}:3:1: polling_interval "30" has no unit; write a duration such as 30s or 1h30m`,
      `  ${FILE}:4:1: env_forward_allowlist must be a plain list`,
      `  ${FILE}:8:1: enabled_workflow_types "deploiment" is not one of deployment, insights_scan, policy_evaluation; did you mean deployment?`,
      `  ${FILE}:9:1: single_run "perhaps" is neither true nor false`,
      `  ${FILE}:10:1: syslog "maybe" is neither true nor false`,
      '  PULUMI_AGENT_TOKEN holds white space or characters a token cannot have; copy the token again',
      '  PULUMI_AGENT_HTTP_SERVER_PORT "99999" is not a whole number from 0 to 65535',
      '  --max-wait "never" is not a duration; write one such as 30s or 1h30m',
      `  ignored: ${FILE}:2:1: "http_server_prot" is not a known key and has no effect; did you mean http_server_port?`,
    ]);
  });

  it('name an override as the caller does', () => {
    const overrideName = (key: string) => `input ${key.replaceAll('_', '-')}`;
    expect(problems({ environment: TOKEN, overrides: { max_wait: '5' }, overrideName })).toEqual([
      'input max-wait "5" has no unit; write a duration such as 30s or 1h30m',
    ]);
  });
});

describe('notices', () => {
  const notices = (more: Record<string, string>, text = '') =>
    load({ environment: { ...TOKEN, ...more }, text: `enabled_workflow_types: deployment\n${text}` }).notices;

  it('are absent for an ordinary configuration', () => {
    expect(notices({ PATH: '/bin', PULUMI_HOME: '/x' }, 'single_run: true\n')).toEqual([]);
  });

  it('name work that only another engine serves', () => {
    expect(load({ environment: TOKEN }).defaultNotices).toEqual([
      "the default of enabled_workflow_types names insights_scan and policy_evaluation: this agent serves deployment only; Discovery scans and policy evaluations need Pulumi's own agent (engine: pulumi).",
    ]);
    expect(load({ environment: TOKEN, text: 'engine: pulumi\nsingle_run: true\n' }).defaultNotices).toEqual(
      [],
    );
  });

  it('say what has no effect when the engine is already installed', () => {
    const text = 'engine: pulumi\nsingle_run: true\nengine_path: /opt/agent\nengine_version: 2.3.0\n';
    expect(load({ environment: TOKEN, text }).notices).toEqual([
      `engine_version (${FILE}:4) has no effect: engine_path (${FILE}:3) says where the agent is.`,
    ]);
  });

  it('are no answer to a digest that nothing would check', () => {
    const text = `engine: pulumi\nsingle_run: true\nengine_path: /opt/agent\nengine_digest: linux-x64=${'a'.repeat(64)}\n`;
    expect(() => load({ environment: TOKEN, text })).toThrow(
      `${FILE}:4:1: engine_digest is of a release's archive, and engine_path (${FILE}:3) is not verified; remove one of them`,
    );
  });

  it('say that no name can be secret or plain while nothing reads what a job brings', () => {
    const text = 'engine: pulumi\nsingle_run: true\nengine_relay: false\n';
    expect(load({ environment: TOKEN, text: `${text}plain_variables: A\n` }).notices).toEqual([
      expect.stringContaining(
        'plain_variables (${FILE}:4) has no effect while engine_relay is false'.replace('${FILE}', FILE),
      ),
    ]);
    expect(() => load({ environment: TOKEN, text: `${text}secret_variables: A\n` })).toThrow(
      'secret_variables has no effect while engine_relay is false: nothing then reads the variables of jobs; remove it, or set engine_relay to true',
    );
  });

  it.each([
    [
      'plain_variables: APP_NAME\nsecret_variables: APP_*\n',
      'plain_variables names "APP_NAME", and secret_variables "APP_*", which takes precedence',
    ],
    [
      'plain_variables: APP_N*\nsecret_variables: A*_*\n',
      'plain_variables names "APP_N*", and secret_variables "A*_*", which takes precedence',
    ],
    [
      'plain_variables: PULUMI_ACCESS_TOKEN\n',
      'plain_variables names PULUMI_ACCESS_TOKEN, a credential of each job',
    ],
    [
      'plain_variables: [A, ROLE]\nenv_forward_allowlist: ROLE\n',
      'plain_variables names "ROLE", which env_forward_allowlist forwards',
    ],
  ])('name no variable plain that stays secret: %j', (text, message) => {
    expect(() => load({ environment: TOKEN, text })).toThrow(message);
  });

  it.each([
    ...['ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'PULUMI_AGENT_TOKEN', 'PULUMI_ID_TOKEN'],
    ...['SYSTEM_ACCESSTOKEN', 'CIRCLE_OIDC_TOKEN_V2', 'BITBUCKET_STEP_OIDC_TOKEN'],
  ])('forward no %s to jobs', (name) => {
    expect(() => load({ environment: TOKEN, text: `env_forward_allowlist: A ${name}\n` })).toThrow(
      `env_forward_allowlist names ${name}: with it, a deployment could act as this agent`,
    );
  });

  it('name single variables secret among plain ones', () => {
    const text = 'plain_variables: APP_*\nsecret_variables: APP_PIN A\nenv_forward_allowlist: APP_ROLE\n';
    expect(load({ environment: TOKEN, text }).notices).toEqual(load({ environment: TOKEN }).notices);
  });

  it('say that a setting only affects the other executor', () => {
    const pods = { PULUMI_AGENT_DEBUG_POD: 'true' };
    const kubernetes = { PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes' };
    expect(notices(pods)).toEqual([
      'PULUMI_AGENT_DEBUG_POD applies only to the Kubernetes target, so it has no effect here.',
    ]);
    expect(notices({ ...pods, ...kubernetes })).toEqual([]);
    expect(notices({ ...kubernetes, PULUMI_AGENT_PIDS_LIMIT: '500' })).toEqual([
      'PULUMI_AGENT_PIDS_LIMIT applies only to the Docker target, so it has no effect here.',
    ]);
  });

  it('name settings without effect', () => {
    expect(notices({ PULUMI_AGENT_IMAGE: 'x' }, 'working_directory: /y\n')).toEqual([
      `working_directory (${FILE}:2) has no effect: this agent loads no runner binaries.`,
      expect.stringMatching(/^PULUMI_AGENT_IMAGE has no effect: .*PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE\.$/),
    ]);
  });

  it('say that a setting only affects a network that jobs don’t get', () => {
    const own = { PULUMI_AGENT_CONTAINER_MTU: '1400', PULUMI_AGENT_CONTAINER_SUBNET: '10.210.0.0/16' };
    expect(notices(own)).toEqual([]);
    expect(notices({ ...own, PULUMI_AGENT_CONTAINER_NETWORK: 'acme' })).toEqual([
      'PULUMI_AGENT_CONTAINER_MTU has no effect: jobs run on the network acme.',
      'PULUMI_AGENT_CONTAINER_SUBNET has no effect: jobs run on the network acme.',
    ]);
  });

  it('point out patterns with a tag when images are named by digest', () => {
    const given = 'r.io:5000/a, b:1.*, r.io:5000/c:2, d@sha256:*';
    expect(notices({ PULUMI_AGENT_ALLOWED_IMAGES: given, PULUMI_AGENT_REQUIRE_DIGEST: 'true' })).toEqual([
      'PULUMI_AGENT_ALLOWED_IMAGES has b:1.* and r.io:5000/c:2, which matches no image while require_digest is true: omit the tag.',
    ]);
  });

  it('point out a service reached without TLS, and waits that contradict each other', () => {
    const insecure = 'service_url: http://pulumi.example.com\nallow_insecure_service_url: true\n';
    expect(notices({}, `${insecure}request_retry_wait: 3m\nhealth_threshold: 1m\n`)).toEqual([
      `service_url (${FILE}:2) is not https: tokens cross the network unencrypted.`,
      'request_retry_wait (3m0s) is longer than request_retry_max_wait; each wait is 2m0s.',
      'health_threshold (1m0s) is not longer than polling_interval (1m0s); /healthz will report unhealthy between polls.',
    ]);
  });

  it('are warnings for unknown variables', () => {
    const environment = { ...TOKEN, PULUMI_AGENT_POLING_INTERVAL: '1s', PULUMI_AGENT_FOO: '1' };
    expect(load({ environment }).warnings).toEqual([
      'PULUMI_AGENT_FOO is not a known setting and has no effect.',
      'PULUMI_AGENT_POLING_INTERVAL is not a known setting and has no effect; did you mean PULUMI_AGENT_POLLING_INTERVAL?',
    ]);
  });
});

describe('AgentConfig', () => {
  it("reads Pulumi's variable for memory in Gi, and prefers ours", () => {
    const memory = (environment: Record<string, string>) =>
      load({ environment: { ...TOKEN, ...environment } }).config.memoryBytes;
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '4' })).toBe(4 * 2 ** 30);
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '0.5' })).toBe(2 ** 29);
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '512Mi' })).toBe(2 ** 29);
    expect(memory({ PULUMI_AGENT_MEM_QUANTITY: '4', PULUMI_AGENT_MEMORY: '1Gi' })).toBe(2 ** 30);
    expect(() => memory({ PULUMI_AGENT_MEMORY: '4' })).toThrow('PULUMI_AGENT_MEMORY "4" has no unit');
  });

  it('accepts a soft memory limit only below the memory limit', () => {
    const limit = (memory: string, soft?: string) => {
      const given = { PULUMI_AGENT_MEMORY: memory, ...(soft && { PULUMI_AGENT_MEMORY_SOFT_LIMIT: soft }) };
      const { memorySoftLimit, memoryBytes } = load({ environment: { ...TOKEN, ...given } }).config;
      return softMemoryBytes(memorySoftLimit, memoryBytes);
    };
    expect(limit('1000M')).toBe(850_000_000);
    expect(limit('1000M', '60%')).toBe(600_000_000);
    expect(limit('1000M', '999M')).toBe(999_000_000);
    expect(limit('1000M', 'off')).toBeUndefined();
    expect(() => limit('1Gi', '1Gi')).toThrow(
      'PULUMI_AGENT_MEMORY_SOFT_LIMIT is not below memory (1 GiB), at which the kernel kills the job; choose less, or off',
    );
  });
});
