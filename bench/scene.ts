import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../src/base/outcome.ts';
import { signalOwner } from '../src/base/owner.ts';
import { ownEngine } from '../src/ci-step/engine.ts';
import { type EngineProcess, startEngine, waitForEnd } from '../src/ci-step/engine-process.ts';
import { readResult } from '../src/record/reader.ts';
import { IdTokenEndpoint } from '../test/emulators/github/id-tokens.ts';
import { startIssuer } from '../test/emulators/github/issuer.ts';
import { completeIdentity } from '../test/emulators/github/job-environment.ts';
import type { ActiveScript } from '../test/emulators/pulumi-cloud/faults.ts';
import { PulumiCloud } from '../test/emulators/pulumi-cloud/server.ts';
import type { WireFault } from '../test/emulators/pulumi-cloud/wire-faults.ts';
import { PLAIN_ENVIRONMENT, startOfNextProcess } from './processes.ts';

export const ORGANIZATION = 'acme';
export const POOL = { id: 'pool-7a1c', name: 'private-network' };
export const REPOSITORY = 'acme/infrastructure';
/** A killed agent is gone in milliseconds; one that is asked to stop first removes its container. */
const END_MS = 60_000;

export interface SceneAgent {
  readonly process: EngineProcess;
  readonly runDirectory: string;
  /** `performance.now()` right before the process was started. */
  readonly startedAt: number;
}

/** Pulumi Cloud and an ID-token endpoint in this process, and a folder for the programs' files. */
export class Scene implements AsyncDisposable {
  readonly cloud: PulumiCloud;
  readonly idTokens: IdTokenEndpoint;
  readonly directory: string;
  readonly #resources: AsyncDisposableStack;
  readonly #agents: SceneAgent[] = [];
  #count = 0;
  #closing: Promise<void> | undefined;

  private constructor(
    cloud: PulumiCloud,
    idTokens: IdTokenEndpoint,
    directory: string,
    resources: AsyncDisposableStack,
  ) {
    this.cloud = cloud;
    this.idTokens = idTokens;
    this.directory = directory;
    this.#resources = resources;
  }

