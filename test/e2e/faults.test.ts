import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunResult, runResultSchema } from '../../src/record/schema.ts';
import { completeIdentity } from '../emulators/github/job-environment.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { CALLS, failing } from '../emulators/pulumi-cloud/faults.ts';
import { type AgentProcess, startAgent } from '../support/e2e/agent-process.ts';
import { definition, POOL, statuses, useStage } from '../support/e2e/stage.ts';

const stage = useStage();
let home: string;
let agent: AgentProcess | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'faults-'));
});
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.ended;
  await rm(home, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly result: RunResult;
  readonly deployment: Deployment;
  readonly stderr: string;
}

/** One job served by the agent alone, which waits for nothing longer than a second. */
async function serve(
  scripts: Record<string, string>,
  meanwhile?: (deployment: Deployment) => Promise<unknown>,
): Promise<Ended> {
  const deployment = stage.enqueue(definition(scripts));
  const identity = completeIdentity({ repository: 'acme/infrastructure' });
  const tokenFile = join(home, 'id-token');
  await writeFile(tokenFile, await stage.github.idTokens.issue(identity, 'urn:pulumi:org:acme'));
  const settings = {
    SERVICE_URL: stage.cloud.url,
    OIDC_TOKEN_FILE: tokenFile,
    ORGANIZATION_NAME: 'acme',
    RUNNER_POOL_ID: POOL.id,
    RUN_DIRECTORY: join(home, 'run'),
    SINGLE_RUN: 'true',
    MAX_WAIT: '4s',
    PULL_IMAGE: 'false',
    HTTP_SERVER_PORT: '0',
    POLLING_INTERVAL: '200ms',
    JOB_STATUS_LOOP_INTERVAL: '300ms',
    REQUEST_TIMEOUT: '1s',
    REQUEST_RETRY_WAIT: '100ms',
    REQUEST_RETRY_MAX_WAIT: '500ms',
    CANCEL_GRACE_PERIOD: '3s',
  };
  agent = startAgent({
    home,
    arguments: ['--label', stage.label],
    environment: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`PULUMI_AGENT_${key}`, value])),
  });
  await meanwhile?.(deployment);
  const { code, stderr } = await agent.ended;
  const result = runResultSchema.parse(JSON.parse(await readFile(join(home, 'run/run.json'), 'utf8')));
  return { code, result, deployment, stderr };
}

const textOf = ({ steps }: Deployment, index: number) => steps[index]!.lines.map(({ l }) => l).join('');
const THIRTY_MB =
  "yes 'a line of a hundred bytes or so, of which there will be three hundred thousand, and then some more of it' | head -n 300000";

describe('a passing outage costs no line, no status and no step:', () => {
  it('503 to every call about the job, right after the claim', async () => {
    const since = () => stage.cloud.deployments[0]?.claimedAt;
    stage.cloud.script({ path: CALLS.job, window: { ms: 5_000, since }, answer: failing(503) });
    const { code, result, deployment, stderr } = await serve({ one: 'seq 250; sleep 3', two: 'seq 130' });
    expect(result, stderr).toMatchObject({ outcome: 'succeeded', reported: true });
    expect(code).toBe(0);
    expect(result.steps.map(({ cloud }) => cloud.undelivered)).toEqual([0, 0, 0]);
    expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
    expect([textOf(deployment, 1).length, textOf(deployment, 2).length]).toEqual([892, 412]);
    // Each is said once, however often it failed.
    const failed = (result.notices ?? []).map((notice) => /^Failed to (.+?) for /.exec(notice)?.[1]);
    expect(failed.toSorted()).toEqual(['read the job definition', 'send a heartbeat']);
  });

  it('a step that writes 30 MB while log calls are answered by 503 ends before the first of its lines is taken', async () => {
    const events = join(home, 'run/events.ndjson');
    const isOver = () => (readFileSync(events, 'utf8').match(/"step-finished"/g) ?? []).length > 1;
    stage.cloud.script({
      path: /\/1\/logs$/,
      times: Number.POSITIVE_INFINITY,
      matches: () => !isOver(),
      answer: failing(503),
    });
    const { result, deployment, stderr } = await serve({ update: THIRTY_MB });
    expect(result, stderr).toMatchObject({ outcome: 'succeeded', reported: true });
    const [, step] = result.steps;
    expect(step).toMatchObject({ lines: 300_000, cloud: { undelivered: 0 } });
    expect(deployment.steps[1]!.lines).toHaveLength(300_000);
    expect(Date.parse(step!.finishedAt!)).toBeLessThan(deployment.steps[1]!.logCalls[0]!.at);
  });
});
