import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { PoolApi } from '../../../src/cloud/deployments.ts';
import { OidcToken } from '../../../src/cloud/token-exchange.ts';
import type { Issuer } from '../../emulators/github/issuer.ts';
import type { Script } from '../../emulators/pulumi-cloud/faults.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { AUDIENCE, signedIdToken, tokenFile, trust } from '../../support/cloud/id-token.ts';
import { fastClock } from '../../support/job/fast-clock.ts';

/** The agent's seconds in one of ours, and how many of them a fault lasts. */
const PACE = 60;
const LASTS_MS = 45_000;
/** What the steps print: more than one log call carries at first. */
const PRINTED = ['line', 'again'].map((word) => Array.from({ length: 130 }, (_, at) => `${word} ${at}\n`).join(''));

/** Which calls meet with a fault, and with which. */
export interface Fault extends Pick<Script, 'method' | 'path' | 'matches' | 'when' | 'answer'> {
  /** It is made while a step runs: the steps wait until the fault is over. */
  readonly isWhileRunning?: boolean;
  /** It strikes so often at least, however slow the machine is. */
  readonly atLeast?: number;
}

/** Serves a job by the whole agent while a fault strikes for 45 s from its first call on. Returns what must stay the same, and what was said. */
export async function served({ isWhileRunning = false, atLeast = 0, ...fault }: Fault, issuer: Issuer) {
  const clock = fastClock(PACE);
  const cloud = await PulumiCloud.start({
    clock: () => clock.now(),
    // Of the agent's milliseconds: one may be on its way.
    heartbeatGraceMs: 60_000,
  });
  // After a 401 to the first call the pool's token is tried.
  cloud.allow(/not a (?:pool|job) token/);
  onTestFinished(() => cloud.stop());
  const rules = { aud: AUDIENCE, sub: 'web' };
  trust(cloud, issuer, { decision: 'allow', tokenType: 'runner', runnerID: 'pool-1', rules });
  const directory = await folder();
  // By the agent's clock it lives for hours.
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
      // What takes a refused line's place must not be what the service takes first.
      const isEnough = clock.steady() - since >= LASTS_MS && strikes >= atLeast;
      isOver ||= isEnough && !request.text.includes('is missing here');
      strikes += 1;
      return !isOver;
    },
  });
  const http = cloudHttp(cloud.url, { requestTimeoutMs: 3_000, retryCount: 0 });
  const tokens = new OidcToken({
    http,
    tokenFile: await tokenFile(await signedIdToken(issuer, { sub: 'web', exp })),
    organization: 'acme',
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
  // What strikes while a step runs is over before the step is; what strikes at its end needs that end.
  const isGivenUp = () => log.some((line) => line.includes('falling back to check'));
  while (isWhileRunning && !isOver && !isGivenUp()) await lasts();
  await writeFile(join(directory, 'go'), '');
  while ((await result()) === undefined) await lasts();
  send('SIGTERM');
  await ending;
  const run = await result();
  return {
    end: {
      outcome: run?.outcome,
      reported: run?.reported,
      ran: await Promise.all(steps.map((_, at) => readFile(join(directory, `ran-${at}`), 'utf8').catch(() => ''))),
      interrupted: target.containers.flatMap(({ signals }) => signals),
      told: deployment.steps.map(({ statusHistory }) => statusHistory.map(({ status }) => status)),
      undelivered: run?.steps.map(({ cloud: { undelivered } }) => undelivered),
      whole: PRINTED.every((text, at) => deployment.steps[at + 1]?.lines.map(({ l }) => l).join('') === text),
    },
    said: log.filter((line) => /^warning: |works again|falling back to check/.test(line)),
    traces: log.filter((line) => line.includes('store.js')),
    struck: since !== undefined,
  };
}

/** The end of every job whose steps are well, whatever becomes of the calls about it. */
export const WELL = {
  outcome: 'succeeded',
  reported: true,
  ran: ['x\n', 'x\n'],
  interrupted: [],
  told: Array(3).fill(['running', 'succeeded']),
  undelivered: [0, 0, 0],
  whole: true,
};
