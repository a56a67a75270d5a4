import { isIP } from 'node:net';
import { posix } from 'node:path';
import { z } from 'zod';
import { about, checked, type KeyTable, kind, listOf, parsed } from '../key-definition.ts';
import { addressBlock, boolean, ipAddressList, someOf, wholeNumber, word } from '../kinds.ts';
import { quoteValue } from '../problem.ts';

/** The units of a Kubernetes quantity, in bytes. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** Docker accepts no container with less (daemon/daemon_unix.go). */
const MIN_BYTES = 6 * 2 ** 20;

function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit] ?? Number.NaN));
  if (number === '') throw new RangeError(`${quoteValue(text)} is not a quantity such as 512Mi or 4Gi`);

  // Docker's 512m is MiB, Kubernetes' half a byte: accept neither.
  if (Number.isNaN(bytes))
    throw new RangeError(
      `${quoteValue(text)} has no unit that Docker and Kubernetes agree on; append Mi or Gi (powers of 1024), or M or G (powers of 1000)`,
    );

  if (bytes < MIN_BYTES) throw new RangeError(`${quoteValue(text)} is too little for any job`);
  if (!Number.isSafeInteger(bytes)) throw new RangeError(`${quoteValue(text)} is more than any machine has`);

  return bytes;
}

const quantity = kind(
  'quantity',
  parsed(bytesOf).meta({ type: ['string', 'null'], pattern: '^[0-9]+(\\.[0-9]+)?([KMGT]i|[kMGT])$' }),
);

/** A job's soft memory limit: in bytes, as a percentage of `memory`, or none. */
export type SoftLimit = { readonly bytes: number } | { readonly percent: number } | 'off';

function softLimitOf(text: string): SoftLimit {
  if (text === 'off') return text;
  const [, percent] = /^(\d+)%$/.exec(text) ?? [];
  if (percent === undefined) return { bytes: bytesOf(text) };
  if (Number(percent) < 1 || Number(percent) > 99)
    throw new RangeError(`${quoteValue(text)} is not from 1% to 99%`);
  return { percent: Number(percent) };
}

const softLimit = kind(
  'quantity, percentage or off',
  parsed(softLimitOf).meta({
    type: ['string', 'null'],
    pattern: '^(off|[1-9][0-9]?%|[0-9]+(\\.[0-9]+)?([KMGT]i|[kMGT]))$',
  }),
);

/** The soft limit in bytes; undefined if there is none. */
export function softMemoryBytes(limit: SoftLimit, memoryBytes: number | undefined): number | undefined {
  if (limit === 'off') return undefined;
  if ('bytes' in limit) return limit.bytes;
  return memoryBytes === undefined ? undefined : Math.floor((memoryBytes * limit.percent) / 100);
}

const CPUS = about('is not a number of CPUs from 0.01 to 1024, such as 1.5');
const cpus = kind(
  'number',
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, { ...CPUS, abort: true })
    .transform(Number)
    .pipe(z.number(CPUS).min(0.01, CPUS).max(1_024, CPUS))
    .meta({ type: ['number', 'string', 'null'], minimum: 0.01, maximum: 1_024 }),
);

/** A container network's name. */
const network = kind(
  'name',
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, about('is not the name of a network'))
    .refine((name) => name !== 'default', about('is another name for bridge; write that'))
    .refine(
      (name) => name !== 'host',
      about(
        "would give jobs the machine's own network, with services that only the machine may reach; name another network, bridge or none",
      ),
    ),
);

/** Names of images. Only their registry knows whether they exist. */
const images = listOf(
  z.string().regex(/^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_./:@-]*$/, about('is not an image name')),
);

/** A clause that says what is wrong with a pattern of images. */
function imagePatternProblem(text: string): string | undefined {
  const [name = '', digest, ...rest] = text.split('@');
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const components = path.split('/');
  const whole = /^[A-Za-z0-9*][A-Za-z0-9_./:@*-]*$/.test(text);
  if (!whole || text.includes('..') || components.includes('') || rest.length > 0 || tag === '')
    return `${quoteValue(text)} is not a pattern of images`;
  if (digest !== undefined && !/^sha256:[0-9a-f*]+$/.test(digest))
    return `${quoteValue(text)} has an invalid digest; write sha256: and 64 digits, or sha256:*`;
  if (digest !== undefined && tag !== undefined)
    return `${quoteValue(text)} has a tag and a digest; keep the digest, which alone decides what runs`;
  if (path !== path.toLowerCase())
    return `${quoteValue(text)} contains upper-case letters; image names are lower case`;
  if (components.some((component) => component.includes('**') && component !== '**') || tag?.includes('**'))
    return `${quoteValue(text)} has ** next to other characters; ** stands for whole parts of a path`;

  return undefined;
}

