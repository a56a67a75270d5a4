import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { type AgentProcess, startAgent } from '../support/e2e/agent-process.ts';
import { enqueue, POOL, useStage } from '../support/e2e/stage.ts';

const JOB_MS = 60_000;
/** What each job prints where memory is compared. */
const PRINTED_MB = 10;

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

function residentMb(): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${agent.child.pid}/status`, 'utf8'))?.[1]) / 1024;
}

describe('an agent that goes on', () => {
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
});
