import type { KeyDefinition } from '../key-definition.ts';

/** As capabilities(7) has them, without CAP_. */
const CAPABILITY_NAMES = [
  ...[
    'AUDIT_CONTROL',
    'AUDIT_READ',
    'AUDIT_WRITE',
    'BLOCK_SUSPEND',
    'BPF',
    'CHECKPOINT_RESTORE',
    'CHOWN',
    'DAC_OVERRIDE',
  ],
  ...['DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'IPC_LOCK', 'IPC_OWNER', 'KILL', 'LEASE', 'LINUX_IMMUTABLE', 'MAC_ADMIN'],
  ...[
    'MAC_OVERRIDE',
    'MKNOD',
    'NET_ADMIN',
    'NET_BIND_SERVICE',
    'NET_BROADCAST',
    'NET_RAW',
    'PERFMON',
    'SETFCAP',
    'SETGID',
  ],
  ...['SETPCAP', 'SETUID', 'SYSLOG', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_CHROOT', 'SYS_MODULE', 'SYS_NICE', 'SYS_PACCT'],
  ...['SYS_PTRACE', 'SYS_RAWIO', 'SYS_RESOURCE', 'SYS_TIME', 'SYS_TTY_CONFIG', 'WAKE_ALARM'],
] as const;

/** Ours that say what a job may use of the machine it runs on. */
export const CONTAINER_KEYS = {
  memory: {
    type: 'quantity',
    extension: true,
    unsetMeans: 'no limit',
    environment: ['PULUMI_AGENT_MEMORY', 'PULUMI_AGENT_MEM_QUANTITY'],
    plainUnit: { PULUMI_AGENT_MEM_QUANTITY: 'Gi' },
    help: 'Memory of a job: 512Mi, 4Gi, 2G. Without a unit the second variable counts in Gi.',
  },
  num_cpus: { type: 'decimal', extension: true, unsetMeans: 'no limit', help: 'CPUs of a job, as in 1.5.' },
  pids_limit: {
    type: 'count',
    extension: true,
    target: 'docker',
    minimum: 100,
    default: '8192',
    help: 'Processes and threads of a job, together.',
  },
  extra_capabilities: {
    type: 'choices',
    extension: true,
    target: 'docker',
    choices: CAPABILITY_NAMES,
    default: '',
    help: 'Linux capabilities that a job gets besides the few it has. In the environment split by commas.',
  },
  container_network: {
    type: 'network',
    extension: true,
    target: 'docker',
    unsetMeans: 'a network of its own for each job',
    help: 'Network that jobs are on: one that the Docker engine knows, bridge or none.',
  },
  dns_servers: {
    type: 'addresses',
    extension: true,
    target: 'docker',
    default: '',
    help: "Addresses of the name servers that jobs ask; empty: the Docker engine's.",
  },
  allow_metadata: {
    type: 'boolean',
    extension: true,
    target: 'docker',
    default: 'false',
    help: "Let jobs ask the cloud's metadata service, and so act with the machine's own credentials.",
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
