import { globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PhaseHandle, PhaseResult } from '../../emulators/github/phase.ts';
import { findByEnvironment } from '../../emulators/github/process-tree.ts';
import type { JobRunner } from '../../emulators/github/runner.ts';
import { ACTION, POOL } from '../e2e/stage.ts';
import type { StrikeName } from './plan.ts';
import { Run } from './run-parts.ts';
import { type Directory, resultIn, type Seen } from './seen.ts';

/** Milliseconds from post's start until something strikes it. */
const IN_POST_MS = 300;

/** The action's main and post, as GitHub's runner starts them. */
export class ActionRun extends Run {
  #main: PhaseHandle | undefined;

  protected async carryOut(what: StrikeName): Promise<void> {
    const main = this.#main;
    if (what === 'main') main?.kill('SIGKILL');
    if (what === 'agent') await this.killAgent();
    if (what === 'container') await this.killContainers();
    if (what === 'ci-cancel') await main?.cancel();
  }

  async run(): Promise<Seen> {
    const { scene } = this;
    const { cloud, github, plan } = scene;
    const isLate = plan.strike?.moment.name === 'first poll';
    let deployment = isLate ? undefined : scene.enqueue();
    const inputs = {
      ...{ organization: 'acme', 'runner-pool-id': POOL.id, 'service-url': cloud.url },
      ...{ 'max-wait': '6s', 'polling-interval': '300ms' },
    };
    const job = await github.newJob(ACTION, inputs, scene.environment, { container: plan.container });
    scene.root = join(job.workspace, '../../..');
    this.watch();
    const handle = await job.startMain();
    this.#main = handle;
    const main = await this.#phase('main', handle);
    await this.struck;
    // What is queued now must not be claimed any more: the run is to end.
    deployment ??= scene.enqueue();
    const startedPost = await job.startPost();
    if (plan.inPost !== undefined) void this.#strikePost(plan.inPost);
    const post = startedPost && (await this.#phase('post', startedPost));
    await this.noObjects(1_000);
    const orphans = await this.#orphans(job);
    this.left.push(...orphans.map(({ pid, command }) => `process ${pid} (${command.join(' ')})`));
    const privates = globSync('_temp/pulumi-runner-*/{private,state.json}', { cwd: scene.root });
    this.left.push(...privates.map((path) => `file ${path}`));
    const artifact = await this.#artifact();
    return this.seen(deployment, { main, post, artifact });
  }

  async #strikePost(what: 'agent' | 'cloud-cancel'): Promise<void> {
    await delay(IN_POST_MS);
    if (what === 'agent') await this.killAgent();
    else await this.cancelInCloud();
  }

  async #phase(name: string, handle: PhaseHandle): Promise<PhaseResult | undefined> {
    const result = await this.ending(name, handle.exited);
    if (result === undefined) await handle.destroy();
    const ended = result ?? (await handle.exited);
    const raw = String(ended.raw.stdout) + String(ended.raw.stderr);
    // The runner hides these lines, which must hold the value.
    this.texts.set(`${name}'s console`, raw.replace(/^::add-mask::.*$/gm, ''));
    this.texts.set(
      `${name}'s summary, outputs and state`,
      JSON.stringify([ended.summary, ended.outputs, ended.state]),
    );
    return ended;
  }

  /** Ends the CI job; a process that is just ending is no orphan. */
  async #orphans(job: JobRunner) {
    for (const end = performance.now() + 2_000; performance.now() < end; await delay(50))
      if ((await findByEnvironment('RUNNER_TRACKING_ID', job.trackingId)).length === 0) break;
    return job.cleanUpOrphans();
  }

  async #artifact(): Promise<Directory | undefined> {
    const { artifacts } = this.scene.github;
    const [found] = artifacts.list().filter(({ finalized }) => finalized);
    if (found === undefined) return undefined;
    const files = await artifacts.download(found.name);
    return { path: 'artifact', files, result: resultIn(files) };
  }
}
