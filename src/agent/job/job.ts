import { type Clock, settledBefore, startTimer } from '../../base/clock.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import { softMemoryBytes } from '../../base/config/keys/jobs.ts';
import { DEFAULT_IMAGE } from '../../base/config/keys/run.ts';
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import { exitCodeOf, type Verdict } from '../../base/outcome.ts';
import type { Identity } from '../../base/stack.ts';
import type { Claim } from '../../cloud/job-wire.ts';
import type { Executor, JobContainer } from '../../executor/executor.ts';
import { containerSettings } from '../../executor/targets.ts';
import { runHookBefore } from '../hooks/hooks.ts';
import type { Run } from '../services.ts';
import { type LogMetrics, type ReportCalls, Reports, type ReportWatch } from '../upload/reports.ts';
import { admit } from './admission.ts';
import { beforeAgentEnds, prepareWithRetries, removeContainer } from './container.ts';
import { type DefinitionCall, loginFor, readWork, type Work } from './definition.ts';
import { CANCELLED } from './deployment-watch.ts';
import { hideSecrets, type JobEnvironment, jobEnvironment } from './environment.ts';
import { type JobEnd, reportedEnd, verdictOn } from './job-end.ts';
import type { HeartbeatTimes } from './lease.ts';
import { watchMemory } from './memory-limit.ts';
import { type OpenStep, StepJournal } from './step-journal.ts';
import { runSteps, type SpanVariablesOf } from './steps.ts';
import { timeLimit } from './stop.ts';

/** What a job works with. */
export interface JobServices {
  readonly config: AgentConfig;
  readonly environment: Environment;
  readonly caBundle?: string | undefined;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly executor: Executor;
  /** Labels for the container, and all that it needs. */
  readonly labels: Readonly<Record<string, string>>;
  /** Counts log lines; absent where no metrics are served. */
  readonly metrics?: LogMetrics | undefined;
}

/** How a job and Pulumi Cloud know of each other. */
export interface JobCloud {
  readonly api: ReportCalls & DefinitionCall;
  readonly watch: ReportWatch & { stepsEnded(): void; endedOtherwise(): Promise<boolean> };
  readonly heartbeatSince: HeartbeatTimes['heartbeatSince'];
  /** Resolves once an image may be pulled. */
  readonly mayBegin: Promise<void>;
  /** Settles what the deployment is called, as the job's variables may say. */
  readonly identify: (work: Work, signal: AbortSignal) => Promise<Named>;
  /** Rejects with OutcomeError if no step may begin any more; absent if any may. */
  readonly mayStep?: ((signal: AbortSignal) => Promise<void>) | undefined;

  /**
   * Called once when all is reported or given up, and the end confirmed; the container's removal
   * may be under way.
   */
  readonly onReported: () => void;
}

export interface JobOptions {
  readonly claim: Claim;
  readonly services: JobServices;
  readonly run: Run;
  readonly cloud: JobCloud;
  readonly spanVariables?: SpanVariablesOf | undefined;
}

/** What a job is called. */
export interface Named {
  readonly identity?: Identity | undefined;
  /** What it says it is, where that isn't a deployment. */
  readonly kind?: string | undefined;
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
  #kind: string | undefined;
  #image: string | undefined;

  constructor(options: JobOptions) {
    this.#options = options;
    const { config, clock, redactor, metrics } = options.services;
    const { record, stop, say } = options.run;
    const { api, watch, heartbeatSince } = options.cloud;
    this.#reports = new Reports(
      { api, watch, heartbeatSince, clock, say, metrics },
      config.reportTimeoutMs,
      stop.reportsAbandoned,
    );

