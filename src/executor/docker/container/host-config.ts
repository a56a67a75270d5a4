import type Docker from 'dockerode';
import { defined } from '../../../defined.ts';
import type { ContainerSpec } from '../../executor.ts';
import type { Engine } from '../engine/engine.ts';
import { MAIN_PROCESS_SCRIPT, ORPHAN_GRACE_SECONDS, STOP_SIGNAL } from './main-process.ts';

/** The capabilities that a job's root keeps, each with what fails without it. All others are dropped, NET_RAW, MKNOD and SETPCAP of Docker's default too. */
export const CAPABILITIES: Readonly<Record<string, string>> = {
  CHOWN: 'package managers and `tar` as root give files to their owners',
  DAC_OVERRIDE: 'root writes where another user owns the folder, as installations and caches need it',
  FOWNER: 'root changes the mode and the times of files that it gave away',
  FSETID: 'a file keeps its setgid bit when root changes it; `dpkg` and `tar` set it on shared folders',
  KILL: 'the agent interrupts steps whose processes run as another user than the container’s',
  SETFCAP: '`rpm` refuses packages whose files have capabilities where it can’t set them',
  SETGID: '`apt-get` downloads as the user `_apt`; scripts run parts of theirs as another group',
  SETUID: '`apt-get` downloads as the user `_apt`; scripts run parts of theirs as another user',
};

/** Processes and threads of one job: a build of Go programs on 64 cores has about 2,000, and a small kernel room for 32,768. */
export const PIDS_LIMIT = 8_192;

/** What a job's container may use. The defaults are the tightest that jobs were seen to live with. */
export interface Containment {
  /** A network that the engine has, `bridge` or `none`; one that is made for the container when absent. */
  readonly network?: string;
  /** The cloud's metadata service may be asked; not when absent. */
  readonly allowMetadata?: boolean;
  /** Bytes of memory, swap included; as much as there is when absent. */
  readonly memoryBytes?: number;
  /** Cores' worth of time, as in 1.5; as much as there is when absent. */
  readonly cpus?: number;
  /** Processes and threads; PIDS_LIMIT when absent. */
  readonly pidsLimit?: number;
  /** Kept besides CAPABILITIES, without `CAP_`. */
  readonly extraCapabilities?: readonly string[];
  /** Addresses of the name servers that jobs ask; the engine's own when absent or empty. */
  readonly dnsServers?: readonly string[];
}

/** A volume of the engine's that lasts longer than the container. */
export interface VolumeMount {
  readonly name: string;
  /** Absolute path inside the container. */
  readonly path: string;
}

export interface HostConfigOptions extends Containment {
  /** The network's name, `bridge` or `none`. */
  readonly network: string;
  readonly volumes?: readonly VolumeMount[];
}

/** As the engine takes a volume's name; a path of the host would make it a mount of that. */
const VOLUME_NAME = /^[A-Za-z0-9][\w.-]+$/;
/** Microseconds: the kernel's usual period, over which a quota of time holds. */
const CPU_PERIOD = 100_000;

/** What the engine lets a job's container do. Nothing of the host gets in: no path, device, namespace or socket. Throws for a setting that would let one in. */
export function hostConfig(options: HostConfigOptions): Docker.HostConfig {
  const { memoryBytes, cpus, pidsLimit = PIDS_LIMIT, extraCapabilities = [], dnsServers = [] } = options;
  const { network, volumes = [] } = options;
  if (network === 'host' || network.startsWith('container:'))
    throw new Error(`a job must not share the network of ${network}`);
  const stray = volumes.find(({ name }) => !VOLUME_NAME.test(name));
  if (stray !== undefined) throw new Error(`"${stray.name}" is not a volume's name`);
  const mounts = volumes.map(({ name, path }) => ({ Type: 'volume' as const, Source: name, Target: path }));
  return {
    AutoRemove: true,
    // Reaps what steps leave, and is the process 1 that the kernel protects from stray signals.
    Init: true,
    // What the main process writes is read from its stream; nothing of it belongs on the host's disk.
    LogConfig: { Type: 'none', Config: {} },
    Privileged: false,
    // So everything in the container stays within reach of its main process's signals, whatever user runs it.
    SecurityOpt: ['no-new-privileges'],
    CapDrop: ['ALL'],
    CapAdd: [...new Set([...Object.keys(CAPABILITIES), ...extraCapabilities])],
    IpcMode: 'private',
    NetworkMode: network,
    PidsLimit: pidsLimit,
    // Without more swap than memory there is no more than that: an engine would double it.
    ...defined({ Memory: memoryBytes, MemorySwap: memoryBytes }),
    ...(cpus !== undefined && { CpuPeriod: CPU_PERIOD, CpuQuota: Math.round(cpus * CPU_PERIOD) }),
    ...(dnsServers.length > 0 && { Dns: [...dnsServers] }),
    ...(mounts.length > 0 && { Mounts: mounts }),
  };
}

/** What the engine makes a job's container of, from the image with the ID `image`. */
export function containerBody(
  spec: Pick<ContainerSpec, 'environmentFile' | 'labels'>,
  image: string,
  options: HostConfigOptions & {
    /** Link-local addresses that are to be the container's own; only a network that users made can give them. */
    readonly linkLocalAddresses: readonly string[];
  },
): Docker.ContainerCreateOptions {
  const { network, linkLocalAddresses: addresses } = options;
  return {
    // The ID: a tag may have moved on meanwhile.
    Image: image,
    Entrypoint: ['sh', '-c', MAIN_PROCESS_SCRIPT, spec.environmentFile, String(ORPHAN_GRACE_SECONDS)],
    Cmd: [],
    WorkingDir: '/',
    Labels: { ...spec.labels },
    OpenStdin: true,
    // The stdin ends with the agent's connection, and with it the container.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    // A docker stop, or the engine's own, gives what runs the time to end gracefully.
    StopSignal: String(STOP_SIGNAL),
    StopTimeout: ORPHAN_GRACE_SECONDS + 5,
    HostConfig: hostConfig(options),
    ...(addresses.length > 0 && {
      NetworkingConfig: { EndpointsConfig: { [network]: { IPAMConfig: { LinkLocalIPs: [...addresses] } } } },
    }),
  };
}

/** A line for each limit that is set and that the engine would drop without a word, as rootless Docker on cgroup v1 does. Throws as `Engine.call` does. */
export async function unkeptLimits(
  engine: Engine,
  { memoryBytes, cpus, pidsLimit }: Containment,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const limits = [
    ['memory', memoryBytes, 'MemoryLimit'],
    ['num_cpus', cpus, 'CpuCfsQuota'],
    ['pids_limit', pidsLimit, 'PidsLimit'],
  ] as const;
  if (limits.every(([, limit]) => limit === undefined)) return [];
  const able = await engine.call((docker): Promise<Readonly<Record<string, unknown>>> => docker.info(), { signal });
  return limits
    .filter(([, limit, ability]) => limit !== undefined && able[ability] === false)
    .map(
      ([key]) =>
        `Warning: this engine keeps no limit of that kind, so ${key} has no effect. Rootless engines need cgroup v2 for it.`,
    );
}
