import { type Clock, deadline } from '../clock.ts';
import type { JobApi } from '../cloud/jobs.ts';
import type { Claim } from '../cloud/wire.ts';
import { formatDuration } from '../config/duration.ts';
import { defined } from '../defined.ts';
import { suspectedSecrets } from '../log/plain-names.ts';
import type { Redactor, SecretScope } from '../log/redactor.ts';
import type { StepLog } from '../log/step-log.ts';
import { clause, messageOf } from '../outcome.ts';
import type { RecordEventBody } from '../record/schema.ts';
import { readWork, type Work, type WorkStep } from './definition.ts';
import {
  type EnvironmentSources,
  type JobEnvironment,
  jobEnvironment,
  jobSecrets,
  parseEnvironmentFile,
} from './environment.ts';
import { type JobEnd, reportedEnd, type Verdict, verdictOn, verdictOnStep } from './job-end.ts';
import { OwnedContainer, type OwnedContainerOptions } from './owned-container.ts';
import { Reports, type ReportsOptions } from './reports.ts';
import { runStep, type StepEnd } from './step.ts';
import { type LogWatcher, type OpenStep, StepJournal } from './step-journal.ts';
import { StopRequested, type StopSource } from './stop.ts';

/** The image of a job that names none (protocol section 3). */
export const DEFAULT_IMAGE = 'pulumi/pulumi:latest';
const NOTHING_RUN = 'No step was run.';

export interface JobOptions
  extends Omit<EnvironmentSources, 'work' | 'claim'>,
    Omit<OwnedContainerOptions, 'clock'>,
    Pick<ReportsOptions, 'over' | 'heartbeatSince' | 'hasEnded' | 'say'>,
    LogWatcher {
  readonly claim: Claim;
  readonly api: Pick<JobApi, 'definition' | 'stepStatus' | 'logs'>;
  readonly stop: StopSource;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Takes what the job holds as secrets. */
  readonly secrets: Pick<SecretScope, 'add'>;
  /** Replaces the job's image. */
  readonly image?: string;
  readonly graceMs: number;
  readonly stepLog: (index: number, name: string) => { relative: string; absolute: string };
  readonly event: (event: RecordEventBody) => void;
  /** Milliseconds without any report taken, after which they are given up. */
  readonly reportTimeoutMs: number;
  /** Called once when no step runs any more: nothing is left to cancel. */
  readonly onStepsEnded: () => void;
  /** Called once when every report is taken or given up: the container's removal may still take a while. */
  readonly onReported: () => void;
}

/** Runs one claimed job from its definition to its last report. Never throws: every way to end is a JobEnd. */
export async function runJob(options: JobOptions): Promise<JobEnd> {
  return new Job(options).run();
}

class Job {
  readonly #options: JobOptions;
  readonly #reports: Reports;
  readonly #journal: StepJournal;
  readonly #container: OwnedContainer;
  #forwarded: readonly string[] = [];
  #image: string | undefined;

