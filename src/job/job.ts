import { type Clock, deadline } from '../clock.ts';
import { JobGoneError } from '../cloud/errors.ts';
import type { JobApi } from '../cloud/jobs.ts';
import type { Claim, JobDefinition, JobStep } from '../cloud/wire.ts';
import { formatDuration } from '../config/duration.ts';
import type { Redactor } from '../log/redactor.ts';
import { clause, messageOf } from '../outcome.ts';
import type { RecordEventBody } from '../record/schema.ts';
import { type EnvironmentSources, type JobEnvironment, jobEnvironment, parseEnvironmentFile } from './environment.ts';
import { type JobEnd, type Verdict, verdictOn, verdictOnStep } from './job-end.ts';
import { OwnedContainer, type OwnedContainerOptions } from './owned-container.ts';
import { Reporter } from './reporter.ts';
import { jobSecrets, suspectedSecrets } from './secrets.ts';
import { runStep, type StepEnd } from './step.ts';
import { type LogWatcher, type OpenStep, StepJournal } from './step-journal.ts';
import { StopRequested, type StopSource } from './stop.ts';
import { checkTimeouts, timeoutMs } from './timeout.ts';

/** The image of a job that names none (protocol section 3). */
export const DEFAULT_IMAGE = 'pulumi/pulumi:latest';
const GONE = 'Pulumi Cloud no longer knows the job';
const NOTHING_RUN = 'No step was run.';
const UNTOLD =
  'Pulumi Cloud could not be told how the job ended: it fails the deployment 10 minutes after the last heartbeat, however the job ended.';

export interface JobOptions
  extends Omit<EnvironmentSources, 'definition' | 'claim'>,
    OwnedContainerOptions,
    LogWatcher {
  readonly claim: Claim;
  readonly api: Pick<JobApi, 'definition' | 'stepStatus' | 'logs'>;
  readonly stop: StopSource;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Replaces the job's image. */
  readonly image?: string;
  readonly graceMs: number;
  readonly stepLog: (index: number, name: string) => { relative: string; absolute: string };
  readonly event: (event: RecordEventBody) => void;
  /** Ends the heartbeat: called once, right before the last status, because a job that has ended takes none. */
  readonly beforeLastStatus: () => Promise<void>;
}

/** Runs one claimed job from its definition to its last report. Never throws: every way to end is a JobEnd. */
export async function runJob(options: JobOptions): Promise<JobEnd> {
  return new Job(options).run();
}

class Job {
  readonly #options: JobOptions;
  readonly #reporter: Reporter;
  readonly #journal: StepJournal;
  readonly #container: OwnedContainer;
  #forwarded: readonly string[] = [];
  #image: string | undefined;

