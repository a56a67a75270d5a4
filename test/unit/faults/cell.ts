import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Agent as Connections, type Dispatcher } from 'undici';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { PoolApi } from '../../../src/cloud/deployments.ts';
import { OidcToken } from '../../../src/cloud/pool-token.ts';
import type { Outcome } from '../../../src/outcome.ts';
import type { RunResult } from '../../../src/record/schema.ts';
import type { Issuer } from '../../emulators/github/issuer.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder, jobOf } from '../agent/claimed-run.ts';
import { agentOf } from '../agent/cloud-agent.ts';
import { cloudHttp, never } from '../cloud/cloud-http.ts';
import { fastClock } from '../job/fast-clock.ts';
import { CALLS, type Call, type Fault, REQUEST_TIMEOUT_MS } from './table.ts';

/** The agent's seconds in one of ours: once, and for good, when minutes are to be waited for. */
const PACE = { once: 20, always: 60 };
/** Six of our seconds. */
const LEASE = { heartbeats: { fenceMs: 6 * 60_000 } };
const AUDIENCE = 'urn:pulumi:org:acme';
/** What the steps print: more than one log call carries at first. */
const PRINTED = [
  ['line', 250],
  ['again', 130],
].map(([word, count]) => Array.from({ length: Number(count) }, (_, at) => `${word} ${at + 1}\n`).join(''));

const SKIPPED = /started while step \d+ is (?:not-started|running)|cannot go from not-started|a log while not-started/;

/** What became of a run. */
export interface Seen {
  readonly exitCode: number;
  readonly result: RunResult | undefined;
  readonly deployment: Deployment;
  /** How often the fault struck. */
  readonly hits: number;
  /** How often each step ran. */
  readonly ran: readonly number[];
  /** Each step's lines in Pulumi Cloud are what it printed, each once and in order. */
  readonly whole: boolean;
  /** Containers that were made, and how often each was removed. */
  readonly removals: readonly number[];
}

/** An address where nobody listens. */
async function closedOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 9}`;
}

/**
 * Runs one job by the whole agent (its containers are folders and processes), and lets `fault` strike `call`, once or always.
 * It is to end as `expected`: whatever takes its time is waited for.
 */
export async function run(
  call: Call,
  fault: Fault,
  issuer: Issuer,
  how: 'once' | 'always',
  expected: Outcome,
): Promise<Seen> {
  const times = how === 'once' ? 1 : Number.POSITIVE_INFINITY;
  const cloud = await PulumiCloud.start();
  // A status that isn't taken is gone without in the end.
  if (how === 'always') cloud.allow(SKIPPED);
  onTestFinished(() => cloud.stop());
  cloud.registerIssuer({
    issuer: issuer.url,
    jwksUrl: issuer.jwksUri,
    policies: [{ decision: 'allow', tokenType: 'runner', runnerID: 'pool-1', rules: { aud: AUDIENCE, sub: 'web' } }],
  });
  const directory = await folder();
  const tokenFile = join(directory, 'id-token');
  await writeFile(
    tokenFile,
    await issuer.sign({ aud: AUDIENCE, sub: 'web', exp: Math.floor(Date.now() / 1000) + 600 }),
  );

  const [method, path] = CALLS[call];
  let refusals = 0;
  const closed = await closedOrigin();
  const refuse: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const refused = fault.answer === 'refused' && refusals < times;
    if (!refused || options.method !== method || !path.test(options.path)) return dispatch(options, handler);
    refusals += 1;
    return dispatch({ ...options, origin: closed }, handler);
  };
  const connections = new Connections();
  onTestFinished(() => connections.destroy());
  const http = cloudHttp(cloud.url, {
    dispatcher: connections.compose(refuse),
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    retryCount: 2,
    retryWaitMs: 20,
    retryMaxWaitMs: 100,
    ...(how === 'always' ? { circuitBreakerFailures: 2 } : {}),
  });
  const script =
    fault.answer === 'refused'
      ? undefined
      : cloud.script({
          method,
          path,
          times,
          answer: fault.answer,
          ...(fault.when === undefined ? {} : { when: 'after' }),
        });
  const hits = () => script?.hits ?? refusals;

  const tokens = new OidcToken({
    http,
    tokenFile,
    organization: 'acme',
    poolId: 'pool-1',
    clock: systemClock,
    onSecret: () => undefined,
  });
  const ran = [1, 2].map((step) => join(directory, `ran-${step}`));
  const go = [1, 2].map((step) => join(directory, `go-${step}`));
  const { agent, target, result } = await agentOf({
    cloud,
    config: {
      service_url: cloud.url,
      polling_interval: '2s',
      // What is not looked at should cost little.
      job_status_loop_interval: call === 'look for a cancel' ? '2s' : '30s',
      max_wait: call === 'poll' && (how === 'always' || expected === 'no-work') ? '20s' : '20m',
    },
    options: () => ({
      clock: fastClock(PACE[how]),
      ...(expected === 'lease-lost' ? LEASE : {}),
      http,
      tokens,
      pool: new PoolApi(http, tokens),
    }),
  });
  const enqueue = () =>
    cloud.enqueue({
      project: 'web',
      stack: 'dev',
      poolId: 'pool-1',
      job: jobOf(
        // The shell does it all by itself: six hundred runs start twelve hundred of them.
        ...PRINTED.map(
          (text, step) => `echo x >> ${ran[step]}; printf %s '${text}'; while [ ! -e ${go[step]} ]; do sleep 0.2; done`,
        ),
      ),
    });
  // The greeting follows a first poll that brought nothing.
  const early = call.startsWith('greeting') ? undefined : enqueue();
  const ending = agent.run();
  let over = false;
  void ending.finally(() => {
    over = true;
  });
  if (early === undefined) await cloud.waitFor(() => hits() > 0, 60_000);
  const deployment = early ?? enqueue();
  // A step lasts until the fault has struck, and has had its consequence.
  const enough = () => {
    if (over) return true;
    if (how === 'always' && expected !== 'succeeded') return false;
    if (call !== 'heartbeat' && call !== 'look for a cancel') return true;
    if (how === 'always') return hits() > 2;
    return hits() > 0 && (call === 'heartbeat' ? deployment.heartbeats.length > 0 : deployment.statusReads > 0);
  };
  const [first = '', second = ''] = go;
  if (call.startsWith('last')) await writeFile(first, '');
  while (!enough()) await systemClock.sleep(20, never);
  for (const each of [first, second]) await writeFile(each, '');
  const exitCode = await ending;
  const { steps } = deployment;
  const seen: Seen = {
    exitCode,
    result: await result(),
    deployment,
    hits: hits(),
    ran: await Promise.all(ran.map(async (file) => (await readFile(file, 'utf8').catch(() => '')).length / 2)),
    whole: PRINTED.every((text, at) => steps[at + 1]?.lines.map(({ l }) => l).join('') === text),
    removals: target.containers.map(({ removals }) => removals),
  };
  await Promise.all([cloud.stop(), connections.destroy()]);
  return seen;
}
