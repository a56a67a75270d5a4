import { addresses, cpus, imagePatterns, images, network, quantity, volume } from '../job-kinds.ts';
import { boolean, choices, wholeNumber } from '../kind.ts';
import type { KeyDefinition } from '../schema.ts';

/** As capabilities(7) has them, without CAP_. */
const CAPABILITY_NAMES = [
  'AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE DAC_READ_SEARCH',
  'FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD NET_ADMIN',
  'NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON SETFCAP SETGID SETPCAP SETUID SYSLOG SYS_ADMIN SYS_BOOT',
  'SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG',
  'WAKE_ALARM',
].flatMap((line) => line.split(' '));

/** Ours that say which images may run, which are pulled ahead, and what jobs hand to each other. */
export const IMAGE_KEYS = {
  allowed_images: {
    kind: imagePatterns,
    default: '',
    help: 'Patterns of the images that may run, without a registry on Docker Hub; empty: any.',
  },
  require_digest: {
    kind: boolean,
    default: 'false',
    help: 'Run only images that are named by their digest, as in name@sha256:….',
  },
  prepull_images: {
    kind: images,
    target: 'docker',
    default: '',
    help: 'Images to pull while waiting for work, so that a job finds them there.',
  },
  cache_volume: {
    kind: volume,
    target: 'docker',
    help: 'name=/path of a volume that stays when its job goes; jobs can hand each other files in it.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;

/** Ours that say what a job may use of the machine it runs on. */
export const CONTAINER_KEYS = {
  memory: {
    kind: quantity,
    unsetMeans: 'no limit',
    environment: ['PULUMI_AGENT_MEMORY', 'PULUMI_AGENT_MEM_QUANTITY'],
    plainUnit: { PULUMI_AGENT_MEM_QUANTITY: 'Gi' },
    help: 'Memory of a job: 512Mi, 4Gi, 2G. Without a unit the second variable counts in Gi.',
  },
  num_cpus: { kind: cpus, unsetMeans: 'no limit', help: 'CPUs of a job, as in 1.5.' },
  pids_limit: {
    kind: wholeNumber(100),
    target: 'docker',
    default: '8192',
    help: 'Processes and threads of a job, together.',
  },
  extra_capabilities: {
    kind: choices(...CAPABILITY_NAMES),
    target: 'docker',
    default: '',
    help: 'Linux capabilities that a job gets besides the few it has. In the environment split by commas.',
  },
  container_network: {
    kind: network,
    target: 'docker',
    unsetMeans: 'a network of its own for each job',
    help: 'Network that jobs are on: one that the Docker engine knows, bridge or none.',
  },
  dns_servers: {
    kind: addresses,
    target: 'docker',
    default: '',
    help: "Addresses of the name servers that jobs ask; empty: the Docker engine's.",
  },
  allow_metadata: {
    kind: boolean,
    target: 'docker',
    default: 'false',
    help: "Let jobs ask the cloud's metadata service, and so act with the machine's own credentials.",
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
