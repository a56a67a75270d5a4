import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inputVariable, readActionManifest, resolveInputs } from './action-manifest.ts';
import {
  completeIdentity,
  type JobIdentity,
  type JobServices,
  jobEnvironment,
  type PartialIdentity,
} from './job-environment.ts';
import { type Conclusion, type PhaseHandle, type PhaseResult, startPhase } from './phase.ts';
import { findByEnvironment, killQuietly, type OrphanProcess } from './process-tree.ts';
import { SecretMasker } from './secret-masker.ts';
import { GITHUB_TIMINGS, type RunnerTimings } from './step-process.ts';
import type { Violation } from './violations.ts';

export interface JobRunnerOptions extends PartialIdentity {
  /** Where `action.yml` is. */
  readonly actionDirectory: string;
  /** Holds the workspace, `RUNNER_TEMP`, the tool cache, `HOME` and the event file; created if missing. */
  readonly directory: string;
  readonly services: JobServices;
  /** The step's `with:`. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** The job's and step's `env:`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Values of the job's secrets, masked on its console. */
  readonly secrets?: readonly string[];
  readonly timings?: Partial<RunnerTimings>;
  /** The job has a `container:`. */
  readonly container?: boolean;
  /** `ACTIONS_STEP_DEBUG`. */
  readonly debug?: boolean;
  /** Called when the job ends, and its tokens with it. */
  readonly onJobEnd?: () => void;
}

/** What a test can say of a job whose main has ended. */
export interface PostOptions {
  /** Main's conclusion, unless a later step changed it. */
  readonly jobStatus?: Conclusion;
  /** As main's. */
  readonly worker?: boolean;
}

/** A Linux job of one step, a JavaScript action: `main()` or `startMain()`, then `post()`, then `cleanUpOrphans()`. */
export class JobRunner {
  readonly identity: JobIdentity;
  /** In `RUNNER_TRACKING_ID` of every process of the job. */
  readonly trackingId = `github_${randomUUID()}`;
  readonly #options: JobRunnerOptions;
  readonly #timings: RunnerTimings;
  readonly #masker = new SecretMasker();
  readonly violations: Violation[] = [];
  #running: PhaseHandle | undefined;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.identity = completeIdentity(options);
    this.#timings = { ...GITHUB_TIMINGS, ...options.timings };
    const { services, secrets = [] } = options;
    for (const secret of [services.runtimeToken, services.idToken?.token ?? '', ...secrets])
      this.#masker.addLines(secret);
  }

  /** Runs the action's main phase to its end. */
  async main(): Promise<PhaseResult> {
    return (await this.startMain()).exited;
  }

  /** Starts the action's main phase. With a worker, the phase's signals reach that instead, and its death leaves main. */
  async startMain({ worker = false } = {}): Promise<PhaseHandle> {
    if (this.#running !== undefined)
      throw new Error('Failed to start main for this job: it was started before.');
    await this.#prepare();
    const phase = await this.#start('main', {}, { jobStatus: 'success', worker });
    this.#running = phase;
    return phase;
  }

  /** Runs the action's post phase; undefined if the action has none. */
  async post(given: PostOptions = {}): Promise<PhaseResult | undefined> {
    const phase = await this.startPost(given);
    return phase?.exited;
  }

  /** Starts the post phase once main has ended; kills its process tree when the rest of the window has passed. */
  async startPost({ jobStatus, worker = false }: PostOptions = {}): Promise<PhaseHandle | undefined> {
    if (this.#running === undefined)
      throw new Error('Failed to start post for this job: main was never started.');
    const main = this.#running;
    const { state, conclusion } = await main.exited;
    const action = await readActionManifest(this.#options.actionDirectory);
    if (action.post === undefined) return undefined;
    const phase = await this.#start('post', state, { jobStatus: jobStatus ?? conclusion, worker });
    this.#running = phase;
    const since = main.cancelledAt === undefined ? 0 : performance.now() - main.cancelledAt;
    const window = setTimeout(
      () => {
        this.violations.push({
          rule: 'post-window-exceeded',
          detail: `post ran longer than ${this.#timings.postWindowMs} ms`,
        });
        void phase.destroy();
      },
      Math.max(0, this.#timings.postWindowMs - since),
    );
    void phase.exited.finally(() => clearTimeout(window)).catch(() => {});
    return phase;
  }

  /** Ends the job as the runner does: kills and returns the processes with its tracking ID, and ends its tokens. */
  async cleanUpOrphans(): Promise<OrphanProcess[]> {
    const orphans = await findByEnvironment('RUNNER_TRACKING_ID', this.trackingId);
    for (const { pid } of orphans) killQuietly(pid);
    this.#options.onJobEnd?.();
    const deadline = performance.now() + 5_000;
    // The kernel reports a process's end only to its parent, so this polls.
    while ((await findByEnvironment('RUNNER_TRACKING_ID', this.trackingId)).length > 0) {
      if (performance.now() > deadline)
        throw new Error('Failed to end processes of the job: they survive SIGKILL.');
      await delay(5);
    }
    return orphans;
  }

  /** Kills what still runs of the job, when a test cleans up. */
  async dispose(): Promise<void> {
    await this.#running?.destroy();
    await this.cleanUpOrphans();
  }

  /** The job's workspace: where a checkout would be, and where both phases start. */
  get workspace(): string {
    return this.#places().workspace;
  }

  async #prepare(): Promise<void> {
    const { temp, toolCache, home, eventPath, workspace } = this.#places();
    for (const directory of [workspace, temp, toolCache, home]) await mkdir(directory, { recursive: true });
    await writeFile(eventPath, '{}');
  }

  #places() {
    const base = resolvePath(this.#options.directory);
    const [, name = 'repository'] = this.identity.repository.split('/');
    return {
      workspace: join(base, 'work', name, 'checkout'),
      temp: join(base, '_temp'),
      toolCache: join(base, '_tool'),
      home: join(base, 'home'),
      eventPath: join(base, 'event.json'),
    };
  }

  async #start(
    name: 'main' | 'post',
    state: Readonly<Record<string, string>>,
    { jobStatus, worker }: { readonly jobStatus: string; readonly worker: boolean },
  ): Promise<PhaseHandle> {
    const { actionDirectory, services, env = {}, debug = false } = this.#options;
    const action = await readActionManifest(actionDirectory);
    const places = this.#places();
    const { values, unexpected } = resolveInputs(action, this.#options.inputs ?? {}, jobStatus);
    const valid = [...action.inputs.keys()];
    const environment: Record<string, string> = {
      ...jobEnvironment(this.identity, places, services, this.trackingId, debug),
      ...env,
      ...Object.fromEntries([...values].map(([input, value]) => [inputVariable(input), value])),
      ...Object.fromEntries(Object.entries(state).map(([key, value]) => [`STATE_${key}`, value])),
    };
    const phase = await startPhase({
      name,
      script: join(resolvePath(actionDirectory), name === 'main' ? action.main : (action.post ?? '')),
      cwd: places.workspace,
      env: environment,
      tempDirectory: places.temp,
      timings: this.#timings,
      container: this.#options.container ?? false,
      worker,
      masker: this.#masker,
      violations: this.violations,
      debug,
      warnings:
        unexpected.length === 0
          ? []
          : [`Unexpected input(s) '${unexpected.join("', '")}', valid inputs are ['${valid.join("', '")}']`],
    });
    if (unexpected.length > 0)
      this.violations.push({ rule: 'unexpected-inputs', detail: unexpected.join(', ') });
    return phase;
  }
}
