import { deadline, settledBefore } from '../clock.ts';
import type { Claim } from '../cloud/wire.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import { softMemoryBytes } from '../config/keys/jobs.ts';
import { DEFAULT_IMAGE } from '../config/keys/run.ts';
import { defined } from '../defined.ts';
import type { Executor, JobContainer, StepSpec } from '../executor/executor.ts';
import { containerSettings } from '../executor/registry.ts';
import type { Redactor, SecretSink } from '../log/redactor.ts';
import type { StepLog } from '../log/step-log.ts';
import { clause, exitCodeOf, messageOf, type Verdict } from '../outcome.ts';
import type { StepEnd } from '../record/recorded-step.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { SpanVariables } from '../record/trace.ts';
import type { Identity } from '../stack.ts';
import { admit } from './admission.ts';
import { type DefinitionCall, readWork, type Work, type WorkStep } from './definition.ts';
import { CANCELLED } from './deployment-watch.ts';
import {
  type EnvironmentSources,
  furtherVariables,
  type JobEnvironment,
  jobEnvironment,
} from './environment.ts';
import { passHook } from './hooks.ts';
import { type JobEnd, reportedEnd, verdictOn, verdictOnStep } from './job-end.ts';
import { watchMemory } from './memory-limit.ts';
import { beforeAgentEnds, removeContainer } from './removal.ts';
import { Reports, type ReportsContext } from './reports.ts';
import { runStep } from './step.ts';
import { type OpenStep, StepJournal } from './step-journal.ts';
import type { StopSource } from './stop.ts';
import { timeLimit } from './time-limit.ts';

/** The calls about a job. */
type JobCalls = ReportsContext['api'] & DefinitionCall;

export interface JobOptions extends ReportsContext, EnvironmentSources {
  readonly config: AgentConfig;
  readonly claim: Claim;
  readonly executor: Executor;
  readonly labels: Readonly<Record<string, string>>;
  readonly api: JobCalls;
  readonly watch: ReportsContext['watch'] & {
    stepsEnded(): void;
    endedOtherwise(): Promise<boolean>;
  };
  readonly stop: StopSource;
  readonly record: RunRecord;
  readonly redactor: Redactor;
  /** Receives the job's secrets. */
  readonly secrets: SecretSink;
  /** Settles what the deployment is called, as the job's variables may say. */
  readonly identify: (variables: Work['env'], signal: AbortSignal) => Promise<Identity | undefined>;
  /** Variables with which a step's programs join its span; the job's own win. Absent while tracing is off. */
  readonly spanVariables?: ((index: number) => SpanVariables) | undefined;
  /** Resolves once an image may be pulled. */
  readonly mayBegin: Promise<void>;

  /**
   * Called once when all is reported or given up, and the end confirmed; the container's removal
   * may be under way.
   */
  readonly onReported: () => void;
}

/**
 * Runs one claimed job from its definition to its last report. Never throws: failures are a JobEnd
 * too.
 */
export async function runJob(options: JobOptions): Promise<JobEnd> {
  return new Job(options).run();
}

class Job {
  readonly #options: JobOptions;
  readonly #reports: Reports;
  readonly #journal: StepJournal;
  #container: JobContainer | undefined;
  #removal: Promise<string | undefined> | undefined;
  #forwarded: readonly string[] = [];
  #identity: Identity | undefined;
  #image: string | undefined;

  constructor(options: JobOptions) {
    this.#options = options;
    const { config, stop } = options;
    this.#reports = new Reports(options, config.reportTimeoutMs, stop.reportsAbandoned);

    const notice = (message: string) => options.say('warning', message);
    this.#journal = new StepJournal({ ...options, notice }, this.#reports, options.metrics);
  }

