import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArtifactService } from './artifact-service.ts';
import { type BlobStore, startBlobStore } from './azurite.ts';
import { IdTokenEndpoint } from './id-tokens.ts';
import { startIssuer } from './issuer.ts';
import { completeIdentity, type JobIdentity, type PartialIdentity } from './job-environment.ts';
import { JobRunner, type JobRunnerOptions } from './runner.ts';
import type { Violation } from './violations.ts';

export interface GitHubOptions extends PartialIdentity {
  /** A blob store that several emulators share; by default it starts and stops its own. */
  readonly blobStore?: BlobStore;
}

/** How one job differs from the run's other jobs. */
export interface NewJobOptions extends Pick<JobRunnerOptions, 'secrets' | 'container' | 'debug'> {
  /** The job's id in the workflow file. */
  readonly job?: string;
  readonly attempt?: number;
  /** `id-token: write` is granted unless this is `none`. */
  readonly idToken?: 'write' | 'none';
  /** The called workflow that has the job, as `OWNER/REPO/PATH@REF`; by default the run's own. */
  readonly called?: string;
}

/** GitHub's services for one workflow run, and runners for its jobs. */
export type GitHub = Awaited<ReturnType<typeof startGitHub>>;

/** Starts GitHub's services on loopback for one workflow run. */
export async function startGitHub(options: GitHubOptions) {
  const run: JobIdentity = completeIdentity(options);
  const runBackendId = randomUUID();
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'github-emulator-'));
  starting.defer(() => rm(directory, { recursive: true, force: true }));
  const { blobStore } = options;
  const blobs = blobStore === undefined ? startBlobStore() : Promise.resolve(blobStore);
  blobs.catch(() => {}); // A store that fails to start shows at the first artifact and on stop.
  if (blobStore === undefined) starting.defer(async () => (await blobs).stop());
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
  const violations = (): Violation[] => [idTokens, artifacts, ...jobs].flatMap((each) => each.violations);

  return {
    issuer,
    idTokens,
    artifacts,
    /** A job that runs the action in this directory; its workspace and `RUNNER_TEMP` are new and empty. */
    newJob: async (
      actionDirectory: string,
      inputs: Readonly<Record<string, string>> = {},
      env: Readonly<Record<string, string>> = {},
      { idToken = 'write', job = run.job, attempt = run.attempt, called, ...rest }: NewJobOptions = {},
    ): Promise<JobRunner> => {
      const identity: JobIdentity = { ...run, job, attempt };
      const grant = idToken === 'write' ? idTokens.register(identity, called) : undefined;
      const runner = new JobRunner({
        ...identity,
        ...rest,
        actionDirectory,
        inputs,
        env,
        directory: await mkdtemp(join(directory, 'job-')),
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
    /** The violations of all services and jobs. */
    violations,
    /** Allows the test to break these rules: `stop` doesn't throw for them. */
    allow: (...rules: readonly string[]): void => {
      for (const rule of rules) allowed.add(rule);
    },
    /** Ends the jobs' processes, stops the services, removes the files. @throws Error for violations not allowed. */
    stop: async (): Promise<void> => {
      if (resources.disposed) return;
      await resources.disposeAsync();
      const odd = violations().filter(({ rule }) => !allowed.has(rule));
      const texts = odd.map(({ rule, detail }) => `${rule}: ${detail}`);
      if (odd.length > 0) throw new Error(`GitHub's rules were broken:\n${texts.join('\n')}`);
    },
  };
}
