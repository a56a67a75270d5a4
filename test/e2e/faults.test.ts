import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunResult, runResultSchema } from '../../src/record/schema.ts';
import type { BlobStore } from '../emulators/github/azurite.ts';
import { completeIdentity } from '../emulators/github/job-environment.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import type { FaultAnswer, Script } from '../emulators/pulumi-cloud/faults.ts';
import { brokenOff, changed, slowly, twice } from '../emulators/pulumi-cloud/wire-faults.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { closeStage, definition, openStage, POOL, type Stage, startBlobStore, statuses } from './stage.ts';

/** Every call of a run, by what it is for. */
const CALLS = {
  exchange: ['POST', /\/oauth\/token$/],
  poll: ['GET', /\/deployments\/poll$/],
  acknowledgement: ['POST', /\/agent-workflows\/deployment$/],
  definition: ['GET', /\/workflow\/jobs\/[^/]+$/],
  'first status': ['PATCH', /\/0\/status$/],
  status: ['PATCH', /\/1\/status$/],
  'last status': ['PATCH', /\/2\/status$/],
  lines: ['POST', /\/1\/logs$/],
  'last lines': ['POST', /\/2\/logs$/],
  heartbeat: ['POST', /\/heartbeat$/],
  look: ['GET', /\/deployments\/[^/]+\/status$/],
} as const satisfies Record<string, readonly [string, RegExp]>;
type Call = keyof typeof CALLS;

const EVERY_CALL = Object.keys(CALLS) as Call[];
const REPORTS = ['status', 'last status', 'lines', 'last lines', 'look', 'acknowledgement'] as const;
const MAINTENANCE: FaultAnswer = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>Down for maintenance</h1></html>',
};
const LOGIN: FaultAnswer = { ...MAINTENANCE, status: 200 };
/** Nobody gets a token there. */
const ELSEWHERE: FaultAnswer = { status: 302, headers: { location: 'http://127.0.0.1:9/login' } };
/** The answer to a poll is a claim, which never comes again. */
const BUT_POLL = EVERY_CALL.filter((call) => call !== 'poll');
const refusal = (status: number): FaultAnswer => ({ status, body: { code: status, message: 'not this time' } });

/** What may happen to a call once, and to which calls it may happen without consequence. */
const PASSING: readonly (readonly [string, Pick<Script, 'answer' | 'when'>, readonly Call[]])[] = [
  ['a reset connection', { answer: 'reset' }, EVERY_CALL],
  ['no answer', { answer: 'hang' }, EVERY_CALL],
  ['an answer that is lost', { answer: 'reset', when: 'after' }, BUT_POLL],
  ['an answer that breaks off', { answer: brokenOff, when: 'after' }, BUT_POLL],
  ['half an answer', { answer: changed(({ text }) => ({ text: text.slice(0, 9) })), when: 'after' }, BUT_POLL],
  ['a slow answer', { answer: slowly('body', 200), when: 'after' }, BUT_POLL],
  ['two answers', { answer: twice, when: 'after' }, EVERY_CALL],
  ['a login page', { answer: LOGIN }, EVERY_CALL],
  ['a redirect to elsewhere', { answer: ELSEWHERE }, EVERY_CALL.filter((call) => !/exchange|definition/.test(call))],
  ['an internal error', { answer: refusal(500) }, EVERY_CALL],
  ['a maintenance page', { answer: MAINTENANCE }, EVERY_CALL],
  ['a plea to wait', { answer: { ...Object(refusal(429)), headers: { 'retry-after': '1' } } }, EVERY_CALL],
  ['a token that is not known yet', { answer: refusal(401) }, [...REPORTS, 'poll']],
  ['a firewall that says no', { answer: refusal(403) }, [...REPORTS, 'definition', 'first status', 'heartbeat']],
  ['a server that does not know the job yet', { answer: refusal(404) }, [...REPORTS, 'definition', 'heartbeat']],
];

const EXPECTED = [
  Array.from({ length: 250 }, (_, at) => `line ${at + 1}\n`).join(''),
  `${Array.from({ length: 130 }, (_, at) => `again ${at + 1}\n`).join('')}2\n`,
];
const SCRIPTS = {
  'Get source': 'seq -f "line %g" 250; echo x >> /ran',
  'pulumi update': 'echo x >> /ran; sleep 1.2; seq -f "again %g" 130; wc -l < /ran',
};