    const notice = (message: string) => say('warning', message);
    this.#journal = new StepJournal({ record, redactor, clock, notice }, this.#reports, metrics);
  }

  async run(): Promise<JobEnd> {
    const { run, cloud } = this.#options;
    let end: Verdict;
    try {
      end = await this.#runWork();
    } catch (error) {
      end = verdictOn(error, run.stop.stop, 'The stack may need a refresh.');
    }

    cloud.watch.stepsEnded();

    // Before the removal: the time for reports counts from the last step's end, and no further step
    // begins.
    const reported = this.#reported(end);
    const warning = await this.#remove();

    if (warning !== undefined) run.say('warning', warning);

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
    const { onReported, watch } = this.#options.cloud;
    let end = reportedEnd(verdict, await this.#reports.settled());
    if (end.outcome === 'succeeded' && (await watch.endedOtherwise()))
      end = { ...end, ...verdictOn(undefined, CANCELLED, 'Every step had succeeded.') };
    onReported();
    const { fault: _, ...verdictShown } = end;
    this.#options.run.record.event({ type: 'reported', ...verdictShown, exitCode: exitCodeOf(end.outcome) });
    return end;
  }

  /** Reads the definition, prepares the container and runs the steps. */
  async #runWork(): Promise<Verdict> {
    const { services, run, cloud, spanVariables } = this.#options;
    const { clock, config } = services;
    const { record, secrets, stop, say } = run;
    let work: Work;
    let environment: JobEnvironment;

    try {
      work = await readWork(cloud.api, stop, clock, say);
      environment = this.#environment(work);
    } catch (error) {
      // The job can't begin: step 0 tells Pulumi Cloud why.
      this.#journal.names = ['Setup'];
      return this.#failed(this.#journal.begin(0), error);
    }

    const { identity, kind } = await cloud.identify(work, stop.signal);
    this.#identity = identity;
    this.#kind = kind;

    const image = config.image ?? work.image ?? DEFAULT_IMAGE;
    this.#image = image;
    this.#journal.names = work.steps.map(({ name }) => name);
    record.event({ type: 'job-loaded', image, steps: this.#journal.names });

    const limit = timeLimit(config, work);
    const timer = startTimer(limit.ms, () => stop.request(limit.stop));
    const ended = new AbortController();
    let watching: Promise<unknown> | undefined;

    try {
      const prepared = await this.#prepare(image, { ...work, timeoutMs: limit.ms }, environment);

      if ('outcome' in prepared) return prepared;

      const { container } = prepared;
      const bytes = softMemoryBytes(config.memorySoftLimit, config.memoryBytes);
      if (bytes !== undefined)
        watching = watchMemory(container, bytes, stop, clock, ended.signal).then(
          (note) => note && say('warning', note),
        );

      const context = { clock, say, stop, secrets, graceMs: config.cancelGracePeriodMs, spanVariables };
      return await runSteps(work, prepared.environment, container, this.#journal, context, () => {
        cloud.watch.stepsEnded();
        void this.#remove();
      });
    } finally {
      timer.clear();
      ended.abort();
      await watching;
    }
  }

  #environment(work: Work, written?: Readonly<Record<string, string>>): JobEnvironment {
    const { claim, services, run } = this.#options;
    const { config, caBundle, environment: own } = services;
    const environment = jobEnvironment(work, { claim, config, caBundle, environment: own }, written);

    hideSecrets(environment, run.secrets);
    this.#forwarded = environment.forwarded;

    // With a hook this comes twice.
    const warnings = config.hookBeforeJob === undefined || written !== undefined ? environment.warnings : [];
    for (const warning of warnings) run.say('warning', warning);

    return environment;
  }

  /**
   * Step 0 stands for the agent's preparation: its script never runs, its log shows how the
   * container was made.
   */
  async #prepare(
    image: string,
    work: Work,
    fromDefinition: JobEnvironment,
  ): Promise<Verdict | { readonly container: JobContainer; readonly environment: JobEnvironment }> {
    const { claim, services, run, cloud } = this.#options;
    const { executor, config, labels, clock, redactor } = services;
    const { record, secrets, stop, say } = run;
    const step = this.#journal.begin(0);
    let environment = fromDefinition;
    let container: JobContainer;

    try {
      // Nothing is pulled for a deployment that was cancelled before.
      await settledBefore(cloud.mayBegin, stop.signal);
      stop.signal.throwIfAborted();
      admit(this.#identity, config, this.#kind);

      const { deploymentId, runId, jobId } = claim;
      const facts = {
        deploymentId,
        runId,
        jobId,
        runDirectory: record.directory,
        identity: this.#identity,
        image,
      };
      const take = (written: Readonly<Record<string, string>>): void => {
        environment = this.#environment(work, written);
      };

      const redact = (text: string) => redactor.text(text);
      const hook = { facts, take, secrets, redact, log: step.log, signal: stop.signal };
      await runHookBefore(config, services.environment, hook);

      const progress = async (line: string) => step.log.line(line);
      const { platform, timeoutMs } = work;
      const credentials = loginFor(work, image);
      const { files, environmentFile } = environment;

      const spec = {
        ...containerSettings(config),
        ...{ image, pull: config.pullImage, labels, files, environmentFile },
        ...defined({ credentials, platform, timeoutMs }),
      };

      const making = prepareWithRetries({ executor, spec, progress, clock, say, signal: stop.signal });
      const purpose = 'start a container for the job';
      container = await beforeAgentEnds(making, purpose, clock, stop.reportsAbandoned);
      this.#container = container;
      for (const warning of container.warnings) say('warning', warning);
      await cloud.mayStep?.(stop.signal);
    } catch (error) {
      return await this.#failed(step, error);
    }

    await step.finish({ status: 'succeeded' });

    return { container, environment };
  }

  /**
   * Removes the container, once however often it is called. Returns a message for the user if that
   * fails.
   */
  async #remove(): Promise<string | undefined> {
    const { services, run } = this.#options;
    if (this.#container !== undefined)
      this.#removal ??= removeContainer(this.#container, services.clock, run.stop.reportsAbandoned);
    return this.#removal;
  }

  async #failed(setup: OpenStep, error: unknown): Promise<Verdict> {
    const end = verdictOn(error, this.#options.run.stop.stop, 'No step was run.');
    await setup.log.line(end.message);
    await setup.finish({ status: 'failed', reason: end.message });
    return end;
  }
}
