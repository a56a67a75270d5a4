import { type ContainerSettings, type Executor, ImageError, type JobContainer } from '../../executor/executor.ts';
import { ImageNotAllowedError } from '../../executor/image-policy.ts';
import { ownLabels } from '../../executor/labels.ts';
import { ownOwner } from '../../record/owner.ts';
import type { Finding } from './examination.ts';

const ENVIRONMENT_FILE = '/PULUMI_ENV';
/** What the steps that Pulumi Cloud sends call (protocol section 4). */
const NEEDED = ['bash', 'curl', 'pulumi'] as const;

interface ContainerTrial extends ContainerSettings {
  readonly image: string;
  readonly pull: boolean;
  /** This image was asked for; else it is only the default. */
  readonly isNamed: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Makes a container as a job's is, runs a step in it and removes it. */
export async function containerCheck(executor: Executor, trial: ContainerTrial): Promise<Finding> {
  const { image, pull, isNamed, labels, signal, ...settings } = trial;
  let container: JobContainer;
  try {
    container = await executor.prepare(
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
      return { status: 'unknown', detail };
    }
    const detail = `could not tell: ${image} isn't there yet, and a job pulls its own. --pull IMAGE tries it.`;
    return { status: 'unknown', detail };
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
