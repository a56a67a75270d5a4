import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoppedError, WaitTimeoutError } from '../../emulators/pulumi-cloud/changes.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';

const HEADERS = { accept: 'application/vnd.pulumi+8', 'user-agent': 'agent/1.2.3 (linux; x64)' };
const JOB = {
  image: { reference: 'pulumi/pulumi:latest' },
  steps: [
    { name: 'Setup', run: '' },
    { name: 'pulumi update', run: 'pulumi up' },
  ],
};
const T0 = '2026-06-18T10:00:00.123Z';

interface Claim {
  jobID: string;
  jobToken: string;
  oidcToken: string;
  runID: string;
  typeSpecificID: string;
  deploymentID: string;
}

describe('the Pulumi Cloud emulator', () => {
  let now: number;
  let cloud: PulumiCloud;
  let pool: string;
  const started: PulumiCloud[] = [];

  async function start(options: PulumiCloudOptions = {}): Promise<PulumiCloud> {
    const instance = await PulumiCloud.start(options);
    started.push(instance);
    return instance;
  }

  beforeEach(async () => {
    now = Date.parse('2026-06-18T10:00:00Z');
    cloud = await start({
      clock: () => now,
      pools: [
        { id: 'pool-1', name: 'one' },
        { id: 'pool-2', name: 'two' },
      ],
    });
    pool = cloud.createStaticToken('pool-1');
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((instance) => instance.stop()));
  });

  /** Calls as a well-behaved agent does; `headers` replaces single headers, an empty value leaves one out. */
  async function call(
    method: string,
    path: string,
    token: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const all = { ...HEADERS, authorization: `token ${token}`, 'content-type': 'application/json', ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const response = await fetch(`${cloud.url}${path}`, {
      method,
      headers: sent,
      // Bytes, as fetch adds a Content-Type of its own to a string.
      ...(body === undefined ? {} : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, body: json ? JSON.parse(text) : text };
  }

  function enqueue(stack = 'dev', job: unknown = JOB): Deployment {
    return cloud.enqueue({ project: 'web', stack, poolId: 'pool-1', job, oidcToken: 'eyJ.job' });
  }

  async function poll(token = pool): Promise<Claim> {
    const { status, body } = await call('GET', '/api/deployments/poll', token);
    expect(status).toBe(200);
    return body;
  }

  const setStatus = (claim: Claim, step: number, status: string) =>
    call('PATCH', `/api/workflow/jobs/${claim.jobID}/${step}/status`, claim.jobToken, { status });
  const sendLogs = (claim: Claim, step: number, offset: number, lines: unknown[]) =>
    call('POST', `/api/workflow/jobs/${claim.jobID}/${step}/logs`, claim.jobToken, { offset, lines });
  const heartbeat = (claim: Claim) => call('POST', `/api/workflow/jobs/${claim.jobID}/heartbeat`, claim.jobToken, {});
  const line = (l: string, t = T0) => ({ t, l });

  /** A claim whose step 0 is running. */
  async function runningStep(): Promise<{ deployment: Deployment; claim: Claim }> {
    const deployment = enqueue();
    const claim = await poll();
    expect((await setStatus(claim, 0, 'running')).status).toBe(200);
    return { deployment, claim };
  }

  async function expectViolation(answer: Promise<{ status: number }>, status: number, text: RegExp): Promise<void> {
    const before = cloud.violations.length;
    cloud.allow(text);
    expect((await answer).status).toBe(status);
    expect(cloud.violations.slice(before)).toEqual([expect.stringMatching(text)]);
  }

  describe('a whole run', () => {
    it('goes from queued to succeeded, with everything on record and no violation', async () => {
      const deployment = enqueue();
      expect(deployment).toMatchObject({ status: 'not-started', version: 1, claimedBy: undefined });

      expect(await call('GET', '/api/background-activities/token', pool)).toMatchObject({
        status: 200,
        body: { token: expect.any(String), expiration: '2026-06-18T11:00:00.000Z' },
      });
      const configuration = await call('POST', '/api/background-activities/configuration', pool);
      expect(configuration.body).toContainEqual({
        kind: 'deployment',
        interval: 60,
        concurrency: 1,
        enabled: true,
        agentPools: [{ id: 'pool-1', name: 'one', description: '' }],
      });

      const claim = await poll();
      expect(claim).toEqual({
        jobID: deployment.jobId,
        jobToken: expect.stringMatching(/^pul-/),
        oidcToken: 'eyJ.job',
        runID: deployment.runId,
        typeSpecificID: deployment.id,
        deploymentID: deployment.id,
      });
      expect(deployment).toMatchObject({ status: 'accepted', claimedBy: 'pool-token-2', claimedAt: now });

      const { jobToken: _, oidcToken: __, ...ids } = claim;
      expect((await call('POST', '/api/agent-workflows/deployment', pool, ids)).status).toBe(200);
      expect(deployment.acknowledged).toBe(true);

      const job = await call('GET', `/api/workflow/jobs/${claim.jobID}`, claim.jobToken);
      expect(job.body).toEqual(JOB);

      await setStatus(claim, 0, 'running');
      expect(await call('GET', `/api/deployments/${deployment.id}/status`, pool)).toEqual({
        status: 200,
        body: 'running',
      });
      now += 1000;
      expect((await heartbeat(claim)).status).toBe(200);
      expect((await sendLogs(claim, 0, 0, [line('pull\n'), line('created\n')])).status).toBe(200);
      await setStatus(claim, 0, 'succeeded');
      await setStatus(claim, 1, 'running');
      // The official runner sends no Content-Type.
      const path = `/api/workflow/jobs/${claim.jobID}/1/logs`;
      const bare = await call(
        'POST',
        path,
        claim.jobToken,
        { offset: 0, lines: [line('up\n'), line('no line feed')] },
        { 'content-type': '' },
      );
      expect(bare.status).toBe(200);
      await setStatus(claim, 1, 'succeeded');

      const check = await call('POST', `/api/agent-workflows/deployment:${deployment.id}/check`, pool);
      expect(check.body).toEqual({ id: deployment.id, status: 'succeeded', complete: true });
      expect(cloud.deployment(deployment.id)).toMatchObject({
        status: 'succeeded',
        endReason: 'steps',
        heartbeats: [now],
        jobReads: 1,
        statusReads: 2,
        steps: [
          {
            status: 'succeeded',
            statusHistory: [
              { status: 'running', at: now - 1000 },
              { status: 'succeeded', at: now },
            ],
            lines: [line('pull\n'), line('created\n')],
            logCalls: [{ offset: 0, count: 2, at: now, bytes: expect.any(Number) }],
          },
          { lines: [line('up\n'), line('no line feed')], duplicates: 0, statusDuplicates: 0 },
        ],
      });
    });

    it('fails when a step fails, and the later steps stay not-started', async () => {
      const { deployment, claim } = await runningStep();
      await setStatus(claim, 0, 'failed');
      expect(deployment).toMatchObject({ status: 'failed', endReason: 'steps' });
      expect(deployment.steps.map((step) => step.status)).toEqual(['failed', 'not-started']);
    });

    it('sends a malformed job as it is, and still has a step 0 to report its failure on', async () => {
      const deployment = enqueue('dev', { steps: 'none' });
      const claim = await poll();
      expect((await call('GET', `/api/workflow/jobs/${claim.jobID}`, claim.jobToken)).body).toEqual({ steps: 'none' });
      await setStatus(claim, 0, 'running');
      await setStatus(claim, 0, 'failed');
      expect(deployment.status).toBe('failed');
    });

    it('journals every request without its token', async () => {
      enqueue();
      await poll();
      await call('GET', '/api/deployments/poll?x=1', 'pul-unknown');
      expect(cloud.requests).toEqual([
        expect.objectContaining({
          at: now,
          method: 'GET',
          path: '/api/deployments/poll',
          status: 200,
          tokenKind: 'pool',
          tokenId: 'pool-token-2',
        }),
        expect.objectContaining({ path: '/api/deployments/poll', status: 401, tokenKind: 'none', tokenId: undefined }),
      ]);
      const journal = JSON.stringify(cloud.requests);
      expect(cloud.issuedTokens).toHaveLength(3);
      for (const token of cloud.issuedTokens) expect(journal).not.toContain(token);
    });
  });

  describe('every call', () => {
    it('must be a known one', async () => {
      await expectViolation(
        call('GET', '/api/deployments/executor', pool),
        404,
        /^GET \/api\/deployments\/executor: there is no such call$/,
      );
    });

    it('must be of the right method', async () => {
      await expectViolation(call('POST', '/api/deployments/poll', pool, {}), 404, /no such call/);
    });

    it('must accept Pulumi’s media type', async () => {
      await expectViolation(
        call('GET', '/api/deployments/poll', pool, undefined, { accept: 'application/json' }),
        406,
        /Accept/,
      );
    });

    it.each(['node', 'agent/1.0', 'agent (linux; x64)'])('must name its client, unlike %s', async (userAgent) => {
      await expectViolation(
        call('GET', '/api/deployments/poll', pool, undefined, { 'user-agent': userAgent }),
        400,
        /User-Agent/,
      );
    });

    it('must authorize itself', async () => {
      await expectViolation(
        call('GET', '/api/deployments/poll', '', undefined, { authorization: '' }),
        401,
        /Authorization/,
      );
    });

    it('must use the scheme token', async () => {
      await expectViolation(
        call('GET', '/api/deployments/poll', '', undefined, { authorization: `Bearer ${pool}` }),
        401,
        /Authorization/,
      );
    });

    it('is refused with an unknown token, which is no violation', async () => {
      const answer = await call('GET', '/api/deployments/poll', 'pul-0');
      expect(answer).toEqual({ status: 401, body: { code: 401, message: expect.any(String) } });
    });

    it('must send JSON as JSON or without a type', async () => {
      const { claim } = await runningStep();
      const path = `/api/workflow/jobs/${claim.jobID}/heartbeat`;
      await expectViolation(
        call('POST', path, claim.jobToken, {}, { 'content-type': 'text/plain' }),
        415,
        /text\/plain/,
      );
    });

    it('must send JSON that can be read, and is not quoted when it can’t', async () => {
      const { claim } = await runningStep();
      await expectViolation(
        call('POST', `/api/workflow/jobs/${claim.jobID}/heartbeat`, claim.jobToken, '{"secret'),
        400,
        /\(8 bytes\) is not JSON$/,
      );
    });

    it('must not send a body without end', async () => {
      const { claim } = await runningStep();
      const body = Buffer.alloc(8 * 1024 * 1024 + 1).toString();
      await expectViolation(
        call('POST', `/api/workflow/jobs/${claim.jobID}/heartbeat`, claim.jobToken, body),
        413,
        /too large/,
      );
    });
  });

  describe('the kind of token', () => {
    it.each([
      ['GET', '/api/deployments/poll'],
      ['GET', '/api/deployments/ID/status'],
      ['GET', '/api/background-activities/token'],
      ['POST', '/api/background-activities/configuration'],
      ['POST', '/api/agent-workflows/deployment'],
      ['POST', '/api/agent-workflows/deployment:ID/check'],
    ])('of %s %s is the pool’s', async (method, path) => {
      const { deployment, claim } = await runningStep();
      for (const token of [claim.jobToken, cloud.userToken]) {
        await expectViolation(
          call(method, path.replace('ID', deployment.id), token),
          403,
          /takes a pool token, not a (job|user)/,
        );
      }
    });

    it.each([
      ['GET', ''],
      ['PATCH', '/0/status'],
      ['POST', '/0/logs'],
      ['POST', '/heartbeat'],
    ])('of %s /api/workflow/jobs/…%s is the job’s', async (method, path) => {
      const { claim } = await runningStep();
      for (const token of [pool, cloud.userToken]) {
        await expectViolation(
          call(method, `/api/workflow/jobs/${claim.jobID}${path}`, token),
          403,
          /takes a job token, not a (pool|user)/,
        );
      }
    });

    it('of the user’s calls is the user’s', async () => {
      await expectViolation(call('GET', '/api/orgs/acme/agent-pools', pool), 403, /takes a user token/);
    });

    it('does not open another claim’s job', async () => {
      enqueue('one');
      enqueue('two');
      const [first, second] = [await poll(), await poll()];
      await expectViolation(call('GET', `/api/workflow/jobs/${first.jobID}`, second.jobToken), 403, /another job/);
    });

    it('does not open another pool’s deployment', async () => {
      const { id } = enqueue();
      await expectViolation(
        call('GET', `/api/deployments/${id}/status`, cloud.createStaticToken('pool-2')),
        403,
        /not of the token's pool/,
      );
    });

    it('does not open what is not there', async () => {
      const { claim } = await runningStep();
      await expectViolation(call('GET', '/api/deployments/nothing/status', pool), 404, /no deployment/);
      await expectViolation(call('GET', '/api/workflow/jobs/nothing', claim.jobToken), 404, /no job/);
      await expectViolation(setStatus(claim, 2, 'running'), 404, /no step 2/);
    });
  });

  describe('the queue', () => {
    it('claims in order, once, and one deployment of a stack at a time', async () => {
      const [first, second, other] = [enqueue('a'), enqueue('a'), enqueue('b')];
      cloud.enqueue({ project: 'web', stack: 'c', poolId: 'pool-2', job: JOB });
      const claim = await poll();
      expect(claim.typeSpecificID).toBe(first.id);
      expect((await poll()).typeSpecificID).toBe(other.id);
      expect(await call('GET', '/api/deployments/poll', pool)).toEqual({ status: 204, body: '' });
      await setStatus(claim, 0, 'running');
      await setStatus(claim, 0, 'failed');
      expect((await poll()).typeSpecificID).toBe(second.id);
      expect(second.version).toBe(2);
    });

    it('never claims the same deployment twice, however many ask at once', async () => {
      for (let index = 0; index < 5; index += 1) enqueue(`stack-${index}`);
      const answers = await Promise.all(Array.from({ length: 10 }, () => call('GET', '/api/deployments/poll', pool)));
      const claimed = answers.filter(({ status }) => status === 200).map(({ body }) => body.typeSpecificID);
      expect(new Set(claimed).size).toBe(5);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(5);
    });

    it('skips what was queued for more than a week', async () => {
      const deployment = enqueue();
      now += 7 * 24 * 3_600_000 + 1;
      expect((await call('GET', '/api/deployments/poll', pool)).status).toBe(204);
      expect(deployment).toMatchObject({ status: 'skipped', endReason: 'queued-too-long' });
    });

    it('refuses an acknowledgement of something else than the claim', async () => {
      const { deployment, claim } = await runningStep();
      const ids = { jobID: claim.jobID, runID: 'other', typeSpecificID: deployment.id };
      await expectViolation(call('POST', '/api/agent-workflows/deployment', pool, ids), 400, /not those of a claim/);
      await expectViolation(
        call('POST', '/api/agent-workflows/deployment', pool, { jobID: claim.jobID }),
        400,
        /runID/,
      );
    });

    it('must never be asked for a lease', async () => {
      await expectViolation(
        call('POST', '/api/background-activities/worker/lease/acquire', pool),
        403,
        /never acquire/,
      );
    });
  });

  describe('heartbeats', () => {
    it('keep a deployment alive, and their lack fails it at the next call', async () => {
      const { deployment, claim } = await runningStep();
      now += 600_000;
      await heartbeat(claim);
      now += 600_000;
      expect((await call('GET', `/api/deployments/${deployment.id}/status`, pool)).body).toBe('running');
      now += 1;
      expect((await call('GET', `/api/deployments/${deployment.id}/status`, pool)).body).toBe('failed');
      expect(deployment.endReason).toBe('heartbeat-timeout');
      expect((await heartbeat(claim)).status).toBe(410);
      expect(deployment.lateHeartbeats).toBe(1);
      expect((await setStatus(claim, 0, 'succeeded')).status).toBe(200);
      await expectViolation(setStatus(claim, 1, 'running'), 409, /after the deployment was failed/);
    });

    it('are missed by the emulator itself, with nobody calling', async () => {
      cloud = await start({ heartbeatTimeoutMs: 40 });
      pool = cloud.createStaticToken('pool-1');
      const deployment = enqueue();
      await poll();
      await cloud.waitFor(() => deployment.status === 'failed');
      expect(deployment.endReason).toBe('heartbeat-timeout');
    });

    it('must stop at the job’s end, once the agent has been told', async () => {
      const { deployment, claim } = await runningStep();
      await setStatus(claim, 0, 'failed');
      now += 250;
      expect((await heartbeat(claim)).status).toBe(200);
      now += 1;
      await expectViolation(heartbeat(claim), 410, /251 ms after the job's end/);
      expect(deployment.heartbeats).toEqual([]);
    });

    it('may go on while the answer to the last report is missing', async () => {
      const { claim } = await runningStep();
      cloud.script({ method: 'PATCH', path: /\/0\/status$/, when: 'after', answer: { status: 503 } });
      expect((await setStatus(claim, 0, 'failed')).status).toBe(503);
      now += 60_000;
      expect((await heartbeat(claim)).status).toBe(200);
      expect((await setStatus(claim, 0, 'failed')).status).toBe(200);
      now += 1000;
      await expectViolation(heartbeat(claim), 410, /after the job's end/);
    });

    it('hold nothing but {}', async () => {
      const { claim } = await runningStep();
      await expectViolation(
        call('POST', `/api/workflow/jobs/${claim.jobID}/heartbeat`, claim.jobToken, { id: 1 }),
        400,
        /body: unknown id$/,
      );
    });
  });

  describe('cancelling', () => {
    it('fails a running deployment, whose steps may still be reported', async () => {
      const { deployment, claim } = await runningStep();
      await setStatus(claim, 0, 'succeeded');
      await setStatus(claim, 1, 'running');
      cloud.cancel(deployment.id);
      expect((await call('GET', `/api/deployments/${deployment.id}/status`, pool)).body).toBe('failed');
      now += 30_000;
      expect((await heartbeat(claim)).status).toBe(200);
      expect((await sendLogs(claim, 1, 0, [line('interrupted\n')])).status).toBe(200);
      expect((await setStatus(claim, 1, 'succeeded')).status).toBe(200);
      expect(deployment).toMatchObject({ status: 'failed', endReason: 'cancelled', endedAt: now - 30_000 });
      expect(deployment.steps[1]).toMatchObject({ status: 'succeeded', lines: [line('interrupted\n')] });
    });

    it('takes a queued deployment out of the queue, and can be done once', async () => {
      const deployment = enqueue();
      cloud.cancel(deployment.id);
      expect((await call('GET', '/api/deployments/poll', pool)).status).toBe(204);
      expect(() => cloud.cancel(deployment.id)).toThrow(/not found/);
    });
  });

  describe('a step', () => {
    it('goes from not-started to running to its end, and nowhere else', async () => {
      const deployment = enqueue();
      const claim = await poll();
      await expectViolation(setStatus(claim, 0, 'succeeded'), 409, /from not-started to succeeded/);
      await expectViolation(setStatus(claim, 0, 'not-started'), 400, /status/);
      await setStatus(claim, 0, 'running');
      await setStatus(claim, 0, 'succeeded');
      await expectViolation(setStatus(claim, 0, 'running'), 409, /from succeeded to running/);
      await expectViolation(setStatus(claim, 0, 'failed'), 409, /from succeeded to failed/);
      expect(deployment.steps[0]?.status).toBe('succeeded');
    });

    it('may be reported again by a retry, which is counted', async () => {
      const { deployment, claim } = await runningStep();
      expect((await setStatus(claim, 0, 'running')).status).toBe(200);
      expect(deployment.steps[0]).toMatchObject({ statusDuplicates: 1, statusHistory: [{ status: 'running' }] });
    });

    it('starts only when the one before has succeeded', async () => {
      const { claim } = await runningStep();
      await expectViolation(setStatus(claim, 1, 'running'), 409, /step 1 started while step 0 is running/);
    });
  });

  describe('a log call', () => {
    it('goes on where the step’s log ends', async () => {
      const { deployment, claim } = await runningStep();
      await sendLogs(claim, 0, 0, [line('a\n')]);
      await expectViolation(sendLogs(claim, 0, 2, [line('c\n')]), 409, /has 1 lines, the call's offset is 2/);
      await expectViolation(sendLogs(claim, 0, 0, [line('other\n')]), 409, /line 0 is not what it was/);
      const later = line('a\n', '2026-06-18T10:00:00.124Z');
      await expectViolation(sendLogs(claim, 0, 0, [later]), 409, /line 0 is not what it was/);
      expect(deployment.steps[0]?.lines).toEqual([line('a\n')]);
    });

    it('may be repeated by a retry, which is counted and not stored', async () => {
      const { deployment, claim } = await runningStep();
      await sendLogs(claim, 0, 0, [line('a\n'), line('b\n')]);
      expect((await sendLogs(claim, 0, 0, [line('a\n'), line('b\n')])).status).toBe(200);
      // A retry that was halved.
      expect((await sendLogs(claim, 0, 1, [line('b\n')])).status).toBe(200);
      expect(deployment.steps[0]).toMatchObject({ duplicates: 2, lines: [line('a\n'), line('b\n')] });
      expect(deployment.steps[0]?.logCalls).toHaveLength(1);
      await expectViolation(
        sendLogs(claim, 0, 1, [line('b\n'), line('c\n')]),
        409,
        /more lines than the one it repeats/,
      );
    });

    it('has 1,000 lines at most', async () => {
      const { deployment, claim } = await runningStep();
      const lines = Array.from({ length: 1001 }, () => line('x\n'));
      await expectViolation(sendLogs(claim, 0, 0, lines), 413, /1001 lines/);
      expect((await sendLogs(claim, 0, 0, lines.slice(1))).status).toBe(200);
      expect(deployment.steps[0]?.lines).toHaveLength(1000);
    });

    it('has 256 KiB and its envelope at most', async () => {
      const { claim } = await runningStep();
      await expectViolation(sendLogs(claim, 0, 0, [line(`${'x'.repeat(320 * 1024)}\n`)]), 413, /bytes/);
      expect((await sendLogs(claim, 0, 0, [line(`${'x'.repeat(256 * 1024)}\n`)])).status).toBe(200);
    });

    it('is held to a lower limit of the service’s own without being a violation', async () => {
      cloud = await start({ logLimit: { lines: 2, bytes: 200 } });
      pool = cloud.createStaticToken('pool-1');
      const { claim } = await runningStep();
      const long = line('x'.repeat(200));
      expect((await sendLogs(claim, 0, 0, [line('1\n'), line('2\n'), long])).status).toBe(413);
      expect((await sendLogs(claim, 0, 0, [line('1\n'), line('2\n')])).status).toBe(200);
      expect((await sendLogs(claim, 0, 2, [long])).status).toBe(413);
      expect((await sendLogs(claim, 0, 2, [line('x\n'), line('x\n')])).status).toBe(200);
    });

    it('keeps the line feeds, but for the last line of a step', async () => {
      const { claim } = await runningStep();
      await expectViolation(
        sendLogs(claim, 0, 0, [line('a'), line('b\n')]),
        400,
        /line 0 .* does not end in a line feed/,
      );
      await sendLogs(claim, 0, 0, [line('a')]);
      await expectViolation(sendLogs(claim, 0, 1, [line('b\n')]), 400, /line 0 .* does not end in a line feed/);
    });

    it('has one line to an entry', async () => {
      const { claim } = await runningStep();
      await expectViolation(sendLogs(claim, 0, 0, [line('a\nb\n')]), 400, /line 0 .* more than one line/);
    });

    it.each(['2026-06-18T10:00:00Z', '2026-06-18T10:00:00.123456Z', '2026-06-18 10:00:00.123Z', 'now'])(
      'has times of RFC 3339 with milliseconds, unlike %s',
      async (t) => {
        const { claim } = await runningStep();
        await expectViolation(sendLogs(claim, 0, 0, [line('a\n', t)]), 400, /lines\.0\.t/);
      },
    );

    it('has times that do not go back', async () => {
      const { claim } = await runningStep();
      await sendLogs(claim, 0, 0, [line('a\n', '2026-06-18T10:00:01.000Z')]);
      await expectViolation(sendLogs(claim, 0, 1, [line('b\n', '2026-06-18T10:00:00.999Z')]), 400, /older/);
      expect((await sendLogs(claim, 0, 1, [line('b\n', '2026-06-18T12:00:01.000+02:00')])).status).toBe(200);
      expect((await sendLogs(claim, 0, 2, [line('c\n', '2026-06-18T10:00:01.001Z')])).status).toBe(200);
    });

    it('is of a running step', async () => {
      const { claim } = await runningStep();
      await expectViolation(sendLogs(claim, 1, 0, [line('a\n')]), 409, /while not-started/);
      await setStatus(claim, 0, 'succeeded');
      await expectViolation(sendLogs(claim, 0, 0, [line('a\n')]), 409, /while succeeded/);
    });

    it.each([
      { offset: -1, lines: [line('a\n')] },
      { offset: 0, lines: [] },
      { offset: 0 },
      { offset: 0, lines: [{ ...line('a\n'), level: 1 }] },
    ])('has the protocol’s shape, unlike %j', async (body) => {
      const { claim } = await runningStep();
      const path = `/api/workflow/jobs/${claim.jobID}/0/logs`;
      await expectViolation(call('POST', path, claim.jobToken, body), 400, /not what the protocol shows/);
    });

    it('is the only one of its step in flight', async () => {
      const { deployment, claim } = await runningStep();
      const path = `/api/workflow/jobs/${claim.jobID}/0/logs`;
      const body = JSON.stringify({ offset: 0, lines: [line('a\n')] });
      const headers = { ...HEADERS, authorization: `token ${claim.jobToken}`, 'content-length': body.length };
      const { promise: slow, resolve, reject } = Promise.withResolvers<number | undefined>();
      const request = httpRequest(`${cloud.url}${path}`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).once('error', reject);
      request.write(body.slice(0, 5));
      await cloud.waitFor(() => cloud.requests.at(-1)?.path === path);
      await expectViolation(sendLogs(claim, 0, 0, [line('a\n')]), 409, /2 log calls in flight/);
      request.end(body.slice(5));
      expect(await slow).toBe(200);
      expect((await sendLogs(claim, 0, 1, [line('b\n')])).status).toBe(200);
      expect(deployment.steps[0]?.lines).toEqual([line('a\n'), line('b\n')]);
    });

    it('that its client gave up is neither in flight nor a violation', async () => {
      const { claim } = await runningStep();
      const path = `/api/workflow/jobs/${claim.jobID}/0/logs`;
      const headers = { ...HEADERS, authorization: `token ${claim.jobToken}`, 'content-length': 100 };
      const request = httpRequest(`${cloud.url}${path}`, { method: 'POST', headers }).on('error', () => {});
      request.write('{"off');
      await cloud.waitFor(() => cloud.requests.at(-1)?.path === path);
      request.destroy();
      await cloud.waitFor(() => cloud.requests.at(-1)?.abandoned);
      expect((await sendLogs(claim, 0, 0, [line('a\n')])).status).toBe(200);
    });
  });

  describe('scripts', () => {
    it('answer before a call is processed, as often as told', async () => {
      const deployment = enqueue();
      const script = cloud.script({
        method: 'GET',
        path: /poll$/,
        times: 2,
        answer: { status: 429, headers: { 'retry-after': '7', 'content-type': 'text/html' }, body: '<h1>later</h1>' },
      });
      const headers = { ...HEADERS, authorization: `token ${pool}` };
      const response = await fetch(`${cloud.url}/api/deployments/poll`, { headers });
      expect(response.headers.get('retry-after')).toBe('7');
      expect(await response.text()).toBe('<h1>later</h1>');
      expect((await call('GET', '/api/deployments/poll', pool)).status).toBe(429);
      expect(script.hits).toBe(2);
      expect(deployment.status).toBe('not-started');
      expect((await poll()).typeSpecificID).toBe(deployment.id);
      expect(cloud.requests.map(({ scripted }) => scripted)).toEqual(['before', 'before', undefined]);
    });

    it('cut the connection after a call was processed', async () => {
      const { deployment, claim } = await runningStep();
      cloud.script({ method: 'POST', path: /\/logs$/, when: 'after', answer: 'reset' });
      await expect(sendLogs(claim, 0, 0, [line('a\n')])).rejects.toThrow('fetch failed');
      expect(deployment.steps[0]?.lines).toEqual([line('a\n')]);
      expect(cloud.requests.at(-1)).toMatchObject({ status: 0, scripted: 'after' });
      expect((await sendLogs(claim, 0, 0, [line('a\n')])).status).toBe(200);
      expect(deployment.steps[0]?.duplicates).toBe(1);
    });

    it('leave a call hanging until its client gives up, and are narrowed and removed', async () => {
      const script = cloud.script({
        method: 'GET',
        path: /poll$/,
        times: Number.POSITIVE_INFINITY,
        matches: ({ headers }) => headers['user-agent'] === 'slow/1 (linux; x64)',
        answer: 'hang',
      });
      const abort = new AbortController();
      const hanging = fetch(`${cloud.url}/api/deployments/poll`, {
        headers: { ...HEADERS, authorization: `token ${pool}`, 'user-agent': 'slow/1 (linux; x64)' },
        signal: abort.signal,
      });
      await cloud.waitFor(() => script.hits === 1);
      expect((await call('GET', '/api/deployments/poll', pool)).status).toBe(204);
      abort.abort();
      await expect(hanging).rejects.toThrow(/abort/);
      await cloud.waitFor(() => cloud.requests[0]?.abandoned);
      script.remove();
      expect((await call('GET', '/api/deployments/poll', pool)).status).toBe(204);
    });
  });

  describe('waiting and stopping', () => {
    it('resolves with what the predicate returns as soon as the state is there', async () => {
      const deployment = enqueue();
      const claimed = cloud.waitFor(() => deployment.claimedBy);
      await poll();
      expect(await claimed).toBe('pool-token-2');
    });

    it('gives up with the state in the message', async () => {
      enqueue('slow');
      const error = await cloud.waitFor(() => false, 1).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(WaitTimeoutError);
      expect(String(error)).toMatch(/slow is not-started \(steps: not-started, not-started\)/);
    });

    it('hands on what the predicate throws', async () => {
      await expect(cloud.waitFor(() => cloud.deployment('nothing'))).rejects.toThrow(/there is none/);
    });

    it('takes no asynchronous predicate, which would always be true', async () => {
      await expect(cloud.waitFor(async () => false)).rejects.toThrow(/asynchronous/);
    });

    it('ends hanging calls and waiters, and takes no more', async () => {
      cloud.script({ method: 'GET', path: /poll$/, answer: 'hang' });
      const hanging = call('GET', '/api/deployments/poll', pool).catch((error: unknown) => error);
      await cloud.waitFor(() => cloud.requests.length === 1);
      const waiting = cloud.waitFor(() => false).catch((error: unknown) => error);
      await cloud.stop();
      expect(await hanging).toBeInstanceOf(TypeError);
      expect(await waiting).toBeInstanceOf(StoppedError);
      await expect(call('GET', '/api/deployments/poll', pool)).rejects.toThrow('fetch failed');
    });
  });
});
