import { CloudUnreachableError } from '../../cloud/errors.ts';
import { type StackName, stackText } from '../../config/stack-pattern.ts';
import { messageOf, OutcomeError } from '../../outcome.ts';
import type { FailedStart, StartedDeployment } from '../../record/plan-report.ts';
import { type StartOptions, startDeployment } from './start-deployment.ts';

/** Requests under way at a time. */
const PARALLEL = 4;
/** Stacks in a row that Pulumi Cloud can't be reached for, after which no other is tried. */
const UNREACHABLE = 4;

export interface StartsOptions extends StartOptions {
  /** Milliseconds: each deployment is started at a moment of its own within them. */
  readonly jitterMs: number;
}

export interface Starts {
  readonly started: readonly StartedDeployment[];
  readonly failed: readonly FailedStart[];
}

/** Starts a deployment of each stack, some at a time; one that can't be started doesn't hold the others up. Never throws. */
export async function startDeployments(stacks: readonly StackName[], options: StartsOptions): Promise<Starts> {
  const { clock, jitterMs, random, signal } = options;
  const began = clock.steady();
  const waiting = stacks
    .map((stack) => ({ stack, at: began + random() * jitterMs }))
    .toSorted((one, other) => one.at - other.at);
  const started: StartedDeployment[] = [];
  const failed: FailedStart[] = [];
  let unreachable = 0;
  const fail = (stack: StackName, error: unknown) => {
    const outcome = signal.aborted ? 'interrupted' : error instanceof OutcomeError ? error.outcome : 'failed';
    unreachable = outcome === 'cloud-unreachable' ? unreachable + 1 : 0;
    const name = stackText(stack);
    const untried = signal.aborted && !(error instanceof CloudUnreachableError);
    const message = untried ? `${name} was not started: the agent was asked to stop.` : messageOf(error);
    failed.push({ stack: name, outcome, message });
  };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { stack, at } = next;
      try {
        if (unreachable >= UNREACHABLE) {
          const sentence = `Failed to start ${options.operation} for ${stackText(stack)}: it was not tried, as Pulumi Cloud could not be reached for others. Check the network path and Pulumi Cloud's status.`;
          throw new OutcomeError('cloud-unreachable', sentence);
        }
        const wait = at - clock.steady();
        if (wait > 0) await clock.sleep(wait, signal);
        started.push(await startDeployment(stack, options));
        unreachable = 0;
      } catch (error) {
        fail(stack, error);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return { started, failed };
}
