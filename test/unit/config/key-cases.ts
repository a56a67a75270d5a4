import type { AgentConfig, ConfigKey } from '../../../src/config/agent-config.ts';

export interface Case {
  property: keyof AgentConfig;
  default: unknown;
  good: [text: string, value: unknown][];
  bad: [text: string, clause: string][];
}

const DURATION_BAD: Case['bad'] = [
  ['30', '"30" has no unit; write a duration such as 30s or 1h30m'],
  ['-1s', '"-1s" is negative'],
  ['soon', '"soon" is not a duration'],
  ['3000000h', '"3000000h" is longer than the longest duration'],
  ['597h', '"597h" is longer than the longest wait, 596h31m23.647s'],
];
const ZERO_BAD: Case['bad'] = [
  ['0s', '"0s" must be longer than 0s'],
  ['0', '"0" must be longer than 0s'],
];
const duration = (property: keyof AgentConfig, ms: number | undefined, { zero = false } = {}): Case => ({
  property,
  default: ms,
  good: [
    ['1h30m', 5_400_000],
    ['1ns', 1],
    ...((zero
      ? [
          ['0s', 0],
          ['0', 0],
        ]
      : []) as Case['good']),
  ],
  bad: [...DURATION_BAD, ...(zero ? [] : ZERO_BAD)],
});
const boolean = (property: keyof AgentConfig, value: boolean): Case => ({
  property,
  default: value,
  good: [
    ...['true', 'TRUE', 'True', 't', 'T', '1'].map((text): [string, boolean] => [text, true]),
    ...['false', 'FALSE', 'False', 'f', 'F', '0'].map((text): [string, boolean] => [text, false]),
  ],
  bad: [
    ['yes', '"yes" is neither true nor false'],
    ['2', '"2" is neither true nor false'],
    ['constructor', '"constructor" is neither true nor false'],
  ],
});
const word = (property: keyof AgentConfig): Case => ({
  property,
  default: undefined,
  good: [
    ['acme-corp', 'acme-corp'],
    ['007', '007'],
    ['1e5', '1e5'],
    [' acme ', 'acme'],
  ],
  bad: [['two words', '"two words" holds white space']],
});
const text = (property: keyof AgentConfig): Case => ({
  property,
  default: undefined,
  good: [['runner:my pool', 'runner:my pool']],
  bad: [['a\u0007b', '"a\\u{7}b" holds control characters']],
});
const path = (property: keyof AgentConfig, preset?: string): Case => ({
  property,
  default: preset,
  good: [
    ['/var/x', '/var/x'],
    ['x/../y', '/current/y'],
  ],
  bad: [['a\u0000b', '"a\\u{0}b" holds control characters']],
});

