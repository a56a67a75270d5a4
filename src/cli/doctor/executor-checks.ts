import type { AgentConfig } from '../../base/config/agent-config.ts';
import { DEFAULT_IMAGE } from '../../base/config/keys/run.ts';
import { clause, messageOf, OutcomeError } from '../../base/outcome.ts';
import { type Executor, ImageError, type JobContainer, type Permission } from '../../executor/executor.ts';
import { ImageNotAllowedError } from '../../executor/image-policy.ts';
import { containerSettings, EXECUTORS, executorAt, executorFor } from '../../executor/targets.ts';
import { trialContainer } from '../../executor/trial.ts';
import type { Examination, Finding } from './examination.ts';
import { type CheckSources, freeSpace } from './local-checks.ts';

/** Free bytes that an engine should have for images and containers; fewer are a warning. */
const ROOM = 2 * 1024 ** 3;

/** The programs that Pulumi Cloud's steps call (protocol section 4). */
const NEEDED = ['bash', 'curl', 'pulumi'] as const;

/** Checks the executor, its disk and its permissions, and makes, uses and removes a container. */
export async function executorChecks(
  examination: Examination,
  { settings, environment, redactor }: CheckSources,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const config = settings.missing === undefined ? settings.value : undefined;
  const { doctor } = EXECUTORS[config?.deployTarget ?? 'docker'];
  const executorSources = { environment, onSecret: (secret: string) => redactor.add([secret]) };

  // Without a configuration, Docker is the default.
  const executor =
    config === undefined
      ? await executorAt({ target: 'docker' }, executorSources)
      : await executorFor(doctor.trialOf(config, config.image !== undefined), executorSources);

  const { title, checkMs } = doctor;
  const spec = { outcome: 'target-error', deadlineMs: checkMs } as const;

  try {
    const usable = await examination.check(
      { ...spec, id: title.toLowerCase(), title },
      [],
      async (signal) => {
        return { status: 'passed', detail: await executor.check(signal) };
      },
    );

    const confinement = { ...spec, id: 'confinement', title: 'Confinement' };

    if (executor.confinement !== undefined)
      await examination.check(confinement, [usable], (signal) => confinedBy(executor, signal));

    const disk = { ...spec, id: 'engine-disk', title: 'Engine disk' };
    if (executor.dataDirectory !== undefined)
      await examination.check(disk, [usable], (signal) => engineDisk(executor, signal));

    const subnet = { ...spec, id: 'container-subnet', title: 'Addresses of jobs' };
    if (executor.overlappedRoutes !== undefined)
      await examination.check(subnet, [usable], (signal) => ownAddresses(executor, config, signal));

    for (const permission of executor.permissions?.() ?? []) {
      const { resource } = permission;
      const one = { ...spec, id: `permission-${resource.replace('/', '-')}`, title: `May use ${resource}` };
      await examination.check(one, [], (signal) => permitted(permission, signal));
    }

    if (config !== undefined && config.prepullImages.length > 0 && executor.prepull !== undefined) {
      const deadlineMs = doctor.containerMs(config, true);
      const images = { ...spec, id: 'prepull-images', title: 'Images pulled ahead', deadlineMs };
      await examination.check(images, [usable], (signal) => pulledAhead(executor, config, signal));
    }

    const pull = config?.image !== undefined && config.pullImage;
    const deadlineMs = config === undefined ? 0 : doctor.containerMs(config, pull);
    const container = { ...spec, id: 'container', title: doctor.container, deadlineMs };

    await examination.check(container, [usable, settings], (signal, _, whole) =>
      containerCheck(executor, whole, { pull, labels }, signal),
    );
  } finally {
    await examination.settled(checkMs);
    await executor.close();
  }
}

/** Says what the place confines jobs with; what it voids of docs/isolation.md is a warning. */
async function confinedBy(executor: Executor, signal: AbortSignal): Promise<Finding> {
  const { confinement = {}, warnings = [] } = (await executor.confinement?.(signal)) ?? {};
  const { runtime = '', engine = [] } = confinement;
  const detail = [[runtime, ...engine].join(', '), ...warnings].map(clause).join('. ');
  return { status: warnings.length > 0 ? 'warning' : 'passed', detail };
}