  constructor(options: JobOptions) {
    this.#options = options;
    const { api, clock, stop, notice } = options;
    this.#reporter = new Reporter({
      api,
      clock,
      onGone: () => stop.request({ by: 'cloud', reason: GONE }),
      onNotice: notice,
      stopping: stop.signal,
    });
    this.#journal = new StepJournal({ ...options, reporter: this.#reporter });
    this.#container = new OwnedContainer(options);
  }

  async run(): Promise<JobEnd> {
    let end: Verdict;
    try {
      end = await this.#run();
    } catch (error) {
      end = this.#verdict(error, 'The stack may need a refresh.');
    }
    const left = await this.#container.remove();
    if (left !== undefined) this.#options.notice(left);
    if (!(await this.#reporter.drained())) this.#options.notice(UNTOLD);
    const { imageDigest } = this.#container;
    return {
      ...end,
      steps: await this.#journal.results(),
      forwarded: this.#forwarded,
      ...(this.#image === undefined ? {} : { image: this.#image }),
      ...(imageDigest === undefined ? {} : { imageDigest }),
    };
  }

  async #run(): Promise<Verdict> {
    const { api, stop, event, image: override } = this.#options;
    let definition: JobDefinition;
    try {
      definition = await api.definition(stop.signal);
      checkTimeouts(definition);
    } catch (error) {
      if (error instanceof JobGoneError) stop.request({ by: 'cloud', reason: GONE });
      return this.#failedBeforeSteps(error);
    }
    const environment = this.#environment(definition);
    const image = override ?? definition.image.reference ?? DEFAULT_IMAGE;
    this.#image = image;
    this.#journal.expect(definition.steps.map((step, index) => step.name ?? `Step ${index}`));
    event({ type: 'job-loaded', image, steps: this.#journal.names });
    const limit = timeoutMs(definition.timeout, 'the job');
    const timer = deadline(limit, () => {
      stop.request({ by: 'timeout', reason: `the job timed out after ${formatDuration(limit ?? 0)}` });
    });
    try {
      const prepared = await this.#prepare(image, definition, environment);
      if (prepared !== undefined) return prepared;
      return await this.#steps(definition, environment);
    } finally {
      timer.clear();
    }
  }

  #environment(definition: JobDefinition): JobEnvironment {
    const { claim, redactor, notice } = this.#options;
    const environment = jobEnvironment({ ...this.#options, definition });
    redactor.add(jobSecrets({ definition, claim, environment }));
    this.#forwarded = environment.forwarded;
    for (const warning of environment.warnings) notice(warning);
    return environment;
  }

  /** Step 0 is the agent's own: its script is never run, its log tells how the container came to be. */
  async #prepare(image: string, definition: JobDefinition, environment: JobEnvironment): Promise<Verdict | undefined> {
    const { stop, redactor, beforeLastStatus } = this.#options;
    const step = this.#journal.begin(0);
    try {
      await this.#container.prepare(
        { image, definition, environment },
        {
          progress: async (line) => step.log.line(line),
          whileStarting: () => redactor.prepare(),
          signal: stop.signal,
        },
      );
    } catch (error) {
      return await this.#failed(step, error);
    }
    const last = definition.steps.length === 1;
    await step.finish({ status: 'succeeded' }, last ? beforeLastStatus : undefined);
    return undefined;
  }

  async #steps(definition: JobDefinition, environment: JobEnvironment): Promise<Verdict> {
    const { stop, redactor, beforeLastStatus } = this.#options;
    const variables: Record<string, string> = { ...environment.variables };
    const last = definition.steps.length - 1;
    for (const [index, step] of definition.steps.entries()) {
      if (index === 0) continue;
      const journal = this.#journal.begin(index);
      const end = stop.stop === undefined ? await this.#step(definition, step, variables, journal.log) : notRun(stop);
      if (end.reason !== undefined) void journal.log.line(`[agent] The step failed: ${clause(end.reason)}.`);
      if (end.status === 'succeeded' && index < last) {
        const written = parseEnvironmentFile(await this.#container.environmentFile(stop.signal));
        redactor.add(suspectedSecrets(written));
        Object.assign(variables, written);
      }
      // Nothing runs in the container any more: it can go while the last lines are still on their way.
      if (end.status === 'failed' || index === last) void this.#container.remove();
      await journal.finish(end, end.status === 'failed' || index === last ? beforeLastStatus : undefined);
      if (end.status === 'failed') {
        return verdictOnStep(`step ${index} "${this.#journal.names[index]}"`, end, stop.stop);
      }
    }
    if (stop.stop?.by === 'cloud' || stop.stop?.by === 'lease') {
      return this.#verdict(new StopRequested(stop.stop), 'Every step had succeeded.');
    }
    return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };
  }

  async #step(
    definition: JobDefinition,
    step: JobStep,
    variables: Readonly<Record<string, string>>,
    log: Parameters<typeof runStep>[0]['log'],
  ): Promise<StepEnd> {
    const { stop, clock, graceMs } = this.#options;
    const limit = timeoutMs(step.timeout, 'the step');
    const running = runStep({
      container: this.#container.running,
      spec: {
        shell: definition.shell,
        script: step.run,
        environment: variables,
        ...(step.workingDir === undefined ? {} : { workingDirectory: step.workingDir }),
      },
      log,
      stop,
      clock,
      graceMs,
      onNote: (note) => this.#options.notice(`${step.name ?? 'A step'}: ${note}`),
      ...(limit === undefined ? {} : { timeoutMs: limit, timeoutText: formatDuration(limit) }),
    });
    // A step that was begun is always finished: Pulumi Cloud must learn how.
    return running.catch((error: unknown) => ({
      status: 'failed',
      reason: messageOf(error),
    }));
  }

  /** The job can't even begin: step 0 tells Pulumi Cloud why. */
  async #failedBeforeSteps(error: unknown): Promise<Verdict> {
    this.#journal.expect(['Setup']);
    return this.#failed(this.#journal.begin(0), error);
  }

  async #failed(setup: OpenStep, error: unknown): Promise<Verdict> {
    const end = this.#verdict(error, NOTHING_RUN);
    await setup.log.line(end.message);
    await setup.finish({ status: 'failed', reason: end.message }, this.#options.beforeLastStatus);
    return end;
  }

  #verdict(error: unknown, left: string): Verdict {
    return verdictOn(error, this.#options.stop.stop, left);
  }
}

function notRun(stop: StopSource): StepEnd {
  return { status: 'failed', reason: `not run: ${stop.stop?.reason ?? 'the run was stopped'}` };
}
