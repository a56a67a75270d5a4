import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { defined } from '../../../src/base/defined.ts';
import type { BlobStore } from '../../emulators/github/azurite.ts';
import { type GitHub, startGitHub } from '../../emulators/github/github.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { ActiveScript } from '../../emulators/pulumi-cloud/faults.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { AUDIENCE, trust } from '../cloud/id-token.ts';
import { type EngineGate, openEngineGate } from '../docker/engine-gate.ts';
import { BUSYBOX_IMAGE } from '../docker/images.ts';
import { JOB_IMAGE, POOL } from '../e2e/stage.ts';
import { stepClock, steppingClock } from '../run/clock-step.ts';
import { cutStream, pruning } from './container-faults.ts';
import { holdHook, hookVariable } from './hook-faults.ts';
import { injectCloud, injectEngine, injectGitHub, onLastStatus } from './inject.ts';
import { CANARIES, jobOf, MARKS, plannedSteps } from './job.ts';
import type { Moment } from './moment.ts';
import type { FaultPlan, Plan } from './plan.ts';
import { quickSettings } from './settings.ts';

const run = promisify(execFile);
const REPOSITORY = 'acme/infrastructure';
/** Longer than Pulumi Cloud waits for a heartbeat, in milliseconds. */
const GIVEN_UP_MS = 11 * 60_000;
/** Milliseconds between looks at what nothing announces. */
const LOOK_MS = 10;

/** Pulumi Cloud, GitHub's services and an engine behind a gate, for one planned run, with its moments and faults. */
export class Scene {
  readonly plan: Plan;
  /** Holds what the run writes. */
  readonly directory: string;
  /** Below it are the run directories. */
  root: string;
  readonly cloud: PulumiCloud;
  readonly github: GitHub;
  readonly gate: EngineGate;
  readonly label: string;
  /** The volume with the steps' marks. */
  readonly volume: string;
  /** Variables of the agent, or of the CI job around it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The faults that met something. */
  readonly hits = new Set<FaultPlan>();
  readonly #scripts: ActiveScript[] = [];
  readonly #waiting = new Map<Moment['name'], Set<() => void>>();
  readonly #over = new AbortController();
  readonly #hooks: (() => void)[] = [];
  #isCalm = false;
  readonly #setSkew: (ms: number) => void;

  private constructor(
    parts: Pick<Scene, 'plan' | 'directory' | 'cloud' | 'github' | 'gate' | 'label' | 'volume'>,
    setSkew: (ms: number) => void,
  ) {
    ({
      plan: this.plan,
      directory: this.directory,
      cloud: this.cloud,
      github: this.github,
      gate: this.gate,
      label: this.label,
      volume: this.volume,
    } = parts);
    this.root = this.directory;
    this.#setSkew = setSkew;
    this.environment = {
      ...quickSettings({ CACHE_VOLUME: `${this.volume}=${MARKS}` }),
      DOCKER_HOST: this.gate.url,
      FORWARDED_SECRET: CANARIES.forwarded,
      TMPDIR: join(this.directory, 'tmp'),
      ...(this.plan.clock && steppingClock(this.directory)),
      ...Object.assign(
        {},
        ...this.plan.faults.map((fault) =>
          fault.at === 'hook' ? hookVariable(fault.failure, this.directory) : {},
        ),
      ),
    };
  }

  static async open(plan: Plan, blobStore: BlobStore): Promise<Scene> {
    const directory = await mkdtemp(join(tmpdir(), `random-faults-${plan.seed}-`));
    await mkdir(join(directory, 'tmp'));
    let skew = 0;
    const cloud = await PulumiCloud.start({
      organization: 'acme',
      pools: [POOL],
      clock: () => Date.now() + skew,
    });
    const runId = String(1_000_000 + randomInt(1_000_000_000));
    const github = await startGitHub({ repository: REPOSITORY, runId, blobStore });
    const rules = { aud: AUDIENCE, sub: `repo:${REPOSITORY}:*` };
    trust(cloud, github.issuer, { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules });
    let reached: (name: Moment['name']) => void = () => undefined;
    const onRequest = (line: string) => {
      if (/^POST \S*\/containers\/create/.test(line)) reached('preparation');
      if (/^DELETE \S*\/containers\//.test(line)) reached('removal');
    };
    const label = `pulumi-runner.ci-run=${REPOSITORY}/actions/runs/${runId}`;
    let hit: (fault: FaultPlan) => void = () => undefined;
    const [before] = plan.faults.flatMap((fault) =>
      fault.at === 'prune' ? [pruning(fault, label, () => hit(fault))] : [],
    );
    const socket = join(directory, 'docker.sock');
    const gate = await openEngineGate({ socket, onRequest, ...defined({ before }) });
    const volume = `random-faults-${runId}`;
    const setSkew = (ms: number) => {
      skew = ms;
    };
    const scene = new Scene({ plan, directory, cloud, github, gate, label, volume }, setSkew);
    reached = (name) => scene.#reached(name);
    hit = (fault) => void scene.hits.add(fault);
    scene.#inject();
    return scene;
  }

  /** Queues a deployment; the plan's own job by default. */
  enqueue(stack = 'prod', job: object = jobOf(this.plan.steps, JOB_IMAGE)): Deployment {
    return this.cloud.enqueue({
      project: 'network',
      stack,
      poolId: POOL.id,
      job,
      oidcToken: stack === 'prod' ? CANARIES.oidc : '',
    });
  }

  /** Calls `strike` at a moment, if it comes. */
  at(moment: Moment, strike: () => void): void {
    const { name } = moment;
    const then = () => {
      if (!this.#isCalm) strike();
    };
    if (name === 'step') return void this.#atStep(moment.step, moment.part).then((came) => came && then());
    if (name === 'first poll') return void this.#when(({ path }) => path === '/api/deployments/poll', then);
    if (name === 'claim')
      return void this.cloud
        .waitFor(({ deployments }) => deployments[0]?.claimedAt, 120_000)
        .then(then, () => undefined);
    if (name === 'publishing')
      return void this.#look(() => this.github.artifacts.calls.length > 0).then((came) => came && then());
    this.#waiting.set(name, (this.#waiting.get(name) ?? new Set()).add(then));
  }

  #when(request: (entry: PulumiCloud['requests'][number]) => boolean, then: () => void): void {
    const seen = ({ requests }: PulumiCloud) =>
      requests.some((entry) => request(entry) && entry.status !== 0);
    this.cloud.waitFor((cloud) => seen(cloud as PulumiCloud), 120_000).then(then, () => undefined);
  }

  #reached(name: Moment['name']): void {
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    for (const then of waiting) then();
  }

