import { z } from 'zod';
import type { EngineCalls } from './engine.ts';

/** The fields of `docker info` in use. Engines differ, so a missing or odd field refuses none. */
const infoSchema = z.object({
  DefaultRuntime: z.string().catch('runc'),
  Runtimes: z.record(z.string(), z.unknown()).catch({}),
  /** As in `name=seccomp,profile=builtin`. */
  SecurityOptions: z.array(z.string()).catch([]),
  FirewallBackend: z.object({ Driver: z.string() }).optional().catch(undefined),
  MemoryLimit: z.unknown().optional(),
  CpuCfsQuota: z.unknown().optional(),
  PidsLimit: z.unknown().optional(),
});

export type EngineInfo = z.infer<typeof infoSchema>;

const NAMES: Readonly<Record<string, string>> = {
  apparmor: 'AppArmor',
  selinux: 'SELinux',
  userns: 'user namespaces',
  cgroupns: 'cgroup namespaces',
};

/**
 * Runtimes that start containers on the host's kernel, in a root folder that the engine sees; `oci`
 * is Podman's word.
 */
const PLAIN = /^(runc|crun|oci|nvidia|io\.containerd\.(runc\.v[12]|runtime\.v1\.linux))$/;

/** Runtimes with their own kernel, for which the host's kernel doesn't filter system calls. */
const OWN_KERNEL = /runsc|gvisor|kata/i;

const UNFILTERED =
  "The engine filters no system calls (seccomp): where the kernel lets users make user namespaces, a job has every capability in one of its own. Take seccomp-profile out of the engine's configuration, or set container_runtime to one with a kernel of its own, such as runsc.";

/** Throws as `Engine.call` does. */
export async function engineInfo(engine: EngineCalls, signal: AbortSignal): Promise<EngineInfo> {
  return infoSchema.parse(await engine.call((docker): Promise<unknown> => docker.info(), { signal }));
}

/**
 * True for a runtime for which files can be put into a running container from outside, as gVisor's
 * can't.
 */
export function isPlain(runtime: string): boolean {
  return PLAIN.test(runtime);
}

/**
 * The engine's confinement of jobs under `runtime`, in its words, and the claims of
 * docs/isolation.md that it voids.
 */
export function confinedBy(
  { SecurityOptions: options, FirewallBackend: firewall }: EngineInfo,
  runtime: string,
) {
  const words = options.map((option) => {
    const { name = option, profile = '' } = Object.fromEntries(
      option.split(',').map((pair) => pair.split('=')),
    );
    return `${NAMES[name] ?? name} ${profile}`.trim();
  });

  const isFiltered = words.some((word) => /^seccomp(?! unconfined)/.test(word));

  if (!words.some((word) => word.startsWith('seccomp'))) words.unshift('no seccomp');
  if (firewall !== undefined) words.push(`firewall ${firewall.Driver}`);

  const isOpen = !isFiltered && !OWN_KERNEL.test(runtime);
  return { confinement: { runtime, engine: words }, warnings: isOpen ? [UNFILTERED] : [] };
}
