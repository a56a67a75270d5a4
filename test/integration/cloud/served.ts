import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { PoolApi } from '../../../src/cloud/pool-api.ts';
import { OidcToken } from '../../../src/cloud/token-exchange.ts';
import type { Issuer } from '../../emulators/github/issuer.ts';
import type { Script } from '../../emulators/pulumi-cloud/faults.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { AUDIENCE, signedIdToken, tokenFile, trust } from '../../support/cloud/id-token.ts';
import { fastClock } from '../../support/job/fast-clock.ts';

/** The agent's seconds per real second, and the agent's milliseconds that a fault lasts. */
const PACE = 60;
const LASTS_MS = 45_000;
/** What the steps print: more than the first log call can carry. */
const PRINTED = ['line', 'again'].map((word) =>
  Array.from({ length: 130 }, (_, at) => `${word} ${at}\n`).join(''),
);

/** Which calls fail, and how. */
export interface Fault extends Pick<Script, 'method' | 'path' | 'matches' | 'when' | 'answer'> {
  /** The call is made while a step runs, so the steps wait until the fault is over. */
  readonly isWhileRunning?: boolean;
  /** The fault strikes at least this often, however slow the machine is. */
  readonly atLeast?: number;
}

/** Runs the agent on a job; a fault strikes for 45 s from its first call on. Returns the end and what was logged. */
export async function served({ isWhileRunning = false, atLeast = 0, ...fault }: Fault, issuer: Issuer) {
  const clock = fastClock(PACE);
  const cloud = await PulumiCloud.start({
    clock: () => clock.now(),
    // In the agent's milliseconds: a heartbeat may be under way when the job ends.
    heartbeatGraceMs: 60_000,
  });
  // After a 401 to its first call, the agent tries the pool's token.
  cloud.allow(/not a (?:pool|job) token/);
  onTestFinished(() => cloud.stop());
  const rules = { aud: AUDIENCE, sub: 'web' };
  trust(cloud, issuer, { decision: 'allow', tokenType: 'runner', runnerID: 'pool-1', rules });
  const directory = await folder();
  // Valid for hours by the agent's clock.
  const exp = Math.floor(Date.now() / 1000) + 20_000;
  let since: number | undefined;
  let strikes = 0;
  let isOver = false;
  cloud.script({
    ...fault,
    times: Number.POSITIVE_INFINITY,
    matches: (request) => {
      if (fault.matches?.(request) === false) return false;
      since ??= clock.steady();
      // On a slow machine a line is announced as refused: the fault is over for the line first.
      const isEnough = clock.steady() - since >= LASTS_MS && strikes >= atLeast;
      isOver ||= isEnough && !request.text.includes('refused a line of');
      strikes += 1;
      return !isOver;
    },
  });
  const http = cloudHttp(cloud.url, { requestTimeoutMs: 3_000, retryCount: 0 });
  const tokens = new OidcToken({
    http,
    tokenFile: await tokenFile(await signedIdToken(issuer, { sub: 'web', exp })),
    organization: 'acme',
    audience: 'urn:pulumi:org:acme',
    poolId: 'pool-1',
    clock: systemClock,
    onSecret: () => undefined,
  });
  const config = { single_run: 'false', polling_interval: '5s', job_status_loop_interval: '10s' };
  const { agent, target, result, send, log } = await agentOf({
    cloud,
    config,
    options: { clock, http, tokens, pool: new PoolApi(http, tokens) },
  });
  const steps = PRINTED.map(
    (text, at) =>
      `echo x >> ${directory}/ran-${at}; printf %s '${text}'; until [ -e ${directory}/go ]; do sleep 0.2; done`,
  );
  const deployment = cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: jobOf(...steps) });
  const ending = agent.run();
  const lasts = () => systemClock.sleep(20, never);
  // A fault during a step is over before the step is; a fault at its end needs that end.
  while (isWhileRunning && !isOver) await lasts();
  await writeFile(join(directory, 'go'), '');
  while ((await result()) === undefined) await lasts();
  send('SIGTERM');
  await ending;
  const run = await result();
  return {
    end: {
      outcome: run?.outcome,
      reported: run?.reported,
      ran: await Promise.all(
        steps.map((_, at) => readFile(join(directory, `ran-${at}`), 'utf8').catch(() => '')),
      ),
      interrupted: target.containers.flatMap(({ signals }) => signals),
      told: deployment.steps.map(({ statusHistory }) => statusHistory.map(({ status }) => status)),
      undelivered: run?.steps.map(({ cloud: { undelivered } }) => undelivered),
      whole: PRINTED.every((text, at) => deployment.steps[at + 1]?.lines.map(({ l }) => l).join('') === text),
    },
    said: log.filter((line) => /^warning: |works again|uses the call check instead/.test(line)),
    traces: log.filter((line) => line.includes('store.js')),
    struck: since !== undefined,
  };
}

/** How every job ends whose steps are well, whatever happens to the calls about it. */
export const WELL = {
  outcome: 'succeeded',
  reported: true,
  ran: ['x\n', 'x\n'],
  interrupted: [],
  told: Array(3).fill(['running', 'succeeded']),
  undelivered: [0, 0, 0],
  whole: true,
};
