import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArtifactService } from './artifact-service.ts';
import { type BlobStore, startBlobStore } from './azurite.ts';
import { IdTokenEndpoint } from './id-tokens.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { completeIdentity, type JobIdentity, type PartialIdentity } from './job-environment.ts';
import { JobRunner, type JobRunnerOptions } from './runner.ts';
import type { Violation } from './violations.ts';

export interface GitHubOptions extends PartialIdentity {
  /** A blob store to share among several emulators; one of its own is started, and stopped, by default. */
  readonly blobStore?: BlobStore;
}

/** What one job differs in from the run's other jobs. */
export interface NewJobOptions extends Pick<JobRunnerOptions, 'secrets' | 'container' | 'debug'> {
  /** The job's id in the workflow file. */
  readonly job?: string;
  readonly attempt?: number;
  /** `id-token: write` is granted unless this is `none`. */
  readonly idToken?: 'write' | 'none';
}

/** GitHub's services for one workflow run, and runners for its jobs. */
export interface GitHub {
  readonly issuer: Issuer;
  readonly idTokens: IdTokenEndpoint;
  readonly artifacts: ArtifactService;
  /** A job that runs the action of this directory; its workspace and `RUNNER_TEMP` are new and empty. */
  newJob(
    actionDirectory: string,
    inputs?: Readonly<Record<string, string>>,
    env?: Readonly<Record<string, string>>,
    options?: NewJobOptions,
  ): Promise<JobRunner>;
  /** The violations of all services and jobs. */
  violations(): Violation[];
  /** Names rules that the test breaks: `stop` doesn't throw for them. */
  allow(...rules: readonly string[]): void;
  /** Ends the jobs' processes, stops the services and removes the files. @throws Error for violations that nobody asked for. */
  stop(): Promise<void>;
}

/** Starts GitHub's services on loopback for one workflow run. */
export async function startGitHub(options: GitHubOptions): Promise<GitHub> {
  const run: JobIdentity = completeIdentity(options);
  const runBackendId = randomUUID();
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'github-emulator-'));
  starting.defer(() => rm(directory, { recursive: true, force: true }));
  const ownStore = options.blobStore === undefined ? startBlobStore() : undefined;
  const blobs = ownStore ?? Promise.resolve(options.blobStore as BlobStore);
  blobs.catch(() => {}); // A store that does not start shows at the first artifact, and when it is stopped.
  starting.defer(async () => (await ownStore)?.stop());
  const issuer = await startIssuer();
  starting.defer(() => issuer.close());
  const idTokens = await IdTokenEndpoint.start(issuer);
  starting.defer(() => idTokens.close());
  const artifacts = await ArtifactService.start(blobs);
  starting.defer(() => artifacts.close());
  const jobs: JobRunner[] = [];
  starting.defer(async () => void (await Promise.all(jobs.map((runner) => runner.dispose()))));
  const resources = starting.move();
  const allowed = new Set<string>();
  const violations = (): Violation[] => [
    ...idTokens.violations,
    ...artifacts.violations,
    ...jobs.flatMap((runner) => [...runner.violations]),
  ];

  return {
    issuer,
    idTokens,
    artifacts,
    newJob: async (actionDirectory, inputs = {}, env = {}, { idToken = 'write', job, attempt, ...rest } = {}) => {
      const identity: JobIdentity = { ...run, job: job ?? run.job, attempt: attempt ?? run.attempt };
      const grant = idToken === 'write' ? idTokens.register(identity) : undefined;
      const base = join(directory, `job-${jobs.length + 1}`);
      const runner = new JobRunner({
        ...identity,
        ...rest,
        actionDirectory,
        inputs,
        env,
        workDirectory: join(base, 'work', run.repository.split('/')[1] ?? 'repository', 'checkout'),
        tempDirectory: base,
        services: {
          resultsUrl: artifacts.url,
          runtimeToken: await artifacts.runtimeToken(runBackendId, randomUUID()),
          idToken: grant,
        },
        onJobEnd: () => grant?.revoke(),
      });
      jobs.push(runner);
      return runner;
    },
    violations,
    allow: (...rules) => {
      for (const rule of rules) allowed.add(rule);
    },
    stop: async () => {
      if (resources.disposed) return;
      await resources.disposeAsync();
      const odd = violations().filter(({ rule }) => !allowed.has(rule));
      if (odd.length > 0) throw new Error(`GitHub's rules were broken:\n${odd.map(textOf).join('\n')}`);
    },
  };
}

function textOf({ rule, detail }: Violation): string {
  return `${rule}: ${detail}`;
}
