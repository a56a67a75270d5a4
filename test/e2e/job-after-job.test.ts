import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunResult, runResultSchema } from '../../src/record/schema.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { type AgentProcess, startAgent } from '../support/e2e/agent-process.ts';
import { enqueue, POOL, statuses, useStage } from '../support/e2e/stage.ts';

const JOB_MS = 60_000;
/** What each job prints where memory is compared. */
const PRINTED_MB = 10;
/** A step that an interrupt ends in order. */
const ORDERLY = "trap 'echo in order; exit 1' INT; echo at work; sleep 60";

const stage = useStage();
let home: string;
let agent: AgentProcess;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-home-'));
});
afterEach(async () => {
  agent.child.kill('SIGKILL');
  await agent.ended;
  await rm(home, { recursive: true, force: true });
});

/** Starts an agent that goes on after a job, configured by its environment as a service is. */
function start(): void {
  agent = startAgent({
    home,
    arguments: ['--label', stage.label],
    environment: {
      PULUMI_AGENT_TOKEN: stage.cloud.createStaticToken(POOL.id),
      PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
      PULUMI_AGENT_SINGLE_RUN: 'false',
      PULUMI_AGENT_POLLING_INTERVAL: '200ms',
      PULUMI_AGENT_JOB_STATUS_LOOP_INTERVAL: '500ms',
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_HTTP_SERVER_PORT: '0',
      PULUMI_AGENT_RUN_DIRECTORY: join(home, 'runs'),
    },
  });
}

function over(deployment: Deployment): Promise<unknown> {
  return stage.cloud.waitFor(() => deployment.endReason !== undefined, JOB_MS);
}

function printed(deployment: Deployment, text: string): Promise<unknown> {
  return stage.cloud.waitFor(() => deployment.steps[1]?.lines.some(({ l }) => l === `${text}\n`), JOB_MS);
}

/** The results of all runs, in the order in which they began. */
async function results(): Promise<RunResult[]> {
  const runs = await readdir(join(home, 'runs'));
  const read = runs.map(async (run) => {
    return runResultSchema.parse(JSON.parse(await readFile(join(home, 'runs', run, 'run.json'), 'utf8')));
  });
  return (await Promise.all(read)).toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
}

function residentMb(): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${agent.child.pid}/status`, 'utf8'))?.[1]) / 1024;
}

describe('an agent that goes on', () => {
  it('serves five jobs in a row, and each container is gone before the next claim is asked for', async () => {
    const left: string[][] = [];
    stage.cloud.script({
      method: 'GET',
      path: /\/poll$/,
      times: Number.POSITIVE_INFINITY,
      // It only looks: no poll is answered by it.
      matches: () => left.push(stage.objectsLeft()) === 0,
      answer: { status: 500 },
    });
    const scripts: Record<string, string> = {
      one: 'echo one > /tmp/mark; echo one',
      two: 'test ! -e /tmp/mark && echo two',
      failing: 'echo three; exit 3',
      cancelled: ORDERLY,
      five: 'echo five',
    };
    const deployments = Object.entries(scripts).map(([name, script]) => enqueue(stage, { 'pulumi up': script }, name));
    start();
    await printed(deployments[3]!, 'at work');
    stage.cloud.cancel(deployments[3]!.id);
    await over(deployments[4]!);
    const polls = left.length;
    await stage.cloud.waitFor(() => left.length > polls, JOB_MS);
    agent.child.kill('SIGTERM');
    expect((await agent.ended).code).toBe(0);

    expect(left.length).toBeGreaterThanOrEqual(6);
    expect(left.flat()).toEqual([]);
    const ends = ['succeeded', 'succeeded', 'failed', 'cancelled', 'succeeded'];
    const served = (await results()).filter(({ deploymentId }) => deploymentId !== undefined);
    expect(served.map(({ deploymentId, outcome }) => [deploymentId, outcome])).toEqual(
      deployments.map(({ id }, at) => [id, ends[at]]),
    );
    for (const [at, run] of (await readdir(join(home, 'runs'))).sort().entries()) {
      const steps = await readdir(join(home, 'runs', run, 'steps'));
      expect(steps.toSorted()).toEqual(['00-setup.log', '01-pulumi-up.log']);
      const text = await readFile(join(home, 'runs', run, 'steps/01-pulumi-up.log'), 'utf8');
      expect(text).toContain(['one', 'two', 'three', 'in order', 'five'][at]);
    }
  });

  it('holds no more memory after the fifth job than after the second', async () => {
    start();
    const after: number[] = [];
    const nextPoll = () => {
      const seen = stage.cloud.requests.length;
      return stage.cloud.waitFor(({ requests }) => requests.slice(seen).some(({ path }) => path.endsWith('/poll')));
    };
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const deployment = enqueue(stage, { 'pulumi up': `yes ${'x'.repeat(99)} | head -c ${PRINTED_MB}000000` }, name);
      await over(deployment);
      expect(deployment.status).toBe('succeeded');
      // The next poll: everything of the job has been put away.
      await nextPoll();
      if (name !== 'b' && name !== 'e') continue;
      // The least of some: garbage is collected when it suits.
      const read: number[] = [];
      while (read.push(residentMb()) < 5) await nextPoll();
      after.push(Math.min(...read));
    }
    // Output that was kept would be all of it by now.
    expect(after[1]! - after[0]!).toBeLessThan(0.75 * 3 * PRINTED_MB);
  });

  it('finishes its job on the first SIGTERM, interrupts it on the second, and claims no other', async () => {
    start();
    const deployment = enqueue(stage, { 'pulumi up': ORDERLY }, 'one');
    await printed(deployment, 'at work');
    const other = enqueue(stage, { 'pulumi up': 'echo never' }, 'two');
    agent.child.kill('SIGTERM');
    await agent.said(/SIGTERM: a running job is finished/);
    // It watches the job as before.
    const { statusReads } = deployment;
    await stage.cloud.waitFor(() => deployment.statusReads > statusReads + 1);
    expect(deployment.steps[1]?.status).toBe('running');
    agent.child.kill('SIGTERM');
    expect((await agent.ended).code).toBe(7);
    expect(statuses(deployment)[1]).toEqual(['running', 'failed']);
    expect(deployment.steps[1]?.lines.map(({ l }) => l)).toContain('in order\n');
    expect(other.status).toBe('not-started');
    expect((await results()).map(({ outcome }) => outcome)).toEqual(['interrupted']);
  });
});
