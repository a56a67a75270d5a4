import { rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { CALLS } from '../../emulators/pulumi-cloud/faults.ts';
import { type AgentProcess, startAgent } from '../e2e/agent-process.ts';
import { POOL } from '../e2e/stage.ts';
import { holdHook, hookVariable } from './hook-faults.ts';
import { nextJob } from './job.ts';
import { type PoolPlan, REFUSED } from './pool-plan.ts';
import { LIMIT_MS, Run } from './run-parts.ts';
import type { Seen } from './seen.ts';

/** A trouble in force. */
interface Trouble {
  /** Variables of the first agent. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves once that agent has met it. */
  met(first: AgentProcess): Promise<unknown>;
  mend(): void;
}

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
    const trouble = this.#disturb(pool, queue);
    // The agent in trouble claims first.
    const first = await this.#start(0, trouble.environment);
    await this.ending('the first claim', first.said(/Claimed |claims nothing more|may have been handed out/));
    const began = performance.now();
    for (let at = 1; at < pool.agents; at += 1) await this.#start(at, {});
    await this.ending('the first agent until its trouble', trouble.met(first));
    await delay(pool.ms);
    trouble.mend();
    const troubleMs = performance.now() - began;
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
    return this.seen(deployment, { queue, exits, troubleMs });
  }

  /** Begins the trouble. */
  #disturb({ trouble, refused, burns, times, skip }: PoolPlan, queue: readonly Deployment[]): Trouble {
    const { gate, cloud, directory } = this.scene;
    const calm = { environment: {}, met: () => Promise.resolve(), mend: () => undefined };
    if (trouble === 'half engine') {
      const refusal = Promise.withResolvers<void>();
      gate.fail(REFUSED[refused ?? 'create'], { onRefused: refusal.resolve });
      const burnt = () => cloud.waitFor(() => queue.some(({ status }) => status === 'failed'), LIMIT_MS);
      return { ...calm, met: burns ? burnt : () => refusal.promise, mend: gate.recover };
    }
    if (trouble === 'failing hook') {
      const environment = hookVariable(trouble, directory);
      const away = join(directory, 'away');
      writeFileSync(away, '');
      for (const hook of Object.values(environment))
        writeFileSync(hook, `#!/bin/sh\n[ ! -e '${away}' ]\n`, { mode: 0o755 });
      return {
        environment,
        met: (first) => first.said(/hook_before_job is broken/),
        mend: () => rmSync(away),
      };
    }
    if (trouble === 'busy before' || trouble === 'busy after') {
      const environment = hookVariable(trouble, directory);
      return { environment, met: (first) => first.said(/ETXTBSY/), mend: holdHook(trouble, directory) };
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
    return calm;
  }

  async #start(at: number, trouble: Readonly<Record<string, string>>): Promise<AgentProcess> {
    const { cloud, environment, label, directory, gate } = this.scene;
    const home = join(directory, `agent-${at}`);
    await mkdir(home);
    const { DOCKER_HOST: _, ...well } = environment;
    const own: Record<string, string> = at === 0 ? { DOCKER_HOST: gate.url } : {};
    const more = {
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_TOKEN: cloud.createStaticToken(POOL.id),
      PULUMI_AGENT_RUN_DIRECTORY: join(home, 'runs'),
    };
    const agent = startAgent({
      home,
      environment: { ...well, ...own, ...trouble, ...more },
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