  constructor(options: JobOptions) {
    this.#options = options;
    const { reportTimeoutMs: timeoutMs, onLog, say } = options;
    this.#reports = new Reports({ ...options, timeoutMs, onTaken: (sent) => onLog?.({ sent }) });
    this.#journal = new StepJournal({
      ...options,
      reports: this.#reports,
      notice: (message) => say('warning', message),
    });
    this.#container = new OwnedContainer(options);
  }

  async run(): Promise<JobEnd> {
    let end: Verdict;
    try {
      end = await this.#run();
    } catch (error) {
      end = this.#verdict(error, 'The stack may need a refresh.');
    }
    this.#options.onStepsEnded();
    // At once: its time counts from the last step's end, and that step's status is the last from now on.
    const settled = this.#reports.settled().finally(this.#options.onReported);
    const left = await this.#container.remove();
    if (left !== undefined) this.#options.say('warning', left);
    const isReported = await settled;
    const { imageDigest } = this.#container;
    return {
      ...reportedEnd(end, isReported),
      steps: await this.#journal.results(),
      forwarded: this.#forwarded,
      ...defined({ image: this.#image, imageDigest }),
    };
  }

  async #run(): Promise<Verdict> {
    const { stop, event, image: override } = this.#options;
    let work: Work;
    try {
      work = await readWork(this.#options);
    } catch (error) {
      // The job can't even begin: step 0 tells Pulumi Cloud why.
      this.#journal.expect(['Setup']);
      return this.#failed(this.#journal.begin(0), error);
    }
    const environment = this.#environment(work);
    const image = override ?? work.image ?? DEFAULT_IMAGE;
    this.#image = image;
    this.#journal.expect(work.steps.map(({ name }) => name));
    event({ type: 'job-loaded', image, steps: this.#journal.names });
    const { timeoutMs } = work;
    const timer = deadline(timeoutMs, () => {
      stop.request({ by: 'timeout', reason: `the job timed out after ${formatDuration(timeoutMs ?? 0)}` });
    });
    try {
      return (await this.#prepare(image, work, environment)) ?? (await this.#steps(work, environment));
    } finally {
      timer.clear();
    }
  }

  #environment(work: Work): JobEnvironment {
    const { claim, secrets, say } = this.#options;
    const environment = jobEnvironment({ ...this.#options, work });
    secrets.add(jobSecrets({ work, claim, environment }));
    this.#forwarded = environment.forwarded;
    for (const warning of environment.warnings) say('warning', warning);
    return environment;
  }

  /** Step 0 is the agent's own: its script is never run, its log tells how the container came to be. */
  async #prepare(image: string, work: Work, environment: JobEnvironment): Promise<Verdict | undefined> {
    const step = this.#journal.begin(0);
    try {
      const progress = async (line: string) => step.log.line(line);
      await this.#container.prepare({ image, work, environment }, progress, this.#options.stop.signal);
    } catch (error) {
      return await this.#failed(step, error);
    }
    await step.finish({ status: 'succeeded' });
    return undefined;
  }

  async #steps({ shell, steps }: Work, environment: JobEnvironment): Promise<Verdict> {
    const { stop } = this.#options;
    const variables: Record<string, string> = { ...environment.variables };
    const last = steps.length - 1;
    for (const [index, step] of steps.entries()) {
      if (index === 0) continue;
      const { log, finish } = this.#journal.begin(index);
      let end = stop.stop === undefined ? await this.#step(step, shell, variables, log) : notRun(stop);
      if (end.status === 'succeeded' && index < last) end = await this.#takeEnvironment(end, variables);
      if (end.reason !== undefined) await log.line(`[agent] The step failed: ${clause(end.reason)}.`);
      // Nothing runs in the container any more: it can go while the last lines are still on their way.
      if (end.status === 'failed' || index === last) void this.#container.remove();
      await finish(end);
      if (end.status === 'failed') {
        return verdictOnStep(`step ${index} "${step.name}"`, end, stop.stop);
      }
    }
    if (stop.stop?.by === 'cloud') return this.#verdict(new StopRequested(stop.stop), 'Every step had succeeded.');
    return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };
  }

  /** Adds what a step wrote for those behind it. Where that can't be read the step has failed: they would run without credentials. */
  async #takeEnvironment(end: StepEnd, variables: Record<string, string>): Promise<StepEnd> {
    const { stop, secrets } = this.#options;
    try {
      const written = parseEnvironmentFile(await this.#container.running.readEnvironmentFile(stop.signal));
      secrets.add(suspectedSecrets(written));
      Object.assign(variables, written);
      return end;
    } catch (error) {
      // Stopped meanwhile: the next step is not run, and says so.
      return stop.stop === undefined ? { ...end, status: 'failed', reason: messageOf(error) } : end;
    }
  }

  async #step(
    { name, script, workingDirectory, timeoutMs }: WorkStep,
    shell: string,
    environment: Readonly<Record<string, string>>,
    log: StepLog,
  ): Promise<StepEnd> {
    const { stop, clock, graceMs, say } = this.#options;
    const spec = { shell, script, environment, ...defined({ workingDirectory }) };
    const running = runStep({
      container: this.#container.running,
      spec,
      log,
      stop,
      clock,
      graceMs,
      onNote: (note) => say('warning', `${name}: ${note}`),
      ...defined({ timeoutMs }),
    });
    // A step that was begun is always finished: Pulumi Cloud must learn how.
    return running.catch((error: unknown) => ({ status: 'failed', reason: messageOf(error) }));
  }

  async #failed(setup: OpenStep, error: unknown): Promise<Verdict> {
    const end = this.#verdict(error, NOTHING_RUN);
    await setup.log.line(end.message);
    await setup.finish({ status: 'failed', reason: end.message });
    return end;
  }

  #verdict(error: unknown, left: string): Verdict {
    return verdictOn(error, this.#options.stop.stop, left);
  }
}

function notRun(stop: StopSource): StepEnd {
  return { status: 'failed', reason: `not run: ${stop.stop?.reason ?? 'the run was stopped'}` };
}