const imagePatterns = listOf(
  checked(imagePatternProblem).meta({ pattern: '^[A-Za-z0-9*][A-Za-z0-9_./:@*-]*$' }),
);

const VOLUME = '^[A-Za-z0-9][A-Za-z0-9_.-]+=/[^\\s:,]*$';

/** The agent keeps a job's token and environment there; in a volume they would outlive the job. */
const AGENTS = ['/mnt/pulumi', '/PULUMI_ENV'];

/** A volume there would pass programs from job to job, or could keep nothing. */
const SYSTEMS =
  '/bin /sbin /lib /lib32 /lib64 /libx32 /boot /etc /usr/bin /usr/sbin /usr/lib /usr/local/bin /proc /sys /dev';

/** Too broad for a volume: they hold the image's own files, and what a job keeps for itself. */
const WHOLE_TREES = '/ /usr /usr/local /var /opt /home /root /tmp /run /mnt';

/** A clause that says what is wrong with a volume's name or path. */
export function volumeProblem(text: string): string | undefined {
  const quoted = quoteValue(text);
  if (!new RegExp(VOLUME).test(text))
    return `${quoted} is not name=/path, with a name of letters, digits, _, . and - and an absolute path`;
  if (/\/\.\.?(\/|$)/.test(text)) return `${quoted} has . or .. in its path; remove it`;

  const { path } = readVolume(text);
  const within = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  const agents = AGENTS.find((own) => within(path, own) || within(own, path));
  if (agents !== undefined) return `${quoted} includes ${agents}, which the agent uses`;
  if (SYSTEMS.split(' ').some((own) => within(path, own)) || WHOLE_TREES.split(' ').includes(path))
    return `${quoted} is one of the image's own folders; name a separate folder, such as name=/root/.pulumi/plugins`;

  return undefined;
}

const volume = kind('name=/path', checked(volumeProblem).meta({ type: ['string', 'null'], pattern: VOLUME }));

/** A volume's name, and its path without a trailing slash. The text must be valid. */
export function readVolume(text: string): { readonly name: string; readonly path: string } {
  const at = text.indexOf('=');
  const path = posix.normalize(text.slice(at + 1)).replace(/(?<=.)\/$/, '');
  return { name: text.slice(0, at), path };
}

/** From capabilities(7), without CAP_. */
const CAPABILITY_NAMES = [
  'AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE DAC_READ_SEARCH',
  'FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD NET_ADMIN',
  'NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON SETFCAP SETGID SETPCAP SETUID SYSLOG SYS_ADMIN SYS_BOOT',
  'SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG',
  'WAKE_ALARM',
].flatMap((line) => line.split(' '));

/** From getrlimit(2), as Docker names them (docker/go-units, ulimit.go). */
const ULIMIT_NAMES =
  'core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio rttime sigpending stack';

const ULIMIT = '^[a-z]+=(-1|[0-9]{1,15})(:(-1|[0-9]{1,15}))?$';

/** A clause that says what is wrong with a limit of processes. */
function ulimitProblem(text: string): string | undefined {
  const quoted = quoteValue(text);
  if (!new RegExp(ULIMIT).test(text))
    return `${quoted} is not name=soft:hard, such as nofile=65536:524288; -1 is no limit`;

  const { Name: name, Soft: soft, Hard: hard } = readUlimit(text);
  const names = ULIMIT_NAMES.split(' ');
  if (!names.includes(name)) return `${quoted} is not a limit of ${names.join(', ')}`;
  if (hard !== -1 && (soft === -1 || soft > hard)) return `${quoted} has a soft limit above its hard one`;

  return undefined;
}

/** A limit in the engine's form. The text must be valid. */
export function readUlimit(text: string): { Name: string; Soft: number; Hard: number } {
  const [name = '', values = ''] = text.split('=');
  const [soft, hard = soft] = values.split(':').map(Number);
  return { Name: name, Soft: soft ?? -1, Hard: hard ?? -1 };
}

const ulimits = listOf(checked(ulimitProblem).meta({ pattern: ULIMIT }));

