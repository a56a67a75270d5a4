import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { CALLS } from '../../emulators/pulumi-cloud/faults.ts';
import { type AgentProcess, startAgent } from '../e2e/agent-process.ts';
import { POOL } from '../e2e/stage.ts';
import { nextJob } from './job.ts';
import type { PoolPlan } from './plan.ts';
import { LIMIT_MS, Run } from './run-parts.ts';
import type { Seen } from './seen.ts';

/** Several lasting agents before one full queue. The first agent alone has the engine or the hook that fails. */
export class PoolRun extends Run {
  readonly #agents: AgentProcess[] = [];

  protected carryOut(): Promise<void> {
    return Promise.resolve();
  }

  async run(pool: PoolPlan): Promise<Seen> {
    const { scene } = this;
    const queue = Array.from({ length: pool.deployments }, (_, at) =>
      scene.enqueue(`stack-${at}`, nextJob()),
    );
    const mend = await this.#disturb(pool);
    // The agent in trouble claims first.
    const first = await this.#start(0, pool);
    await this.ending('the first claim', first.said(/Claimed |claims nothing more|may have been handed out/));
    for (let at = 1; at < pool.agents; at += 1) await this.#start(at, pool);
    await delay(pool.ms);
    await mend();
    const isServed = (each: Deployment) => each.endReason !== undefined || isLost(each);
    const served = async () => {
      while (!queue.every(isServed)) await delay(100);
    };
    await this.ending('the queue', served(), 2 * LIMIT_MS);
    scene.calm();
    await this.noObjects(20_000);
    for (const { child } of this.#agents) child.kill('SIGTERM');
    const ends = await this.ending(
      'the agents after SIGTERM',
      Promise.all(this.#agents.map(({ ended }) => ended)),
    );
    for (const { child } of this.#agents) child.kill('SIGKILL');
    for (const [at, { stdout, stderr }] of (ends ?? []).entries())
      this.texts.set(`agent ${at}'s output`, stdout + stderr);
    const [deployment] = queue;
    if (deployment === undefined) throw new Error('the queue is empty');
    const exits = (ends ?? []).map(({ code }) => code);
    return this.seen(deployment, { queue, exits });
  }

  /** Begins the trouble. Returns what ends it. */
  async #disturb({ trouble, times, skip }: PoolPlan): Promise<() => unknown> {
    const { gate, cloud, directory } = this.scene;
    if (trouble === 'half engine') {
      gate.fail(/^POST \S*\/containers\/create/);
      return () => gate.recover();
    }
    if (trouble === 'broken hook') {
      const [hook, away] = [join(directory, 'before'), join(directory, 'away')];
      await writeFile(away, '');
      await writeFile(hook, `#!/bin/sh\n[ ! -e '${away}' ]\n`);
      await chmod(hook, 0o755);
      return () => rm(away);
    }
    let seen = 0;
    const body = { jobIdentifier: 'j', credential: 'pul-none' };
    cloud.script({
      path: CALLS.poll,
      when: 'after',
      times,
      matches: () => {
        seen += 1;
        return seen > skip;
      },
      answer: trouble === 'unreadable answer' ? { status: 200, body } : 'reset',
    });
    return () => undefined;
  }

  async #start(at: number, { trouble }: PoolPlan): Promise<AgentProcess> {
    const { cloud, environment, label, directory, gate } = this.scene;
    const home = join(directory, `agent-${at}`);
    await mkdir(home);
    const { DOCKER_HOST: _, ...well } = environment;
    const own: Record<string, string> = at === 0 ? { DOCKER_HOST: gate.url } : {};
    if (at === 0 && trouble === 'broken hook')
      own['PULUMI_AGENT_HOOK_BEFORE_JOB'] = join(directory, 'before');
    const more = {
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_TOKEN: cloud.createStaticToken(POOL.id),
      PULUMI_AGENT_RUN_DIRECTORY: join(home, 'runs'),
    };
    const agent = startAgent({
      home,
      environment: { ...well, ...own, ...more },
      arguments: ['--label', label],
    });
    this.#agents.push(agent);
    return agent;
  }
}

/** Claimed a while ago, and no agent knows of it. */
export function isLost({ claimedAt, acknowledged }: Deployment): boolean {
  return claimedAt !== undefined && !acknowledged && Date.now() - claimedAt > 5_000;
}