async function engineDisk(executor: Executor, signal: AbortSignal): Promise<Finding> {
  const directory = await executor.dataDirectory?.(signal);
  const unknown = { status: 'unknown', detail: "the engine's disk can't be seen from here" } as const;
  if (directory === undefined) return unknown;
  return freeSpace(directory, directory, { wanted: ROOM, use: 'images and containers go there' }).catch(
    () => unknown,
  );
}

/** Says whether a job could not reach something because its own network has that address. */
async function ownAddresses(
  executor: Executor,
  config: AgentConfig | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  const routes = await executor.overlappedRoutes?.(signal);
  const subnet = `container_subnet ${config?.containerSubnet}`;
  if (routes === undefined)
    return {
      status: 'unknown',
      detail: `the routes of the engine's machine can't be seen from here, to compare with ${subnet}`,
    };
  if (routes.length === 0) return { status: 'passed', detail: `${subnet} overlaps no route of this machine` };

  const detail = `${subnet} overlaps ${routes.join(', ')} of this machine: jobs might not reach hosts there. Choose a block that no network of yours uses.`;
  return { status: 'warning', detail };
}

/**
 * Checks what the account may do with one kind of object. Throws OutcomeError `target-error` if
 * jobs need more.
 */
async function permitted(permission: Permission, signal: AbortSignal): Promise<Finding> {
  const { resource, needed, useful, purpose } = permission;
  let review: Awaited<ReturnType<Permission['review']>>;

  try {
    review = await permission.review(signal);
  } catch (cause) {
    signal.throwIfAborted();
    // The executor's own check says why it can't be asked.
    return { status: 'unknown', detail: `could not ask: ${clause(messageOf(cause))}.` };
  }

  const { refused, remedy } = review;
  if (refused.length === 0) return { status: 'passed', detail: [...needed, ...useful].join(', ') };

  const forbidden = `this account can't ${refused.join(', ')}`;
  if (refused.some((verb) => needed.includes(verb))) {
    const message = `Failed to get access to ${resource} for jobs: ${forbidden}. ${remedy}.`;
    throw new OutcomeError('target-error', message, { code: 'PRA-K8S-04' });
  }

  return { status: 'warning', detail: `${forbidden}: without it, ${purpose}. ${remedy}.` };
}

/** Pulls the images of `prepull_images`. One that can't be pulled keeps no run from starting. */
async function pulledAhead(executor: Executor, config: AgentConfig, signal: AbortSignal): Promise<Finding> {
  const { policy } = containerSettings(config);
  const [pulled, troubles]: [string[], string[]] = [[], []];

  for (const image of config.prepullImages) {
    try {
      pulled.push((await executor.prepull?.(image, policy, signal)) ?? image);
    } catch (error) {
      signal.throwIfAborted();
      troubles.push(messageOf(error));
    }
  }

  if (troubles.length === 0) return { status: 'passed', detail: pulled.join(', ') };
  return { status: 'warning', detail: troubles.join(' ') };
}

/** Makes a container like a job's, runs a step in it, and removes it. */
async function containerCheck(
  executor: Executor,
  config: AgentConfig,
  { pull, labels }: { pull: boolean; labels: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Finding> {
  const { image = DEFAULT_IMAGE } = config;
  let container: JobContainer;

  try {
    container = await trialContainer(executor, config, { image, pull, labels, run: 'doctor' }, signal);
  } catch (error) {
    if (config.image !== undefined || !(error instanceof ImageError)) throw error;
    const reason =
      error instanceof ImageNotAllowedError
        ? ', which would be tried, is not among the allowed images. --image IMAGE tries another.'
        : " isn't there yet, and a job pulls its own. --image IMAGE tries it.";
    return { status: 'unknown', detail: `could not tell: ${image}${reason}` };
  }

  let missing: string[];
  try {
    missing = await missingPrograms(container, signal);
  } finally {
    await container.remove();
  }

  const done = `${container.imageDigest} ${pull ? 'pulled, ' : ''}started, used and removed`;
  if (missing.length === 0) return { status: 'passed', detail: done };

  const detail = `${done}; it lacks ${missing.join(', ')}, which Pulumi Cloud's steps call. Use an image such as pulumi/pulumi.`;
  return { status: 'warning', detail };
}

/** Runs a step as a job does. Returns the needed programs that the image lacks. */
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
