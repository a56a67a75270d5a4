import { statfs } from 'node:fs/promises';
import type { AgentConfig } from '../../config/agent-config.ts';
import { DEFAULT_IMAGE } from '../../job/job.ts';
import { byteCount } from '../../quantity.ts';
import { ownOwner } from '../../record/owner.ts';
import { refusedWith } from '../../target/docker/errors.ts';
import { ImageNotAllowedError } from '../../target/image-policy.ts';
import { type ContainerSettings, ImageError, type JobContainer, type Target } from '../../target/target.ts';
import { containerSettings } from '../container-settings.ts';
import { ownLabels } from '../labels.ts';
import type { Checked, Examination, Finding } from './examination.ts';
import { permissionChecks } from './permission-checks.ts';

const ENGINE_MS = 15_000;
/** A template is merged there, and the kubeconfig's program for credentials may take its time. */
const CLUSTER_MS = 30_000;
/** A pull that makes progress is let go on; one that stalls is ended by the target. */
const PULL_MS = 30 * 60_000;
/** Bytes that an engine should have left for images and containers; below it, a warning. */
const ROOM = 2 * 1024 ** 3;
const ENVIRONMENT_FILE = '/PULUMI_ENV';
/** What the steps that Pulumi Cloud sends call (protocol section 4). */
const NEEDED = ['bash', 'curl', 'pulumi'] as const;

interface EngineSources {
  readonly config: Checked<AgentConfig>;
  readonly target: Target;
  /** Milliseconds that a container may take from start to removal. */
  readonly startMs: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The image to pull. */
  readonly pull?: string;
}

/** Where jobs run: the engine with its disk, or the cluster with its permissions; and a container made, used and removed. */
export function engineChecks(examination: Examination, { config, target, startMs, labels, pull }: EngineSources): void {
  const isCluster = target.permissions !== undefined;
  const spec = { outcome: 'target-error', deadlineMs: isCluster ? CLUSTER_MS : ENGINE_MS } as const;
  const title = isCluster ? 'Kubernetes' : 'Docker';
  const engine = examination.check({ ...spec, id: title.toLowerCase(), title }, [], async (signal) => {
    return { status: 'passed', detail: await target.check(signal), value: undefined };
  });
  if (target.permissions === undefined) {
    examination.check({ ...spec, id: 'engine-disk', title: 'Engine disk' }, [engine], (signal) => room(target, signal));
  } else {
    permissionChecks(examination, target.permissions(), spec.deadlineMs);
  }
  const deadlineMs = pull === undefined || isCluster ? startMs : PULL_MS;
  examination.check(
    { ...spec, id: 'container', title: isCluster ? 'Pod' : 'Container', deadlineMs },
    [engine, config],
    (signal, _, settings) =>
      made(target, {
        ...containerSettings(settings),
        image: pull ?? settings.image ?? DEFAULT_IMAGE,
        pull: !isCluster && (pull !== undefined || (settings.image !== undefined && settings.pullImage)),
        isNamed: pull !== undefined || settings.image !== undefined,
        labels,
        signal,
      }),
  );
}

async function room(target: Target, signal: AbortSignal): Promise<Finding<undefined>> {
  const value = undefined;
  const directory = await target.dataDirectory?.(signal);
  const space = directory === undefined ? undefined : await statfs(directory).catch(() => undefined);
  if (space === undefined) return { status: 'unknown', detail: "the engine's disk can't be seen from here", value };
  const free = space.bavail * space.bsize;
  const detail = `${directory}, ${byteCount(free)} free`;
  if (free >= ROOM) return { status: 'passed', detail, value };
  return { status: 'warning', detail: `${detail}. Free some: images and containers go there.`, value };
}

interface Trial extends ContainerSettings {
  readonly image: string;
  readonly pull: boolean;
  /** Somebody asked for this image; else it is only the default. */
  readonly isNamed: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

async function made(
  target: Target,
  { image, pull, isNamed, labels, signal, ...settings }: Trial,
): Promise<Finding<undefined>> {
  const value = undefined;
  let container: JobContainer;
  try {
    container = await target.prepare(
      {
        ...settings,
        image,
        pull,
        labels: { ...labels, ...ownLabels(ownOwner()), 'pulumi-runner.run': 'doctor' },
        files: [{ path: ENVIRONMENT_FILE, mode: 0o600, content: '' }],
        environmentFile: ENVIRONMENT_FILE,
      },
      async () => undefined,
      signal,
    );
  } catch (error) {
    if (isNamed || !(error instanceof ImageError)) throw error;
    if (error instanceof ImageNotAllowedError) {
      const detail = `could not tell: ${image}, which would be tried, is not among the images that may run. --pull IMAGE tries another.`;
      return { status: 'unknown', detail, value };
    }
    // A node of a cluster is not allowed to pull what nobody named.
    const isCluster = target.permissions !== undefined;
    if (!isCluster && !refusedWith(error.cause, 404)) throw error;
    const detail = `could not tell: the ${isCluster ? 'node' : 'engine'} doesn't have ${image} yet, and a job pulls its own. --pull IMAGE tries it.`;
    return { status: 'unknown', detail, value };
  }
  let missing: string[];
  try {
    missing = await missingPrograms(container, signal);
  } finally {
    await container.remove();
  }
  const done = `${container.imageDigest} ${pull ? 'pulled, ' : ''}started, used and removed`;
  if (missing.length === 0) return { status: 'passed', detail: done, value };
  const detail = `${done}; it lacks ${missing.join(', ')}, which Pulumi Cloud's steps call. Use an image such as pulumi/pulumi.`;
  return { status: 'warning', detail, value };
}

/** Runs a step as a job does, and learns from it. */
async function missingPrograms(container: JobContainer, signal: AbortSignal): Promise<string[]> {
  let output = '';
  const script = `for program in ${NEEDED.join(' ')}; do command -v "$program" >/dev/null 2>&1 || echo "$program"; done`;
  const step = await container.start(
    { shell: 'sh', script, environment: {} },
    (chunk) => {
      output += chunk.toString('utf8');
    },
    signal,
  );
  await step.exit;
  const words = new Set(output.split('\n'));
  return NEEDED.filter((program) => words.has(program));
}
