import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { parseEvent } from '../../../src/record/reader.ts';
import { runResultSchema } from '../../../src/record/schema.ts';
import { type BlobStore, startBlobStore } from '../../emulators/github/azurite.ts';
import { type GitHub, type NewJobOptions, startGitHub } from '../../emulators/github/github.ts';
import type { PhaseHandle } from '../../emulators/github/phase.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { AUDIENCE, trust } from '../cloud/id-token.ts';
import { HOLD, letGo } from '../docker/held-step.ts';
import { docker } from '../docker/images.ts';
import { PLACE } from './place.ts';

/** The repository's root: the action as users get it, with the committed dist/. */
export const ACTION = fileURLToPath(new URL('../../..', import.meta.url));
export const JOB_IMAGE = 'pulumi-runner-test/job:1';
export const POOL = { id: 'pool-7a1c', name: 'private-network' };
const REPOSITORY = 'acme/infrastructure';

/** Short waits between an agent's tries, so that a refused network shows in seconds. */
const QUICK = {
  PULUMI_AGENT_REQUEST_RETRY_WAIT: '100ms',
  PULUMI_AGENT_REQUEST_RETRY_MAX_WAIT: '500ms',
  PULUMI_AGENT_JOB_STATUS_LOOP_INTERVAL: '1s',
};

export interface StageOptions extends PulumiCloudOptions {
  readonly blobStore: BlobStore;
  /** The subjects that the pool's policy allows. */
  readonly sub?: string;
  /** The rules of that policy besides the audience, in place of `sub`. */
  readonly rules?: Readonly<Record<string, string>>;
}

/** Holds one scene at a time: Pulumi Cloud and GitHub's services, for one workflow run. */
export class Stage {
  cloud!: PulumiCloud;
  github!: GitHub;
  /** The label on everything that this run's agents make, as `key=value`. */
  label = '';
  #options!: StageOptions;

  async open(options: StageOptions): Promise<void> {
    const { blobStore, sub = `repo:${REPOSITORY}:*`, rules: others = { sub }, ...cloudOptions } = options;
    this.#options = options;
    this.cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL], ...cloudOptions });
    // A unique run: other runs may share this machine's Docker.
    const runId = String(1_000_000 + randomInt(1_000_000_000));
    this.label = `pulumi-runner.ci-run=${REPOSITORY}/actions/runs/${runId}`;
    this.github = await startGitHub({ repository: REPOSITORY, runId, blobStore });
    const rules = { aud: AUDIENCE, ...others };
    trust(this.cloud, this.github.issuer, {
      decision: 'allow',
      tokenType: 'runner',
      runnerID: POOL.id,
      rules,
    });
  }

  /** Replaces this scene with another. */
  async reopen(options: Partial<StageOptions>): Promise<void> {
    await this.#stop();
    await this.open({ ...this.#options, ...options });
  }

  /** Lets the steps of the only job, in Docker, go on past HOLD. */
  async release(): Promise<void> {
    const [container = ''] = this.objectsLeft();
    await letGo(docker.getContainer(container));
  }

  /** Ends the scene and expects that it leaves no protocol violations and no objects. */
  async close(): Promise<void> {
    await this.#stop();
    expect(this.objectsLeft()).toEqual([]);
  }

  async #stop(): Promise<void> {
    await using _cloud = this.cloud;
    await this.github.stop();
  }

  /** A CI job with the quickstart's inputs plus these. */
  job(inputs: Record<string, string> = {}, env: Record<string, string> = {}, options: NewJobOptions = {}) {
    const quickstart = { organization: 'acme', 'runner-pool-id': POOL.id, 'service-url': this.cloud.url };
    const given = { ...quickstart, ...PLACE.inputs, 'max-wait': '20s', 'polling-interval': '1s', ...inputs };
    return this.github.newJob(ACTION, given, { ...QUICK, ...env }, options);
  }

  /** Runs main and post of such a job, and expects post to succeed. */
  async run(...given: Parameters<Stage['job']>) {
    const job = await this.job(...given);
    const main = await job.main();
    const post = (await job.post()) ?? expect.fail('there was no post');
    expect(post.conclusion).toBe('success');
    return { job, main, post };
  }

  /** Starts main of such a job, and waits until its step prints `updating`. */
  async updating(...given: Parameters<Stage['job']>) {
    const job = await this.job(...given);
    const main = await job.startMain();
    await main.waitForConsole(/^updating$/m, 60_000);
    return { job, main };
  }

  /** Queues a deployment of this job for the pool. */
  enqueue(
    job: unknown,
    { stack = 'prod', ...more }: { project?: string; stack?: string; oidcToken?: string } = {},
  ): Deployment {
    return this.cloud.enqueue({ project: 'network', stack, poolId: POOL.id, job, ...more });
  }

  /** The objects that this run's agents made and that still exist. */
  objectsLeft(): string[] {
    return PLACE.objects(this.label);
  }

  /** Everything that the place shows about those objects. */
  inspect(): string {
    return PLACE.inspect(this.label);
  }

  /** The run's only artifact, unzipped, and the result in it. */
  async onlyArtifact() {
    const artifacts = this.github.artifacts.list();
    expect(artifacts.map(({ name }) => name)).toHaveLength(1);
    const files = await this.github.artifacts.download(artifacts[0]!.name);
    const result = runResultSchema.parse(JSON.parse(String(files.get('run.json'))));
    return { files, result, text: (path: string) => String(files.get(path) ?? '') };
  }
}