/** For every key: its property, its default, what is read as what, and what is refused with which clause. */
export const CASES: Record<ConfigKey, Case> = {
  token: {
    property: 'token',
    default: undefined,
    good: [
      ['pul-abc', 'pul-abc'],
      [' pul-abc\n', 'pul-abc'],
      ['12345', '12345'],
    ],
    bad: [
      ['pul-a b', 'holds white space or characters a token cannot have; copy the token again'],
      ['pul-é', 'holds white space or characters a token cannot have; copy the token again'],
      ['pul-\u0001', 'holds white space or characters a token cannot have; copy the token again'],
    ],
  },
  service_url: {
    property: 'serviceUrl',
    default: 'https://api.pulumi.com',
    good: [
      ['https://pulumi.example.com', 'https://pulumi.example.com'],
      ['https://pulumi.example.com///', 'https://pulumi.example.com'],
      ['https://Example.com:8443/pulumi/', 'https://example.com:8443/pulumi'],
      ['http://localhost:9', 'http://localhost:9'],
      ['http://127.0.0.1:9/', 'http://127.0.0.1:9'],
      ['http://[::1]:9', 'http://[::1]:9'],
      ['http://pulumi.localhost', 'http://pulumi.localhost'],
    ],
    bad: [
      [
        'api.pulumi.com',
        '"api.pulumi.com" is not an address such as https://api.pulumi.com: scheme, host, port and path alone',
      ],
      ['https://', '"https://" is not an address'],
      ['ftp://example.com', '"ftp://example.com" is not an address'],
      ['https://u:secret@example.com', 'holds credentials'],
      ['u:secret@example.com', 'is not an address'],
      ['https://example.com?a=b', '"https://example.com?a=b" is not an address'],
      ['https://example.com/#x', '"https://example.com/#x" is not an address'],
      ['http://example.com', 'would send tokens readable to example.com; use https://'],
      ['http://localhost.example.com', 'would send tokens readable to localhost.example.com'],
      ['http://127.0.0.1.example.com', 'would send tokens readable to 127.0.0.1.example.com'],
    ],
  },
  deploy_target: {
    property: 'deployTarget',
    default: 'docker',
    good: [
      ['docker', 'docker'],
      ['kubernetes', 'kubernetes'],
    ],
    bad: [
      ['ecs', '"ecs" is not one of docker, kubernetes'],
      ['dokcer', '"dokcer" is not one of docker, kubernetes; did you mean docker?'],
      ['Docker', '"Docker" is not one of docker, kubernetes; did you mean docker?'],
    ],
  },
  single_run: boolean('singleRun', false),
  pull_image: boolean('pullImage', true),
  enabled_workflow_types: {
    property: 'enabledWorkflowTypes',
    default: ['deployment', 'insights_scan', 'policy_evaluation'],
    good: [
      ['deployment', ['deployment']],
      ['insights_scan, deployment', ['insights_scan', 'deployment']],
      ['deployment,policy_evaluation', ['deployment', 'policy_evaluation']],
      ['deployment policy_evaluation deployment', ['deployment', 'policy_evaluation']],
    ],
    bad: [
      ['insights_scan', 'leaves out deployment, the only kind of work this agent serves; add it'],
      [',', 'leaves out deployment'],
      [
        'deployments',
        '"deployments" is not one of deployment, insights_scan, policy_evaluation; did you mean deployment?',
      ],
    ],
  },
  env_forward_allowlist: {
    property: 'envForwardAllowlist',
    default: [],
    good: [
      ['AWS_REGION', ['AWS_REGION']],
      ['A _b', ['A', '_b']],
      ['AWS_REGION  AWS_PROFILE\tKUBECONFIG', ['AWS_REGION', 'AWS_PROFILE', 'KUBECONFIG']],
      ['A,B,,A', ['A', 'B']],
    ],
    bad: [
      ['A=1', '"A=1" is not a name of an environment variable (letters, digits and _)'],
      ['1A', '"1A" is not a name of an environment variable'],
      ['A*', '"A*" is not a name of an environment variable'],
    ],
  },
  oidc_token_file: path('oidcTokenFile'),
  organization_name: word('organizationName'),
  runner_pool_id: word('runnerPoolId'),
  token_expiration: {
    property: 'tokenExpirationSeconds',
    default: undefined,
    good: [
      ['1h', 3600],
      ['3600', 3600],
      ['1500ms', 2],
    ],
    bad: [
      ['0', '"0s" must be longer than 0s'],
      ['-5', '"-5" has no unit'],
      ['1.5', '"1.5" has no unit'],
      ['99999999999999999999', '"***" is longer than the longest duration'],
    ],
  },
  polling_interval: duration('pollingIntervalMs', 60_000),
  polling_interval_override: boolean('pollingIntervalOverride', false),
  job_status_loop_interval: duration('jobStatusLoopIntervalMs', 30_000),
  request_timeout: duration('requestTimeoutMs', 30_000),
  request_retry_count: {
    property: 'requestRetryCount',
    default: 2,
    good: [
      ['0', 0],
      ['10', 10],
    ],
    bad: [
      ['-1', '"-1" is not a whole number from 0 to 999999'],
      ['1.5', '"1.5" is not a whole number'],
      ['1000000', '"1000000" is not a whole number'],
      ['0x10', '"0x10" is not a whole number'],
    ],
  },
  request_retry_wait: duration('requestRetryWaitMs', 20_000, { zero: true }),
  request_retry_max_wait: duration('requestRetryMaxWaitMs', 120_000, { zero: true }),
  circuit_breaker_failures: {
    property: 'circuitBreakerFailures',
    default: 2,
    good: [['1', 1]],
    bad: [['0', '"0" is not a whole number from 1 to 999999']],
  },
  circuit_breaker_timeout: duration('circuitBreakerTimeoutMs', 600_000),
  http_server_port: {
    property: 'httpServerPort',
    default: 8080,
    good: [
      ['0', 0],
      ['65535', 65_535],
    ],
    bad: [
      ['65536', '"65536" is not a whole number from 0 to 65535'],
      ['http', '"http" is not a whole number from 0 to 65535'],
    ],
  },
  health_threshold: {
    ...duration('healthThresholdMs', 120_000),
  },
  syslog: boolean('syslog', false),
  runner_pool_name: text('runnerPoolName'),
  oidc_scope: text('oidcScope'),
  oidc_audience: word('oidcAudience'),
  allow_insecure_service_url: boolean('allowInsecureServiceUrl', false),
  ca_certificate: {
    property: 'caCertificate',
    default: undefined,
    good: [
      ['/etc/corporate-ca.pem', '/etc/corporate-ca.pem'],
      ['ca/../corporate-ca.pem', '/current/corporate-ca.pem'],
      [
        '-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----',
        '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      ],
    ],
    bad: [
      ['-----BEGIN CERTIFICATE-----', 'holds no whole certificate; give it to its END line'],
      ['-----BEGIN PRIVATE KEY-----', 'holds a private key; give certificates alone'],
      ['a\u0000b', '"a\\u{0}b" holds control characters'],
    ],
  },
  ca_certificate_in_jobs: boolean('caCertificateInJobs', false),
  max_wait: duration('maxWaitMs', undefined, { zero: true }),
  fail_on_no_work: boolean('failOnNoWork', false),
  image: word('image'),
  cancel_grace_period: duration('cancelGracePeriodMs', 120_000, { zero: true }),
  report_timeout: duration('reportTimeoutMs', 600_000),
  http_server_address: {
    property: 'httpServerAddress',
    default: undefined,
    good: [
      ['127.0.0.1', '127.0.0.1'],
      ['::1', '::1'],
    ],
    bad: [
      ['localhost', '"localhost" is not an IP address'],
      ['127.0.0.1:8080', '"127.0.0.1:8080" is not an IP address'],
    ],
  },
  run_directory: path('runDirectory'),
  kept_runs: {
    property: 'keptRuns',
    default: undefined,
    good: [
      ['1', 1],
      ['100', 100],
    ],
    bad: [
      ['0', '"0" is not a whole number from 1 to 999999'],
      ['-1', '"-1" is not a whole number'],
      ['all', '"all" is not a whole number'],
    ],
  },
  log_format: {
    property: 'logFormat',
    default: 'text',
    good: [['json', 'json']],
    bad: [['JSON', '"JSON" is not one of text, json; did you mean json?']],
  },
  log_level: {
    property: 'logLevel',
    default: 'info',
    good: [
      ['debug', 'debug'],
      ['error', 'error'],
    ],
    bad: [['warn', '"warn" is not one of debug, info, warning, error']],
  },
  syslog_socket: path('syslogSocket', '/dev/log'),
  syslog_format: {
    property: 'syslogFormat',
    default: undefined,
    good: [
      ['rfc5424', 'rfc5424'],
      ['local', 'local'],
    ],
    bad: [['rfc3164', '"rfc3164" is not one of rfc5424, local']],
  },
  allowed_images: {
    property: 'allowedImages',
    default: [],
    good: [
      ['pulumi/pulumi:3.*, ghcr.io/acme/**', ['pulumi/pulumi:3.*', 'ghcr.io/acme/**']],
      ['registry:5000/x docker.io/** a/*@sha256:*', ['registry:5000/x', 'docker.io/**', 'a/*@sha256:*']],
      ['app:V1', ['app:V1']],
    ],
    bad: [
      ['a//b', '"a//b" is not a pattern of images'],
      ['/a', '"/a" is not a pattern of images'],
      ['a/../b', '"a/../b" is not a pattern of images'],
      ['a?', '"a?" is not a pattern of images'],
      ['a:', '"a:" is not a pattern of images'],
      ['a@sha256:1@sha256:2', '"a@sha256:1@sha256:2" is not a pattern of images'],
      ['Acme/app', '"Acme/app" is in upper case, which names of images never are'],
      ['a/b**', '"a/b**" holds ** beside other characters; it stands for whole parts of a path'],
      ['a:**', '"a:**" holds ** beside other characters'],
      ['a:1@sha256:*', '"a:1@sha256:*" has a tag and a digest; keep the digest, which alone says what runs'],
      ['a@*', '"a@*" has a digest that is none; write sha256: and 64 digits, or sha256:*'],
    ],
  },
  require_digest: boolean('requireDigest', false),
  prepull_images: {
    property: 'prepullImages',
    default: [],
    good: [['pulumi/pulumi:latest ghcr.io/acme/app', ['pulumi/pulumi:latest', 'ghcr.io/acme/app']]],
    bad: [
      ['pulumi/*', '"pulumi/*" is not an image name'],
      ['/a', '"/a" is not an image name'],
      ['a/../b', '"a/../b" is not an image name'],
    ],
  },
  cache_volume: {
    property: 'cacheVolume',
    default: undefined,
    good: [
      ['pulumi-plugins=/root/.pulumi/plugins', 'pulumi-plugins=/root/.pulumi/plugins'],
      ['c.1_x=/cache/', 'c.1_x=/cache/'],
    ],
    bad: [
      ['/host=/cache', '"/host=/cache" is not name=/path, with a name of letters'],
      ['c=/cache', '"c=/cache" is not name=/path'],
      ['cache', '"cache" is not name=/path'],
      ['cache=cache', '"cache=cache" is not name=/path'],
      ['cache=/a b', '"cache=/a b" is not name=/path'],
      ['cache=/a:ro', '"cache=/a:ro" is not name=/path'],
      ['cache=/a/../etc', '"cache=/a/../etc" has a path with . or ..; write it without'],
      ['cache=/', '"cache=/" is one of the image\'s own folders; name a folder of its own'],
      ['cache=//', '"cache=//" is one of the image\'s own folders'],
      ['cache=/root/', '"cache=/root/" is one of the image\'s own folders'],
      ['cache=//usr//bin/x', '"cache=//usr//bin/x" is one of the image\'s own folders'],
      ['cache=/proc/1', '"cache=/proc/1" is one of the image\'s own folders'],
      ['cache=/mnt', '"cache=/mnt" takes in /mnt/pulumi, which the agent uses'],
      ['cache=/mnt/pulumi/x', '"cache=/mnt/pulumi/x" takes in /mnt/pulumi'],
      ['cache=/PULUMI_ENV', '"cache=/PULUMI_ENV" takes in /PULUMI_ENV'],
    ],
  },
  memory: {
    property: 'memoryBytes',
    default: undefined,
    good: [
      ['512Mi', 536_870_912],
      ['4Gi', 4_294_967_296],
      ['1.5Gi', 1_610_612_736],
      ['2G', 2_000_000_000],
      ['8000k', 8_000_000],
    ],
    bad: [
      ['512', '"512" has no unit that Docker and Kubernetes agree on; write 512 with Mi'],
      [
        '512m',
        '"512m" has no unit that Docker and Kubernetes agree on; write 512 with Mi, Gi (1024) or M, G (1000) behind it',
      ],
      ['4g', '"4g" has no unit that Docker and Kubernetes agree on'],
      ['2GB', '"2GB" has no unit that Docker and Kubernetes agree on'],
      ['4Xi', '"4Xi" has no unit'],
      ['much', '"much" is not a quantity such as 512Mi or 4Gi'],
      ['-1Gi', '"-1Gi" is not a quantity'],
      ['5Mi', '"5Mi" is less than any job can run with'],
      ['99999Ti', '"99999Ti" is more than any machine has'],
    ],
  },
  num_cpus: {
    property: 'numCpus',
    default: undefined,
    good: [
      ['1.5', 1.5],
      ['2', 2],
      ['0.01', 0.01],
    ],
    bad: [
      ['500m', '"500m" is not a number of CPUs from 0.01 to 1024, such as 1.5'],
      ['0', '"0" is not a number of CPUs from 0.01 to 1024, such as 1.5'],
      ['1e2', '"1e2" is not a number of CPUs'],
      ['2000', '"2000" is not a number of CPUs'],
    ],
  },
  pids_limit: {
    property: 'pidsLimit',
    default: 8_192,
    good: [['100', 100]],
    bad: [['99', '"99" is not a whole number from 100 to 999999']],
  },
  extra_capabilities: {
    property: 'extraCapabilities',
    default: [],
    good: [
      ['NET_RAW', ['NET_RAW']],
      ['SYS_PTRACE, MKNOD', ['SYS_PTRACE', 'MKNOD']],
    ],
    bad: [
      ['CAP_NET_RAW', '"CAP_NET_RAW" is not one of AUDIT_CONTROL, AUDIT_READ'],
      ['ALL', '"ALL" is not one of AUDIT_CONTROL'],
    ],
  },
  container_network: {
    property: 'containerNetwork',
    default: undefined,
    good: [
      ['bridge', 'bridge'],
      ['none', 'none'],
      ['acme-jobs.1', 'acme-jobs.1'],
    ],
    bad: [
      ['host', '"host" would give jobs the machine\'s own network, with what listens for the machine alone'],
      ['default', '"default" is another name of bridge; write that'],
      ['container:abc', '"container:abc" is not the name of a network'],
      ['a/b', '"a/b" is not the name of a network'],
    ],
  },
  dns_servers: {
    property: 'dnsServers',
    default: [],
    good: [
      ['10.0.0.2', ['10.0.0.2']],
      ['10.0.0.2, fd00::53', ['10.0.0.2', 'fd00::53']],
    ],
    bad: [
      ['dns.example.com', '"dns.example.com" is not an IP address'],
      ['10.0.0.256', '"10.0.0.256" is not an IP address'],
    ],
  },
  allow_metadata: boolean('allowMetadata', false),
  trigger: {
    property: 'trigger',
    default: [],
    good: [
      ['acme/web/prod', ['acme/web/prod']],
      ['acme/*/prod, acme/web/p?-* acme/*/prod', ['acme/*/prod', 'acme/web/p?-*']],
    ],
    bad: [
      ['acme/web', '"acme/web" is not of the form org/project/stack'],
      ['acme/web/prod/1', '"acme/web/prod/1" is not of the form org/project/stack'],
      ['acme/../prod', '"acme/../prod" is not of the form org/project/stack'],
      ['*/web/prod', '"*/web/prod" has a wildcard for its organization; name the organization in full'],
    ],
  },
  operation: {
    property: 'operation',
    default: undefined,
    good: [
      ['detect-drift', 'detect-drift'],
      ['destroy', 'destroy'],
    ],
    bad: [['detect', '"detect" is not one of update, preview, refresh, destroy, detect-drift, remediate-drift']],
  },
  trigger_jitter: duration('triggerJitterMs', 0, { zero: true }),
  access_token: {
    property: 'accessToken',
    default: undefined,
    good: [['pul-abc', 'pul-abc']],
    bad: [['pul-a b', 'holds white space or characters a token cannot have; copy the token again']],
  },
  access_token_scope: {
    property: 'accessTokenScope',
    default: undefined,
    good: [
      ['admin', 'admin'],
      ['team:platform', 'team:platform'],
      ['user:jane', 'user:jane'],
    ],
    bad: [['everything', '"everything" is none of admin, team:<name> and user:<login>']],
  },
  plan_max: {
    property: 'planMax',
    default: 256,
    good: [['1', 1]],
    bad: [['0', '"0" is not a whole number from 1 to 999999']],
  },
  kubeconfig: path('kubeconfig'),
  kube_context: text('kubeContext'),
  namespace: word('namespace'),
  pod_template: {
    property: 'podTemplate',
    default: undefined,
    good: [
      ['pod.yaml', '/current/pod.yaml'],
      // Text rather than a path, as it holds a brace; a real one could not stand here as it is.
      ['spec{}', 'spec{}'],
    ],
    bad: [],
  },
  service_account: word('serviceAccount'),
  image_pull_policy: {
    property: 'imagePullPolicy',
    default: 'IfNotPresent',
    good: [['Never', 'Never']],
    bad: [['never', '"never" is not one of Always, IfNotPresent, Never; did you mean Never?']],
  },
  pod_start_timeout: duration('podStartTimeoutMs', 600_000),
  debug_pod: boolean('debugPod', false),
};
