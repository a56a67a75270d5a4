import { globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { type AgentProcess, startAgent } from '../e2e/agent-process.ts';
import { POOL } from '../e2e/stage.ts';
import { nextJob } from './job.ts';
import type { StrikeName } from './plan.ts';
import { LIMIT_MS, Run } from './run-parts.ts';
import type { Seen } from './seen.ts';

/** Milliseconds for the container of a dead agent to end its step. */
const ORPHAN_MS = 20_000;

/** The strikes that end an agent. */
const ENDING: ReadonlySet<StrikeName | undefined> = new Set(['agent', 'terminate', 'interrupt']);

/** A lasting agent as a service manager starts it; another takes its place if it has ended. */
export class AgentRun extends Run {
  readonly #agents: AgentProcess[] = [];

  protected async carryOut(what: StrikeName): Promise<void> {
    const agent = this.#agents.at(-1);
    if (what === 'agent') agent?.child.kill('SIGKILL');
    if (what === 'container') await this.killContainers();
    if (what === 'terminate') agent?.child.kill('SIGTERM');
    if (what === 'interrupt') agent?.child.kill('SIGINT');
  }

  async run(): Promise<Seen> {
    const { scene } = this;
    const { cloud, plan } = scene;
    const isLate = plan.strike?.moment.name === 'first poll';
    let deployment = isLate ? undefined : scene.enqueue();
    this.watch();
    let agent = this.#start();
    if (isLate) await this.ending('the agent', agent.ended);
    deployment ??= scene.enqueue();
    const queued = deployment;
    if (agent.child.exitCode !== null || agent.child.signalCode !== null) agent = this.#start();
    const isOver = () =>
      agent.child.exitCode !== null || agent.child.signalCode !== null || this.#hasEnded(queued);
    const over = (async () => {
      while (!isOver()) await delay(50);
      await this.struck;
      if (!isLate && this.struck !== undefined && ENDING.has(plan.strike?.what)) await agent.ended;
    })();
    await this.ending('the first job', over);
    scene.calm();
    if (agent.child.exitCode !== null || agent.child.signalCode !== null) agent = this.#start();
    const next = scene.enqueue('next', nextJob());
    await this.ending(
      'the next job',
      cloud.waitFor(() => next.endReason !== undefined, LIMIT_MS).catch(() => undefined),
      LIMIT_MS,
    );
    await this.noObjects(ORPHAN_MS);
    agent.child.kill('SIGTERM');
    await this.ending('the agent after SIGTERM', agent.ended);
    for (const { child } of this.#agents) child.kill('SIGKILL');
    const ends = await Promise.all(this.#agents.map(({ ended }) => ended));
    for (const [at, { stdout, stderr }] of ends.entries())
      this.texts.set(`agent ${at}'s output`, stdout + stderr);
    return this.seen(deployment, { next, exits: ends.map(({ code }) => code) });
  }

  #start(): AgentProcess {
    const { cloud, environment, label, directory } = this.scene;
    const more = {
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_TOKEN: cloud.createStaticToken(POOL.id),
    };
    const where = { PULUMI_AGENT_RUN_DIRECTORY: join(directory, 'runs') };
    const agent = startAgent({
      home: directory,
      environment: { ...environment, ...more, ...where },
      arguments: ['--label', label],
    });
    this.#agents.push(agent);
    return agent;
  }

  /** The first job has left its result, or its claim was lost. */
  #hasEnded(deployment: Deployment): boolean {
    if (globSync('runs/*/run.json', { cwd: this.scene.directory }).length > 0) return true;
    const isLost = [...this.scene.hits].some(
      (fault) => fault.at === 'cloud' && fault.call === 'poll' && fault.failure === 'taken',
    );
    return (
      isLost &&
      deployment.claimedAt !== undefined &&
      !deployment.acknowledged &&
      Date.now() - deployment.claimedAt > 5_000
    );
  }
}