  static async open(): Promise<Scene> {
    await using starting = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'pulumi-runner-bench-'));
    starting.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
    const cloud = await PulumiCloud.start({ organization: ORGANIZATION, pools: [POOL] });
    starting.defer(() => cloud.stop());
    const issuer = await startIssuer();
    starting.defer(() => issuer.close());
    const idTokens = await IdTokenEndpoint.start(issuer);
    starting.defer(() => idTokens.close());
    cloud.registerIssuer({
      issuer: issuer.url,
      jwksUrl: issuer.jwksUri,
      policies: [
        {
          decision: 'allow',
          tokenType: 'runner',
          runnerID: POOL.id,
          rules: { aud: `urn:pulumi:org:${ORGANIZATION}`, sub: `repo:${REPOSITORY}:*` },
        },
      ],
    });
    const scene = new Scene(cloud, idTokens, directory, starting.move());
    if (OPEN.size === 0) for (const signal of ENDING) process.on(signal, closeAll);
    OPEN.add(scene);
    return scene;
  }

  /** Answers each log call of step 1 after `answerMs` milliseconds and keeps no line. At 0, the agent sets the pace. */
  takeLogs(answerMs = 0): ActiveScript {
    // The strict emulator otherwise insists on the lines before the offset.
    this.cloud.allow(/step 1 has 0 lines, the call's offset is/);
    const later: WireFault = (response) =>
      void setTimeout(() => response.writeHead(200, { 'content-length': 2 }).end('{}'), answerMs);
    const answer = answerMs === 0 ? { status: 200, body: {} } : later;
    return this.cloud.script({ method: 'POST', path: /\/1\/logs$/, times: Infinity, answer });
  }

  /** Returns the folder of this name, made if missing; samples that share one share its caches. */
  async folder(name: string): Promise<string> {
    const path = join(this.directory, name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** Creates a new folder. */
  fresh(name: string): Promise<string> {
    this.#count += 1;
    return this.folder(`${name}-${this.#count}`);
  }

  /**
   * Starts the agent of `dist` the way the action does, with a fresh ID token and `home` as its home directory.
   * The end of the scene interrupts it. `variables` are set for its process in addition to the settings.
   */
  async startAgent(
    dist: string,
    home: string,
    settings: Readonly<Record<string, string>> = {},
    variables: Readonly<Record<string, string>> = {},
  ): Promise<SceneAgent> {
    // A file of its own: an agent that starts meanwhile could read a shared one while it is empty.
    const idTokenFile = join(await this.fresh('private'), 'id-token');
    const identity = completeIdentity({ repository: REPOSITORY });
    await writeFile(idTokenFile, await this.idTokens.issue(identity, `urn:pulumi:org:${ORGANIZATION}`));
    const runDirectory = await this.fresh('run');
    const all = {
      ORGANIZATION_NAME: ORGANIZATION,
      RUNNER_POOL_ID: POOL.id,
      OIDC_TOKEN_FILE: idTokenFile,
      SERVICE_URL: this.cloud.url,
      SINGLE_RUN: 'true',
      PULL_IMAGE: 'false',
      ...settings,
    };
    const engine = ownEngine({
      nodePath: process.execPath,
      script: join(dist, 'agent', 'index.js'),
      defaults: { polling_interval: '10s', max_wait: '5m', http_server_port: '0' },
      labels: { 'pulumi-runner.bench': 'true' },
      environment: {
        ...PLAIN_ENVIRONMENT,
        ...variables,
        HOME: home,
        ...Object.fromEntries(Object.entries(all).map(([key, value]) => [`PULUMI_AGENT_${key}`, value])),
      },
    });
    const started = startOfNextProcess();
    const agent = await startEngine(engine, runDirectory);
    const mine = { process: agent, runDirectory, startedAt: await started };
    this.#agents.push(mine);
    // Started while the scene was closing: nothing else would end it.
    if (this.#closing !== undefined) signalOwner(agent.owner, 'SIGINT');
    this.#resources.defer(() => endAgent(mine));
    return mine;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // All at once, so they end in parallel.
    for (const { process: agent } of this.#agents) signalOwner(agent.owner, 'SIGINT');
    try {
      await this.#resources.disposeAsync();
    } finally {
      OPEN.delete(this);
      if (OPEN.size === 0) for (const signal of ENDING) process.removeListener(signal, closeAll);
    }
  }
}

const ENDING = ['SIGINT', 'SIGTERM'] as const;
const OPEN = new Set<Scene>();

/** Ends every agent on the first signal, as each has its own session; a second signal just ends the program. */
function closeAll(signal: NodeJS.Signals): void {
  for (const each of ENDING) process.removeListener(each, closeAll);
  void Promise.allSettled([...OPEN].map((scene) => scene[Symbol.asyncDispose]())).then(() =>
    process.exit(128 + constants.signals[signal]),
  );
}

/** Signals the agent if it still runs, and waits for its end. Throws if it doesn't end. */
export async function endAgent({ process: { owner } }: SceneAgent, signal?: NodeJS.Signals): Promise<void> {
  if (signal !== undefined) signalOwner(owner, signal);
  if (!(await waitForEnd(owner, END_MS))) throw new Error(`the agent (process ${owner.pid}) did not end`);
}

/** Waits for the agent to end by itself. Throws unless its run ended with `outcome`. */
export async function endedWith(outcome: Outcome, agent: SceneAgent): Promise<void> {
  await endAgent(agent);
  const result = await readResult(agent.runDirectory);
  if (result?.outcome !== outcome) throw new Error(`expected ${outcome}: ${JSON.stringify(result)}`);
}

/** A job as Pulumi Cloud sends it: step 0, which is the agent's own, and a step for each script. */
export function jobOf(image: string, scripts: readonly string[]): object {
  return {
    os: 'linux',
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    image: { reference: image },
    shell: 'bash',
    timeout: '10m0s',
    env: {},
    steps: [{ name: 'Setup', run: '' }, ...scripts.map((run, index) => ({ name: `Step ${index + 1}`, run }))],
  };
}