  #atStep(step: number, part: number): Promise<boolean> {
    const bytes = part * Buffer.byteLength(plannedSteps(this.plan.steps)[step - 1]?.output ?? '');
    const file = `**/steps/${String(step).padStart(2, '0')}-*.log`;
    let path: string | undefined;
    return this.#look(() => {
      path ??= globSync(file, { cwd: this.root })[0];
      return path !== undefined && statSync(join(this.root, path), { throwIfNoEntry: false })!.size >= bytes;
    });
  }

  /** Resolves true once the condition holds, false when the run is over. */
  async #look(condition: () => boolean): Promise<boolean> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      if (condition()) return true;
      await delay(LOOK_MS);
    }
    return false;
  }

  #inject(): void {
    const { plan, cloud, github, gate } = this;
    const last = plan.steps.length;
    const { clock } = plan;
    if (clock !== undefined) this.at(clock.moment, () => stepClock(this.directory, clock.ms));
    this.#scripts.push(onLastStatus(cloud, last, () => this.#reached('last status')));
    for (const fault of plan.faults) {
      const onHit = () => void this.hits.add(fault);
      if (fault.at === 'cloud') this.#scripts.push(...injectCloud(cloud, fault, { last, onHit }));
      else if (fault.at === 'github') injectGitHub(github, fault);
      else if (fault.at === 'stream')
        this.at(fault.moment, () => {
          onHit();
          cutStream(gate);
        });
      else if (fault.at === 'prune') continue;
      else if (fault.at === 'hook') this.#hooks.push(holdHook(fault.failure, this.directory));
      else
        this.at(fault.moment, () => {
          onHit();
          injectEngine(gate, fault);
        });
    }
  }

  /** Ends every fault; what has not struck by now never does. */
  calm(): void {
    this.#isCalm = true;
    for (const script of this.#scripts) script.remove();
    for (const letGo of this.#hooks) letGo();
    this.gate.recover();
  }

  /** Ends the moments, and lets Pulumi Cloud's clock run on until it has given up what has no heartbeats. */
  elapse(): void {
    this.#over.abort();
    this.#setSkew(GIVEN_UP_MS);
    this.cloud.sweep();
  }

  /** The agents' processes so far, from their own records, newest first. */
  async agents(): Promise<number[]> {
    const found = globSync('**/events.ndjson', { cwd: this.root });
    const texts = await Promise.all(
      found.map((path) => readFile(join(this.root, path), 'utf8').catch(() => '')),
    );
    return texts.flatMap((text) =>
      [...text.matchAll(/"type":"agent-started".*?"pid":(\d+)/g)].map(([, pid]) => Number(pid)),
    );
  }

  /** Containers and networks of the run that still exist. */
  async objects(): Promise<{ containers: string[]; networks: string[] }> {
    const list = async (...words: string[]) => {
      const { stdout } = await run('docker', [...words, '--filter', `label=${this.label}`]);
      return stdout.split('\n').filter((line) => line !== '');
    };
    return { containers: await list('ps', '-aq'), networks: await list('network', 'ls', '-q') };
  }

  /** How often each mark was left: `began-1` once. */
  async marks(): Promise<Map<string, number>> {
    const script = `cd ${MARKS} && for each in *; do echo "$each $(wc -l <"$each")"; done`;
    const words = [
      'run',
      '--rm',
      '--network',
      'none',
      '--volume',
      `${this.volume}:${MARKS}`,
      BUSYBOX_IMAGE,
      'sh',
      '-c',
      script,
    ];
    const { stdout } = await run('docker', words);
    return new Map(
      [...stdout.matchAll(/^([\w-]+) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
    );
  }

  /** Ends everything; removes everything but, with `keep`, the files. @returns what emulators found wrong. */
  async close({ keep = false } = {}): Promise<string[]> {
    this.#over.abort();
    for (const letGo of this.#hooks) letGo();
    const wrong: string[] = [];
    const note = (error: unknown) => void wrong.push(error instanceof Error ? error.message : String(error));
    await this.github.stop().catch(note);
    await this.cloud.stop().catch(note);
    this.gate.cut();
    const { containers, networks } = await this.objects();
    if (containers.length > 0)
      await run('docker', ['rm', '--force', '--volumes', ...containers]).catch(() => undefined);
    if (networks.length > 0) await run('docker', ['network', 'rm', ...networks]).catch(() => undefined);
    await run('docker', ['volume', 'rm', '--force', this.volume]).catch(() => undefined);
    if (!keep) await rm(this.directory, { recursive: true, force: true });
    return wrong;
  }
}