/** A job that lasts until it is given up. */
const LASTING = { 'pulumi update': 'echo x >> /ran; sleep 60' };

let blobs: BlobStore;
let stage: Stage;
let home: string;
let agent: AgentProcess | undefined;

beforeAll(async () => {
  blobs = await startBlobStore();
});
afterAll(() => blobs.stop());
beforeEach(async () => {
  stage = await openStage({ blobStore: blobs });
  home = await mkdtemp(join(tmpdir(), 'faults-'));
});
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.ended;
  await rm(home, { recursive: true, force: true });
  await closeStage(stage);
});

interface Ended {
  readonly code: number | null;
  readonly result: RunResult;
  readonly deployment: Deployment;
}

/** One job served by the agent alone, which waits for nothing longer than a second. */
async function serve(scripts: Record<string, string> = SCRIPTS): Promise<Ended> {
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
  const { code } = await agent.ended;
  const result = runResultSchema.parse(JSON.parse(await readFile(join(home, 'run/run.json'), 'utf8')));
  return { code, result, deployment };
}

function script(call: Call, fault: Pick<Script, 'answer' | 'when'>, times = 1) {
  const [method, path] = CALLS[call];
  return stage.cloud.script({ method, path, times, ...fault });
}

describe('once, at every call that can bear it,', () => {
  it.each(PASSING)('%s costs no line, no status and no step', async (_, fault, calls) => {
    const scripts = calls.map((call) => script(call, fault));
    const { code, result, deployment } = await serve();
    expect(scripts.map(({ hits }) => hits)).toEqual(calls.map(() => 1));
    expect(result).toMatchObject({ outcome: 'succeeded', steps: [{}, { cloud: { undelivered: 0 } }, {}] });
    expect(code).toBe(0);
    expect(deployment).toMatchObject({ status: 'succeeded', endReason: 'steps' });
    expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
    expect(deployment.steps.slice(1).map(({ lines }) => lines.map(({ l }) => l).join(''))).toEqual(EXPECTED);
  });
});

describe('for good,', () => {
  it.each<[string, Call, Pick<Script, 'answer' | 'when'>, number, RunResult['outcome']]>([
    ['an exchange that is sent elsewhere', 'exchange', { answer: ELSEWHERE }, 4, 'cloud-unreachable'],
    ['a login page instead of the token', 'exchange', { answer: LOGIN }, 4, 'cloud-unreachable'],
    ['a reset exchange', 'exchange', { answer: 'reset' }, 4, 'cloud-unreachable'],
    ['a page instead of the token', 'exchange', { answer: { status: 200, body: 'log in' } }, 3, 'auth-error'],
    ['a poll without an answer', 'poll', { answer: 'hang' }, 4, 'cloud-unreachable'],
    ['a page instead of a claim', 'poll', { answer: { status: 200, body: 'log in' } }, 4, 'cloud-unreachable'],
    ['a poll that is sent elsewhere', 'poll', { answer: ELSEWHERE }, 4, 'cloud-unreachable'],
    ['a definition in error', 'definition', { answer: MAINTENANCE }, 4, 'cloud-unreachable'],
    ['half a definition', 'definition', { answer: { status: 200, body: '{"steps":[' } }, 1, 'failed'],
    ['a job that is not known any more', 'heartbeat', { answer: refusal(410) }, 6, 'cancelled'],
    ['a deployment that is not known', 'look', { answer: refusal(404) }, 6, 'cancelled'],
  ])('%s has its own outcome, in one sentence', async (_, call, fault, exitCode, outcome) => {
    script(call, fault, Number.POSITIVE_INFINITY);
    const started = performance.now();
    const { code, result, deployment } = await serve(outcome === 'cancelled' ? LASTING : SCRIPTS);
    expect(performance.now() - started).toBeLessThan(15_000);
    expect([result.outcome, code]).toEqual([outcome, exitCode]);
    expect(result.message).toMatch(/^Failed to /);
    expect(result.message).not.toMatch(/\.\.|Report this/);
    // Whatever was claimed and can be told has been told.
    if (deployment.claimedAt !== undefined && outcome !== 'cancelled') expect(deployment.endReason).toBe('steps');
  });
});