/** A clause that says what is wrong with a host that jobs know by a setting. */
function hostProblem(text: string): string | undefined {
  const [, name, address = ''] = /^([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)=(\S+)$/.exec(text) ?? [];
  if (name === undefined || (isIP(address) === 0 && address !== 'host-gateway'))
    return `${quoteValue(text)} is not name=address, such as db.internal=10.0.0.7`;

  return undefined;
}

const hosts = listOf(checked(hostProblem).meta({ pattern: '^[A-Za-z0-9][A-Za-z0-9.-]*=[^\\s]+$' }));

/**
 * Our keys for the images that may run, the images to pull ahead, and the volume that jobs share.
 */
export const IMAGE_KEYS = {
  allowedImages: {
    key: 'allowed_images',
    kind: imagePatterns,
    default: '',
    help: 'Patterns of the images that can run; a pattern without a registry means Docker Hub; empty: any.',
  },
  requireDigest: {
    key: 'require_digest',
    kind: boolean,
    default: 'false',
    help: 'Run only images that are named by digest, such as name@sha256:….',
  },
  prepullImages: {
    key: 'prepull_images',
    kind: images,
    target: 'docker',
    default: '',
    help: 'Images to pull while waiting for work, so that jobs start sooner.',
  },
  cacheVolume: {
    key: 'cache_volume',
    kind: volume,
    target: 'docker',
    help: 'name=/path of a volume that outlives the job; jobs can pass files to each other in it.',
  },
} as const satisfies KeyTable;

/** Our keys for the resources and privileges of a job. */
export const CONTAINER_KEYS = {
  memoryBytes: {
    key: 'memory',
    kind: quantity,
    unsetMeans: 'no limit',
    environment: ['PULUMI_AGENT_MEMORY', 'PULUMI_AGENT_MEM_QUANTITY'],
    plainUnit: { PULUMI_AGENT_MEM_QUANTITY: 'Gi' },
    help: 'Memory limit of a job: 512Mi, 4Gi, 2G. A plain number in the second variable is in Gi.',
  },
  memorySoftLimit: {
    key: 'memory_soft_limit',
    kind: softLimit,
    default: '85%',
    help: 'Memory use at which a job is interrupted, ahead of a kill: 3Gi, a percentage of memory, or off.',
  },
  numCpus: { key: 'num_cpus', kind: cpus, unsetMeans: 'no limit', help: 'CPU limit of a job, such as 1.5.' },
  pidsLimit: {
    key: 'pids_limit',
    kind: wholeNumber(100),
    target: 'docker',
    default: '8192',
    help: 'Limit on the processes and threads of a job, counted together.',
  },
  ulimits: {
    key: 'ulimits',
    kind: ulimits,
    target: 'docker',
    default: '',
    help: "Limits of a job's processes, as nofile=1024:524288; a step raises its soft nofile to the hard one.",
  },
  shmSizeBytes: {
    key: 'shm_size',
    kind: quantity,
    target: 'docker',
    unsetMeans: "the Docker engine's, usually 64Mi",
    help: 'Size of /dev/shm in a job, such as 512Mi.',
  },
  extraCapabilities: {
    key: 'extra_capabilities',
    kind: someOf(...CAPABILITY_NAMES),
    target: 'docker',
    default: '',
    help: 'Linux capabilities of a job in addition to the default few. Comma-separated in the environment.',
  },
  containerRuntime: {
    key: 'container_runtime',
    kind: word,
    unsetMeans: "the engine's or the cluster's own",
    help: "Container runtime of jobs, such as runsc, by the engine's name for it; on Kubernetes a RuntimeClass.",
  },
  containerNetwork: {
    key: 'container_network',
    kind: network,
    target: 'docker',
    unsetMeans: 'a separate network for each job',
    help: "Network of jobs' containers: a network of the Docker engine, bridge or none.",
  },
  containerMtu: {
    key: 'container_mtu',
    kind: wholeNumber(576, 65_535),
    target: 'docker',
    unsetMeans: "that of the engine's default bridge",
    help: "Largest packet in a job's own network, in bytes, where the path to the Internet has less than 1500.",
  },
  containerSubnet: {
    key: 'container_subnet',
    kind: addressBlock,
    target: 'docker',
    unsetMeans: "the Docker engine's choice",
    help: "Block of IPv4 addresses for jobs' own networks, 16 each, such as 10.210.0.0/16.",
  },
  extraHosts: {
    key: 'extra_hosts',
    kind: hosts,
    target: 'docker',
    default: '',
    help: "Names that jobs find without a name server, as name=address: lines of a job's /etc/hosts.",
  },
  dnsServers: {
    key: 'dns_servers',
    kind: ipAddressList,
    target: 'docker',
    default: '',
    help: "IP addresses of the name servers for jobs; empty: the Docker engine's.",
  },
  allowMetadata: {
    key: 'allow_metadata',
    kind: boolean,
    target: 'docker',
    // No default: an explicit false gets a notice where it cannot be enforced.
    unsetMeans: 'false',
    help: "Let jobs reach the cloud's metadata service, and with it the machine's own credentials.",
  },
} as const satisfies KeyTable;