export { startBlobStore };

/** A new scene for each test of a file, all over one blob store. */
export function useStage(): Stage {
  const stage = new Stage();
  let blobStore: BlobStore;
  beforeAll(async () => {
    blobStore = await startBlobStore();
  });
  afterAll(() => blobStore.stop());
  beforeEach(() => stage.open({ blobStore }));
  afterEach(() => stage.close());
  return stage;
}

/** Plays on its own scene, for tests that run in parallel. */
export async function onStage(options: StageOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = new Stage();
  await stage.open(options);
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}

/** Queues a deployment with a step for each script. */
export function enqueue(stage: Stage, scripts: Record<string, string>, stack?: string): Deployment {
  return stage.enqueue(definition(scripts), stack === undefined ? {} : { stack });
}

/** An update that works until `Stage.release`. */
export const HELD = `echo updating; ${HOLD}; echo updated`;

/** A step like `pulumi up`: it works until interrupted, then needs a moment to write its state and free its lock. */
export const ENGINE =
  "trap 'echo interrupted; sleep 1; echo state written, lock freed; exit 1' INT; echo updating; sleep 120";
/** What it prints when it can end gracefully. */
export const ORDERLY_END = 'interrupted\nstate written, lock freed\n';

/** A step's lines as Pulumi Cloud has them. */
export function logOf(deployment: Deployment, index: number): string {
  return deployment.steps[index]?.lines.map(({ l }) => l).join('') ?? '';
}

/** The statuses that Pulumi Cloud received for each step, in order. */
export function statuses(deployment: Deployment): string[][] {
  return deployment.steps.map((step) => step.statusHistory.map(({ status }) => status));
}

/** A job's definition as Pulumi Cloud sends it: step 0 is the agent's own, then one step for each script. */
export function definition(scripts: Record<string, string>, more: object = {}): object {
  return {
    os: 'linux',
    architecture: 'amd64',
    image: { reference: JOB_IMAGE },
    shell: 'bash',
    timeout: '10m0s',
    env: {},
    steps: [
      { name: 'Setup', run: 'echo never run' },
      ...Object.entries(scripts).map(([name, run]) => ({ name, run })),
    ],
    ...more,
  };
}

/** The process ID of the agent that a living main started, from its record. */
export async function agentPid(main: PhaseHandle): Promise<number> {
  await main.waitForConsole(/^Agent \S+ started\.$/, 10_000);
  const environment = readFileSync(`/proc/${main.pid}/environ`, 'utf8').split('\0');
  const temporary = environment.find((text) => text.startsWith('RUNNER_TEMP='))?.split('=')[1] ?? '';
  const [events = ''] = globSync('pulumi-runner-*/run/events.ndjson', { cwd: temporary });
  return agentIn(readFileSync(join(temporary, events), 'utf8'));
}

/** The process ID of the agent that wrote these events. */
export function agentIn(events: string): number {
  const [first = ''] = events.split('\n');
  const event = parseEvent(first);
  return event?.type === 'agent-started' ? event.owner.pid : expect.fail('the record has no agent');
}

/** Every regular file below `directory`, by its path inside, except those that vanish during the read. */
export async function filesBelow(directory: string): Promise<Map<string, Buffer>> {
  const gone = (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== 'ENOENT') throw error;
  };
  const entries = (await readdir(directory, { recursive: true, withFileTypes: true }).catch(gone)) ?? [];
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.map(async (path) => [path, await readFile(path).catch(gone)] as const),
  );
  return new Map(
    files.flatMap(([path, bytes]) =>
      bytes === undefined ? [] : [[path.slice(directory.length + 1), bytes]],
    ),
  );
}
