import type Docker from 'dockerode';
import { readUlimit } from '../../../base/config/keys/jobs.ts';
import { defined } from '../../../base/defined.ts';
import type { CacheVolume } from '../../executor.ts';
import type { EngineInfo } from '../engine/info.ts';
import { mainCommand, STOP_SIGNAL } from './main-process.ts';

/**
 * The capabilities that a job's root keeps, each with its use. All others are dropped, even
 * NET_RAW, MKNOD and SETPCAP, which Docker keeps by default.
 */
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

/**
 * Processes and threads of one job: a Go build on 64 cores takes about 2,000, and a small kernel
 * allows 32,768.
 */
export const PIDS_LIMIT = 8_192;

/**
 * The settings for a job's container: its abilities and limits. The defaults are the tightest that jobs
 * were seen to work with.
 */
export interface ContainerLimits {
  readonly containerRuntime?: string | undefined;
  readonly extraCapabilities?: readonly string[] | undefined;
  readonly dnsServers?: readonly string[] | undefined;
  readonly extraHosts?: readonly string[] | undefined;
  readonly memoryBytes?: number | undefined;
  readonly numCpus?: number | undefined;
  readonly pidsLimit?: number | undefined;
  readonly shmSizeBytes?: number | undefined;
  readonly ulimits?: readonly string[] | undefined;
}

/** The engine's form of a volume's name; a path would mount that folder of the host. */
const VOLUME_NAME = /^[A-Za-z0-9][\w.-]+$/;

/** Microseconds: the kernel's default period for CPU quotas. */
const CPU_PERIOD = 100_000;

/**
 * The host configuration of a job's container. It shares nothing with the host: no path, device,
 * namespace or socket. `network` is a network's name, `bridge` or `none`. Throws for a setting that
 * would share one.
 */
export function hostConfig(
  limits: ContainerLimits,
  network: string,
  volume: CacheVolume | undefined,
): Docker.HostConfig {
  const { containerRuntime, extraCapabilities = [], dnsServers = [], extraHosts = [] } = limits;
  const { memoryBytes, numCpus, pidsLimit = PIDS_LIMIT, shmSizeBytes, ulimits = [] } = limits;
  if (network === 'host' || network.startsWith('container:'))
    throw new Error(`a job must not share the network of ${network}`);

  if (volume !== undefined && !VOLUME_NAME.test(volume.name))
    throw new Error(`"${volume.name}" is not a volume's name`);

  return {
    AutoRemove: true,
    // The main process is process 1, which nothing inside can stop or kill, whatever the engine's
    // own default.
    Init: false,
    // The main process's output is read from its stream; none of it belongs on the host's disk.
    LogConfig: { Type: 'none', Config: {} },
    Privileged: false,
    // Keeps everything in the container within reach of its main process's signals, whatever user
    // runs it.
    SecurityOpt: ['no-new-privileges'],
    CapDrop: ['ALL'],
    CapAdd: [...new Set([...Object.keys(CAPABILITIES), ...extraCapabilities])],
    IpcMode: 'private',
    NetworkMode: network,
    PidsLimit: pidsLimit,
    // Equal values allow no swap; with Memory alone, an engine would allow as much swap again.
    ...defined({ Memory: memoryBytes, MemorySwap: memoryBytes, Runtime: containerRuntime }),
    ...(numCpus !== undefined && { CpuPeriod: CPU_PERIOD, CpuQuota: Math.round(numCpus * CPU_PERIOD) }),
    ...defined({ ShmSize: shmSizeBytes }),
    ...(ulimits.length > 0 && { Ulimits: ulimits.map(readUlimit) }),
    ...(dnsServers.length > 0 && { Dns: [...dnsServers] }),
    ...(extraHosts.length > 0 && { ExtraHosts: extraHosts.map((host) => host.replace('=', ':')) }),
    ...(volume && { Mounts: [{ Type: 'volume', Source: volume.name, Target: volume.path }] }),
  };
}

interface ContainerRequest {
  /** The image's ID: a tag can have moved meanwhile. */
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly environmentFile: string;
  /** Seconds that an orphaned step has to end. */
  readonly orphanGraceSeconds: number;
  readonly limits: ContainerLimits;
  /** The runtime that the engine will use. */
  readonly runtime: string;
  /** As in `hostConfig`. */
  readonly network: string;
  /** Addresses to give to the container; only a user-defined network can. */
  readonly linkLocalAddresses: readonly string[];
  readonly volume: CacheVolume | undefined;
}

/** The request that creates a job's container. */
export function containerBody(request: ContainerRequest): Docker.ContainerCreateOptions {
  const { image, labels, environmentFile, orphanGraceSeconds, limits, runtime } = request;
  const { network, linkLocalAddresses, volume } = request;
  return {
    Image: image,
    Entrypoint: mainCommand(environmentFile, orphanGraceSeconds),
    Cmd: [],
    WorkingDir: '/',
    Labels: { ...labels },
    // Sysbox gives root every capability, whatever CapDrop says, unless this is set.
    ...(/sysbox/i.test(runtime) && { Env: ['SYSBOX_HONOR_CAPS=TRUE'] }),
    OpenStdin: true,
    // The stdin ends with the agent's connection, which ends the container.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    // Gives what runs the time to end gracefully on a docker stop or the engine's own shutdown.
    StopSignal: String(STOP_SIGNAL),
    StopTimeout: orphanGraceSeconds + 5,
    HostConfig: hostConfig(limits, network, volume),
    ...(linkLocalAddresses.length > 0 && {
      NetworkingConfig: {
        EndpointsConfig: { [network]: { IPAMConfig: { LinkLocalIPs: [...linkLocalAddresses] } } },
      },
    }),
  };
}

/** A line for each limit that the engine silently drops (rootless Docker, cgroup v1). */
export function unkeptLimits(
  info: EngineInfo,
  { memoryBytes, numCpus, pidsLimit }: ContainerLimits,
): readonly string[] {
  const limits = [
    ['memory', memoryBytes, 'MemoryLimit'],
    ['num_cpus', numCpus, 'CpuCfsQuota'],
    ['pids_limit', pidsLimit, 'PidsLimit'],
  ] as const;

  return limits
    .filter(([, limit, ability]) => limit !== undefined && info[ability] === false)
    .map(
      ([key]) =>
        `Warning: this engine does not support that limit, so ${key} has no effect. Rootless engines need cgroup v2 for it.`,
    );
}
