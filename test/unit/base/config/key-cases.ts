import {
  type AgentConfig,
  CONFIG_PROPERTIES,
  type ConfigKey,
} from '../../../../src/base/config/agent-config.ts';

/** Good texts of a key with the values that they are read as, and bad ones with the clause of their refusal. */
interface Reading {
  readonly good: readonly [text: string, value: unknown][];
  readonly bad: readonly [text: string, clause: string][];
}
export type Case = Reading & { readonly property: keyof AgentConfig };

function reading(
  good: Readonly<Record<string, unknown>>,
  bad: Readonly<Record<string, string>> = {},
): Reading {
  return { good: Object.entries(good), bad: Object.entries(bad) };
}

// Keys of a shared kind have one text each; the kind's other cases are with its first key.
const boolean = reading({ true: true, false: false });
const duration = reading({ '1h30m': 5_400_000 });
const durationOrZero = reading({ '0s': 0 });
const path = reading({ 'x/../y': '/current/y' });
const word = reading({ 'acme-corp': 'acme-corp' });
const text = reading({ 'my pool': 'my pool' });

const NO_TOKEN = 'holds white space or characters a token cannot have; copy the token again';
const NO_ADDRESS = 'is not an address such as https://api.pulumi.com: scheme, host, port and path alone';

const READINGS: Record<ConfigKey, Reading> = {
  token: reading(
    { 'pul-abc': 'pul-abc', ' pul-abc\n': 'pul-abc', '12345': '12345' },
    { 'pul-a b': NO_TOKEN, 'pul-é': NO_TOKEN, 'pul-\u0001': NO_TOKEN },
  ),
  service_url: reading(
    {
      'https://Example.com:8443/pulumi///': 'https://example.com:8443/pulumi',
      'http://localhost:9': 'http://localhost:9',
      'http://127.0.0.1:9/': 'http://127.0.0.1:9',
      'http://[::1]:9': 'http://[::1]:9',
      'http://pulumi.localhost': 'http://pulumi.localhost',
    },
    {
      'api.pulumi.com': `"api.pulumi.com" ${NO_ADDRESS}`,
      'ftp://example.com': `"ftp://example.com" ${NO_ADDRESS}`,
      'https://u:secret@example.com': 'holds credentials',
      'u:secret@example.com': NO_ADDRESS,
      'https://example.com?a=b': `"https://example.com?a=b" ${NO_ADDRESS}`,
      'http://example.com': 'would send tokens unencrypted to example.com; use https://',
      'http://localhost.example.com': 'would send tokens unencrypted to localhost.example.com',
    },
  ),
  deploy_target: reading(
    { kubernetes: 'kubernetes' },
    {
      ecs: '"ecs" is not one of docker, kubernetes',
      Dokcer: '"Dokcer" is not one of docker, kubernetes; did you mean docker?',
    },
  ),
  single_run: reading(
    { TRUE: true, True: true, t: true, T: true, '1': true, F: false, '0': false },
    { yes: '"yes" is neither true nor false', constructor: '"constructor" is neither true nor false' },
  ),
  pull_image: boolean,
  enabled_workflow_types: reading(
    { 'deployment, deployment': ['deployment'] },
    {
      insights_scan:
        "names insights_scan, which this agent doesn't serve; remove it, or set engine to pulumi",
      ',': 'is empty; add deployment',
      deployments:
        '"deployments" is not one of deployment, insights_scan, policy_evaluation; did you mean deployment?',
    },
  ),
  env_forward_allowlist: reading(
    { 'AWS_REGION  _b\tKUBECONFIG': ['AWS_REGION', '_b', 'KUBECONFIG'], 'A,B,,A': ['A', 'B'] },
    {
      'A=1': '"A=1" is not a name of an environment variable (letters, digits and _)',
      '1A': '"1A" is not a name of an environment variable',
    },
  ),
  oidc_token_file: reading(
    { '/var/x': '/var/x', 'x/../y': '/current/y' },
    { 'a\u0000b': '"a\\u{0}b" holds control characters' },
  ),
  organization_name: reading(
    { '007': '007', '1e5': '1e5', ' acme ': 'acme' },
    { 'two words': '"two words" holds white space' },
  ),
  runner_pool_id: word,
  token_expiration: reading(
    { '1h': 3600, '3600': 3600, '1500ms': 2 },
    { '0': '"0s" must be longer than 0s' },
  ),
  polling_interval: reading(
    { '1h30m': 5_400_000, '1ns': 1 },
    {
      '0s': '"0s" must be longer than 0s',
      '597h': '"597h" is longer than the longest wait, 596h31m23.647s',
    },
  ),
  polling_interval_override: boolean,
  job_status_loop_interval: duration,
  request_timeout: duration,
  request_retry_count: reading(
    { '0': 0, '10': 10 },
    {
      '-1': '"-1" is not a whole number from 0 to 999999',
      '1.5': '"1.5" is not a whole number',
      '1000000': '"1000000" is not a whole number',
    },
  ),
  request_retry_wait: durationOrZero,
  request_retry_max_wait: durationOrZero,
  circuit_breaker_failures: reading({ '1': 1 }, { '0': '"0" is not a whole number from 1' }),
  circuit_breaker_timeout: duration,
  http_server_port: reading({ '65535': 65_535 }, { '65536': '"65536" is not a whole number' }),
  health_threshold: duration,
  syslog: boolean,
  engine: reading({ pulumi: 'pulumi' }),
  engine_version: reading(
    { '2.3.1': '2.3.1', 'v2.3.0-rc.1': '2.3.0-rc.1' },
    {
      latest: '"latest" changes over time; name one version, such as 2.2.0',
      '2.2': '"2.2" is not an exact version such as 2.2.0',
      '../2.2.0': '"../2.2.0" is not an exact version',
      '2.2.0-../..': '"2.2.0-../.." is not an exact version',
    },
  ),
  engine_path: path,
  engine_download_url: reading(
    { 'http://mirror.example.com/agent/': 'http://mirror.example.com/agent' },
    {
      'mirror.example.com': '"mirror.example.com" is not an address such as https://mirror.example.com/agent',
      'https://u:secret@mirror.example.com': 'holds credentials; remove them, they are never sent',
    },
  ),
  engine_public_key: reading(
    {
      'cosign.pub': '/current/cosign.pub',
      '-----BEGIN PUBLIC KEY-----\\nMIIB\\n-----END PUBLIC KEY-----':
        '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
    },
    {
      '-----BEGIN PUBLIC KEY-----': 'contains no complete public key; include its END line',
      '-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----': 'contains a private key; provide only public keys',
    },
  ),
  engine_digest: reading(
    {
      [`linux-x64=${'a'.repeat(64)}, darwin-arm64=sha256:${'b'.repeat(64)}`]: [
        `linux-x64=${'a'.repeat(64)}`,
        `darwin-arm64=sha256:${'b'.repeat(64)}`,
      ],
    },
    {
      'sha256:abc': '"sha256:abc" is not like linux-x64=<SHA-256 in hexadecimal>',
      'linux-x64=abc': '"linux-x64=abc" is not like linux-x64=<SHA-256 in hexadecimal>',
    },
  ),
  engine_relay: boolean,
  engine_record: boolean,
  runner_pool_name: text,
  oidc_scope: reading(
    { 'runner:my pool': 'runner:my pool' },
    { 'a\u0007b': '"a\\u{7}b" holds control characters' },
  ),
  oidc_audience: word,
  allow_insecure_service_url: boolean,
  ca_certificate: reading(
    {
      'ca/../corporate-ca.pem': '/current/corporate-ca.pem',
      '-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----':
        '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    },
    {
      '-----BEGIN CERTIFICATE-----': 'contains no complete certificate; include its END line',
      '-----BEGIN PRIVATE KEY-----': 'contains a private key; provide only certificates',
    },
  ),
  ca_certificate_in_jobs: boolean,
  max_wait: reading({ '0s': 0, '0': 0, '5m': 300_000 }),
  fail_on_no_work: boolean,
  allowed_stacks: reading(
    { 'acme/*/dev': ['acme/*/dev'], 'acme/web/dev,acme/web/prod': ['acme/web/dev', 'acme/web/prod'] },
    {
      'acme/dev': '"acme/dev" is not of the form org/project/stack',
      '*/web/dev': '"*/web/dev" has a wildcard in its organization',
    },
  ),
  allowed_operations: reading(
    { 'preview refresh': ['preview', 'refresh'] },
    { up: '"up" is not one of update, preview, refresh, destroy, detect-drift, remediate-drift' },
  ),
  image: word,
  cancel_grace_period: durationOrZero,
  soft_timeout: duration,
  report_timeout: duration,
  http_server_address: reading(
    { '127.0.0.1': '127.0.0.1', '::1': '::1' },
    {
      localhost: '"localhost" is not an IP address',
      '127.0.0.1:8080': '"127.0.0.1:8080" is not an IP address',
    },
  ),
  run_directory: path,
  kept_runs: reading({ '100': 100 }, { '0': '"0" is not a whole number from 1 to 999999' }),
  kept_runs_days: reading({ '14': 14 }, { '0': '"0" is not a whole number from 1 to 999999' }),
  log_format: reading({ json: 'json' }),
  log_level: reading({ debug: 'debug' }, { warn: '"warn" is not one of debug, info, warning' }),
  syslog_socket: path,
  syslog_format: reading({ local: 'local' }),
  plain_variables: reading(
    { 'REGION, APP_*': ['REGION', 'APP_*'], '*': ['*'] },
    {
      'A=1': '"A=1" is not a name of an environment variable (letters, digits and _), with * for any text',
      'A?': '"A?" is not a name of an environment variable',
    },
  ),
  secret_variables: reading({ 'my.secret *_DSN': ['my.secret', '*_DSN'] }),
  hook_before_job: reading(
    { '/opt/hooks/before': '/opt/hooks/before' },
    { 'hooks/before': '"hooks/before" is not the absolute path of a program on the runner' },
  ),
  hook_after_job: reading(
    { '/opt/hooks/after': '/opt/hooks/after' },
    { 'hooks/before': '"hooks/before" is not the absolute path of a program on the runner' },
  ),
  hook_timeout: reading({ '90s': 90_000 }, { soon: '"soon" ' }),
  allowed_images: reading(
    {
      'pulumi/pulumi:3.*, ghcr.io/acme/**': ['pulumi/pulumi:3.*', 'ghcr.io/acme/**'],
      'registry:5000/x docker.io/** a/*@sha256:* app:V1': [
        'registry:5000/x',
        'docker.io/**',
        'a/*@sha256:*',
        'app:V1',
      ],
    },
    {
      'a//b': '"a//b" is not a pattern of images',
      'a/../b': '"a/../b" is not a pattern of images',
      'a?': '"a?" is not a pattern of images',
      'a:': '"a:" is not a pattern of images',
      'a@sha256:1@sha256:2': '"a@sha256:1@sha256:2" is not a pattern of images',
      'Acme/app': '"Acme/app" contains upper-case letters; image names are lower case',
      'a/b**': '"a/b**" has ** next to other characters; ** stands for whole parts of a path',
      'a:**': '"a:**" has ** next to other characters',
      'a:1@sha256:*': '"a:1@sha256:*" has a tag and a digest; keep the digest, which alone decides what runs',
      'a@*': '"a@*" has an invalid digest; write sha256: and 64 digits, or sha256:*',
    },
  ),
  require_digest: boolean,
  prepull_images: reading(
    { 'pulumi/pulumi:latest ghcr.io/acme/app': ['pulumi/pulumi:latest', 'ghcr.io/acme/app'] },
    { 'pulumi/*': '"pulumi/*" is not an image name', 'a/../b': '"a/../b" is not an image name' },
  ),
  cache_volume: reading(
    { 'c.1_x=/root/.pulumi/plugins/': 'c.1_x=/root/.pulumi/plugins/' },
    {
      '/host=/cache': '"/host=/cache" is not name=/path, with a name of letters',
      'cache=cache': '"cache=cache" is not name=/path',
      'cache=/a:ro': '"cache=/a:ro" is not name=/path',
      'cache=/a/../etc': '"cache=/a/../etc" has . or .. in its path; remove it',
      'cache=//': '"cache=//" is one of the image\'s own folders; name a separate folder',
      'cache=/root/': '"cache=/root/" is one of the image\'s own folders',
      'cache=//usr//bin/x': '"cache=//usr//bin/x" is one of the image\'s own folders',
      'cache=/mnt': '"cache=/mnt" includes /mnt/pulumi, which the agent uses',
      'cache=/PULUMI_ENV': '"cache=/PULUMI_ENV" includes /PULUMI_ENV',
    },
  ),
  memory: reading(
    { '512Mi': 536_870_912, '1.5Gi': 1_610_612_736, '8000k': 8_000_000 },
    {
      '512':
        '"512" has no unit that Docker and Kubernetes agree on; append Mi or Gi (powers of 1024), or M or G (powers of 1000)',
      '512m': '"512m" has no unit that Docker and Kubernetes agree on',
      much: '"much" is not a quantity such as 512Mi or 4Gi',
      '5Mi': '"5Mi" is too little for any job',
      '99999Ti': '"99999Ti" is more than any machine has',
    },
  ),
  memory_soft_limit: reading(
    { '3Gi': { bytes: 3 * 2 ** 30 }, off: 'off' },
    {
      '100%': '"100%" is not from 1% to 99%',
      '0%': '"0%" is not from 1% to 99%',
      '60%': 'is a percentage of memory, which is not set; set memory, or use a quantity such as 3Gi',
      none: '"none" is not a quantity such as 512Mi or 4Gi',
    },
  ),
  num_cpus: reading(
    { '1.5': 1.5, '0.01': 0.01 },
    {
      '500m': '"500m" is not a number of CPUs from 0.01 to 1024, such as 1.5',
      '0': '"0" is not a number of CPUs',
    },
  ),
  pids_limit: reading({ '100': 100 }, { '99': '"99" is not a whole number from 100 to 999999' }),
  ulimits: reading(
    {
      'nofile=65536:524288, core=0': ['nofile=65536:524288', 'core=0'],
      'memlock=-1 nproc=4096:-1': ['memlock=-1', 'nproc=4096:-1'],
    },
    {
      'nofile:65536': '"nofile:65536" is not name=soft:hard, such as nofile=65536:524288; -1 is no limit',
      'files=10': '"files=10" is not a limit of core, cpu, data',
      'nofile=2048:1024': '"nofile=2048:1024" has a soft limit above its hard one',
      'nofile=-1:1024': '"nofile=-1:1024" has a soft limit above its hard one',
      'nofile=-2': '"nofile=-2" is not name=soft:hard',
    },
  ),
  shm_size: reading({ '512Mi': 536_870_912 }, { '512m': '"512m" has no unit' }),
  extra_capabilities: reading(
    { 'SYS_PTRACE, MKNOD': ['SYS_PTRACE', 'MKNOD'] },
    {
      CAP_NET_RAW: '"CAP_NET_RAW" is not one of AUDIT_CONTROL, AUDIT_READ',
      ALL: '"ALL" is not one of AUDIT_CONTROL',
    },
  ),
  container_runtime: word,
  container_network: reading(
    { bridge: 'bridge', 'acme-jobs.1': 'acme-jobs.1' },
    {
      host: '"host" would give jobs the machine\'s own network, with services that only the machine may reach',
      default: '"default" is another name for bridge; write that',
      'container:abc': '"container:abc" is not the name of a network',
    },
  ),
  container_mtu: reading(
    { '1400': 1_400 },
    { '575': '"575" is not a whole number from 576 to 65535', '65536': '"65536" is not a whole number' },
  ),
  container_subnet: reading(
    { '10.210.0.0/16': '10.210.0.0/16', '192.168.7.16/28': '192.168.7.16/28', '10.0.0.0/8': '10.0.0.0/8' },
    {
      '10.210.0.0': '"10.210.0.0" is not a block of IPv4 addresses such as 10.210.0.0/16',
      '10.210.0.256/24': '"10.210.0.256/24" is not a block of IPv4 addresses',
      'fd00::/64': '"fd00::/64" is not a block of IPv4 addresses',
      '10.210.0.0/29': '"10.210.0.0/29" is not from /8 to /28, the size of one job\'s network',
      '10.0.0.0/7': '"10.0.0.0/7" is not from /8 to /28',
      '10.210.1.0/16': '"10.210.1.0/16" does not begin with the first address of its block',
      '169.254.0.0/16': '"169.254.0.0/16" holds addresses that no network can have; choose a private block',
      '239.0.0.0/8': '"239.0.0.0/8" holds addresses that no network can have',
    },
  ),
  extra_hosts: reading(
    {
      'db.internal=10.0.0.7 v6=fd00::7': ['db.internal=10.0.0.7', 'v6=fd00::7'],
      'host=host-gateway': ['host=host-gateway'],
    },
    {
      'db:10.0.0.7': '"db:10.0.0.7" is not name=address, such as db.internal=10.0.0.7',
      'db=other': '"db=other" is not name=address',
      '-db=10.0.0.7': '"-db=10.0.0.7" is not name=address',
    },
  ),
  dns_servers: reading(
    { '10.0.0.2, fd00::53': ['10.0.0.2', 'fd00::53'] },
    {
      'dns.example.com': '"dns.example.com" is not an IP address',
      '10.0.0.256': '"10.0.0.256" is not an IP address',
    },
  ),
  allow_metadata: boolean,
  trigger: reading(
    { 'acme/*/prod, acme/web/p?-* acme/*/prod': ['acme/*/prod', 'acme/web/p?-*'] },
    {
      'acme/web': '"acme/web" is not of the form org/project/stack',
      'acme/../prod': '"acme/../prod" is not of the form org/project/stack',
      '*/web/prod': '"*/web/prod" has a wildcard in its organization; name the organization in full',
    },
  ),
  operation: reading({ 'detect-drift': 'detect-drift' }, { detect: '"detect" is not one of' }),
  trigger_settings: reading(
    {
      '{"sourceContext": {"git": {"branch": "on"}}, "tag": "\\u00e9"}': {
        sourceContext: { git: { branch: 'on' } },
        tag: 'é',
      },
      'base: &a {enable: true}\ncacheOptions:\n  <<: *a\n': {
        base: { enable: true },
        cacheOptions: { enable: true },
      },
      '{}': {},
    },
    {
      hunter22: "must be a mapping in the shape of Pulumi's REST API",
      '[hunter22]': "must be a mapping in the shape of Pulumi's REST API",
      'tag: a\nother: {hunter22': 'is not valid at line 2, column 17; correct its YAML or JSON',
      'tag: !hunter22 x': 'is not valid at line 1, column 6; correct its YAML or JSON',
      'tag: a\ntag: hunter22': 'has a key twice at line 2, column 1; correct its YAML or JSON',
      'tag: *hunter22': 'has an alias that has no end or no anchor; correct its YAML or JSON',
      'tag: &a [*a]': 'has an alias that has no end or no anchor; correct its YAML or JSON',
      'operation: destroy': 'sets operation; set the key operation instead',
      '{"Operation": "destroy"}': 'sets Operation; set the key operation instead',
      '{"operationContext": {"operation": "destroy"}}':
        'sets operationContext.operation; set the key operation instead',
      'inheritSettings: false': 'sets inheritSettings, which is always true; remove it',
    },
  ),
  expected_version: reading(
    { '0': 0, '12': 12 },
    { none: '"none" is not a whole number from 0 to 999999999' },
  ),
  trigger_jitter: durationOrZero,
  trigger_timeout: duration,
  trigger_cancel: boolean,
  access_token: reading({ 'pul-abc': 'pul-abc' }, { 'pul-a b': NO_TOKEN }),
  access_token_scope: reading(
    { admin: 'admin', 'team:platform': 'team:platform', 'user:jane': 'user:jane' },
    { everything: '"everything" is none of admin, team:<name> and user:<login>' },
  ),
  plan_max: reading({ '1': 1 }),
  kubeconfig: path,
  kube_context: text,
  namespace: word,
  // The brace makes the second one YAML rather than a path.
  pod_template: reading({ 'pod.yaml': '/current/pod.yaml', 'spec{}': 'spec{}' }),
  service_account: word,
  image_pull_policy: reading({ Never: 'Never' }),
  pod_start_timeout: duration,
  debug_pod: boolean,
};

/** The cases of every key, with its property. */
export const CASES = Object.fromEntries(
  Object.entries(READINGS).map(([key, each]) => [
    key,
    { ...each, property: CONFIG_PROPERTIES[key as ConfigKey] },
  ]),
) as Record<ConfigKey, Case>;