  async run(): Promise<JobEnd> {
    let end: Verdict;
    try {
      end = await this.#run();
    } catch (error) {
      end = verdictOn(error, this.#options.stop.stop, 'The stack may need a refresh.');
    }

    this.#options.watch.stepsEnded();

    // Before the removal: the time for reports counts from the last step's end, and no further step
    // begins.
    const reported = this.#reported(end);
    const left = await this.#remove();

    if (left !== undefined) this.#options.say('warning', left);

    return {
      ...(await reported),
      steps: await this.#journal.results(),
      forwarded: [...this.#forwarded],
      ...defined({ image: this.#image, imageDigest: this.#container?.imageDigest }),
      ...defined({ confinement: this.#container?.confinement }),
    };
  }

  /**
   * The job's end once all is reported, recorded at once: the agent may not survive the removal. A
   * success for which Pulumi Cloud shows another end was cancelled.
   */
  async #reported(verdict: Verdict): Promise<ReturnType<typeof reportedEnd>> {
    const { onReported, record, watch } = this.#options;
    let end = reportedEnd(verdict, await this.#reports.settled());
    if (end.outcome === 'succeeded' && (await watch.endedOtherwise()))
      end = { ...end, ...verdictOn(undefined, CANCELLED, 'Every step had succeeded.') };
    onReported();
    record.event({ type: 'reported', ...end, exitCode: exitCodeOf(end.outcome) });
    return end;
  }

  async #run(): Promise<Verdict> {
    const { api, stop, clock, record, say, config } = this.#options;
    let work: Work;

    try {
      work = await readWork(api, stop, clock, say);
    } catch (error) {
      // The job can't begin: step 0 tells Pulumi Cloud why.
      this.#journal.names = ['Setup'];
      return this.#failed(this.#journal.begin(0), error);
    }

    const environment = this.#environment(work);
    this.#identity = await this.#options.identify(work.env, stop.signal);

    const image = config.image ?? work.image ?? DEFAULT_IMAGE;
    this.#image = image;
    this.#journal.names = work.steps.map(({ name }) => name);
    record.event({ type: 'job-loaded', image, steps: this.#journal.names });

    const limit = timeLimit(config, work);
    const timer = deadline(limit.ms, () => stop.request(limit.stop));
    const ended = new AbortController();
    let watching: Promise<unknown> | undefined;

    try {
      const prepared = await this.#prepare(
        image,
        { ...work, ...defined({ timeoutMs: limit.ms }) },
        environment,
      );

      if ('outcome' in prepared) return prepared;

      const bytes = softMemoryBytes(config.memorySoftLimit, config.memoryBytes);
      if (bytes !== undefined)
        watching = watchMemory(this.#running, bytes, stop, clock, ended.signal).then(
          (note) => note && say('warning', note),
        );

      return await this.#steps(work, prepared);
    } finally {
      timer.clear();
      ended.abort();
      await watching;
    }
  }

  #environment(work: Work, written?: Readonly<Record<string, string>>): JobEnvironment {
    const { secrets, say, config } = this.#options;
    const environment = jobEnvironment(work, this.#options, written);

    secrets.add(environment.secrets);
    this.#forwarded = environment.forwarded;

    // With a hook this comes twice.
    const warnings = config.hookBeforeJob === undefined || written !== undefined ? environment.warnings : [];
    for (const warning of warnings) say('warning', warning);

    return environment;
  }

  /**
   * Step 0 stands for the agent's preparation: its script never runs, its log shows how the
   * container was made.
   */
  async #prepare(image: string, work: Work, known: JobEnvironment): Promise<Verdict | JobEnvironment> {
    const { executor, config, labels, stop, mayBegin, say, claim, record } = this.#options;
    const step = this.#journal.begin(0);
    let environment = known;

    try {
      // Nothing is pulled for a deployment that was cancelled before.
      await settledBefore(mayBegin, stop.signal);
      stop.signal.throwIfAborted();
      admit(this.#identity, config);

      const { deploymentId, runId, jobId } = claim;
      const ids = { deploymentId, runId, jobId };
      const facts = { ...ids, runDirectory: record.directory, identity: this.#identity, image };
      const take = (written: Readonly<Record<string, string>>) => this.#environment(work, written);

      environment =
        (await passHook(config, this.#options.environment, {
          facts,
          take,
          log: step.log,
          signal: stop.signal,
        })) ?? known;

      const progress = async (line: string) => step.log.line(line);
      const { credentials, platform, timeoutMs } = work;
      const { files, environmentFile } = environment;
      const wanted = { image, pull: config.pullImage, labels, files, environmentFile };

      const spec = {
        ...containerSettings(config),
        ...wanted,
        ...defined({ credentials, platform, timeoutMs }),
      };

      const making = executor.prepare(spec, progress, stop.signal);

      this.#container = await beforeAgentEnds(making, 'start a container for the job', this.#waitLimits);
      for (const warning of this.#container.warnings) say('warning', warning);
    } catch (error) {
      return await this.#failed(step, error);
    }

    await step.finish({ status: 'succeeded' });

    return environment;
  }

  async #steps({ shell, steps }: Work, environment: JobEnvironment): Promise<Verdict> {
    const { stop, watch, secrets } = this.#options;
    const variables = { ...environment.variables };
    const add = furtherVariables(variables, secrets, environment.named);
    const last = steps.length - 1;

    for (const [index, step] of steps.entries()) {
      if (index === 0) continue;

      const { log, finish } = this.#journal.begin(index);
      let end: StepEnd =
        stop.stop === undefined
          ? await this.#step(step, shell, { ...this.#spanVariables(index, variables), ...variables }, log)
          : { status: 'failed', reason: `not run: ${stop.stop.reason}`, failure: 'not-run' };

      if (end.status === 'succeeded' && index < last) end = await this.#takeEnvironment(end, add);
      if (end.reason !== undefined) await log.line(`[agent] The step failed: ${clause(end.reason)}.`);

      // Nothing runs in the container any more, so remove it while the last lines are still being
      // sent.
      if (end.status === 'failed' || index === last) {
        watch.stepsEnded();
        void this.#remove();
      }

      await finish(end);
      if (end.status === 'failed') return verdictOnStep(`step ${index} "${step.name}"`, end, stop.stop);
    }

    if (stop.stop?.by === 'cloud') return verdictOn(undefined, stop.stop, 'Every step had succeeded.');

    return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };
  }

  /** None beside the job's own trace. */
  #spanVariables(index: number, { TRACEPARENT }: SpanVariables): SpanVariables {
    return (TRACEPARENT === undefined && this.#options.spanVariables?.(index)) || {};
  }

  /**
   * Adds the variables a step wrote for later steps, which may need them: it fails if they can't be
   * read or hidden.
   */
  async #takeEnvironment(end: StepEnd, add: (written: string) => void): Promise<StepEnd> {
    const { stop } = this.#options;
    try {
      add(await this.#running.readEnvironmentFile(stop.signal));
      return end;
    } catch (error) {
      // Stopped meanwhile: the next step won't run, and says so.
      return stop.stop === undefined ? { ...end, status: 'failed', reason: messageOf(error) } : end;
    }
  }

  async #step(
    step: WorkStep,
    shell: string,
    environment: StepSpec['environment'],
    log: StepLog,
  ): Promise<StepEnd> {
    const { name, script, workingDirectory, timeoutMs } = step;
    const { stop, clock, config, say } = this.#options;
    const spec = { shell, script, environment, ...defined({ workingDirectory }) };
    const onNote = (note: string) => say('warning', `${name}: ${note}`);
    const limits = { graceMs: config.cancelGracePeriodMs, ...defined({ timeoutMs }) };
    const running = runStep({ container: this.#running, spec, log, stop, clock, onNote, ...limits });

    // A step that has begun must finish, so that Pulumi Cloud gets its status.
    return running.catch((error: unknown) => ({ status: 'failed', reason: messageOf(error) }));
  }

  get #running(): JobContainer {
    if (this.#container === undefined) throw new Error('a step was started without a container');
    return this.#container;
  }

  /**
   * Removes the container, once however often it is called. Returns a message for the user if that
   * fails.
   */
  async #remove(): Promise<string | undefined> {
    if (this.#container !== undefined) this.#removal ??= removeContainer(this.#container, this.#waitLimits);
    return this.#removal;
  }

  get #waitLimits() {
    const { clock, stop } = this.#options;
    return { clock, skipGrace: stop.reportsAbandoned };
  }

  async #failed(setup: OpenStep, error: unknown): Promise<Verdict> {
    const end = verdictOn(error, this.#options.stop.stop, 'No step was run.');
    await setup.log.line(end.message);
    await setup.finish({ status: 'failed', reason: end.message });
    return end;
  }
}
