import { NEVER } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import { DEFAULT_IMAGE } from '../base/config/keys/run.ts';
import { DeadlineError, within } from '../base/deadline.ts';
import { OutcomeError } from '../base/outcome.ts';
import { ownOwner } from '../base/owner.ts';
import { ContainerError, type Executor, type ExecutorSources, type JobContainer } from './executor.ts';
import { ownerLabels } from './owner-labels.ts';
import { containerSettings, EXECUTORS, executorFor } from './targets.ts';

const ENVIRONMENT_FILE = '/PULUMI_ENV';

interface TrialContainer {
  readonly image: string;
  /** If false, the image must be there already. */
  readonly pull: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** The value of the label `pulumi-runner.run`. */
  readonly run: 'doctor' | 'trial';
}

/** Makes a container like a job's, with nothing of a job's inside. Throws as `Executor.prepare` does. */
export function trialContainer(
  executor: Executor,
  config: AgentConfig,
  { image, pull, labels, run }: TrialContainer,
  signal: AbortSignal,
): Promise<JobContainer> {
  const spec = {
    ...containerSettings(config),
    image,
    pull,
    labels: { ...labels, ...ownerLabels(ownOwner()), 'pulumi-runner.run': run },
    files: [{ path: ENVIRONMENT_FILE, mode: 0o600, content: '' }],
    environmentFile: ENVIRONMENT_FILE,
  };

  return executor.prepare(spec, async () => undefined, signal);
}

/**
 * Shows that jobs can run: checks the executor, makes a container and removes it. `image` is tried first, before
 * those that jobs are known to use. Returns false if nothing is proven: no image is there or can run, or a container
 * of `image` was lost and there is no other. Throws the executor's fault, within a deadline for each image.
 */
export type Trial = (image: string | undefined, signal: AbortSignal) => Promise<boolean>;

/** The executor for trials: `executor`, or one with other settings where those would pull or keep something. */
export async function trialExecutor(
  executor: Executor,
  config: AgentConfig,
  sources: ExecutorSources,
): Promise<Executor> {
  const changed = EXECUTORS[config.deployTarget].doctor.trialOf(config, false);
  return changed === config ? executor : await executorFor(changed, sources);
}

/** For an abandoned trial to clean up. */
const CLEAN_UP_MS = 5_000;

export function trialOn(
  executor: Executor,
  config: AgentConfig,
  labels: Readonly<Record<string, string>> = {},
): Trial {
  const ms = EXECUTORS[config.deployTarget].doctor.containerMs(config, false);
  const usualImages = config.image === undefined ? [DEFAULT_IMAGE, ...config.prepullImages] : [config.image];
  /** A container whose removal failed. No other is made before it is gone. */
  let previous: JobContainer | undefined;
  /** The last attempt, which can outlive its deadline. */
  let attempt: Promise<unknown> = Promise.resolve();

  const makeAndRemove = async (image: string, signal: AbortSignal): Promise<void> => {
    await attempt;
    await previous?.remove();
    previous = await trialContainer(executor, config, { image, pull: false, labels, run: 'trial' }, signal);
    await previous.remove();
    previous = undefined;
  };

  return async (image, signal) => {
    await within(ms, signal, (inner) => executor.check(inner));

    let failure: ContainerError | undefined;
    for (const each of new Set(image === undefined ? usualImages : [image, ...usualImages])) {
      try {
        await within(ms, signal, (inner) => {
          const making = makeAndRemove(each, inner);
          attempt = making.catch(() => undefined);
          return making;
        });
        return true;
      } catch (thrown) {
        if (signal.aborted) await within(CLEAN_UP_MS, NEVER, () => attempt).catch(() => undefined);
        const error = thrown instanceof DeadlineError ? late(thrown) : thrown;
        const isExecutors = error instanceof OutcomeError && error.fault === 'executor';
        // A deployment can choose an image that looks like the executor's fault.
        const isChosen = !usualImages.includes(each);
        if (isChosen && error instanceof ContainerError && isExecutors && !signal.aborted) {
          // A loss can be the doing of the image's own programs: it proves nothing.
          if (!error.mayPass) failure = error;
          continue;
        }
        // An image that isn't there, may not run or has no shell says nothing about the executor.
        if (!(error instanceof OutcomeError) || isExecutors || signal.aborted) throw error;
      }
    }

    if (failure !== undefined) throw failure;
    return false;
  };
}

/** The error for a trial that takes too long: the executor's fault, as for a job's container. */
function late(cause: DeadlineError): ContainerError {
  const message = `Failed to start a trial container for this runner: ${cause.message}. Check the load of the executor, and its log.`;
  return new ContainerError(message, { code: 'PRA-CONTAINER-01', cause, mayPass: true });
}
