import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../src/record/reader.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { type EngineProxy, startEngineProxy } from '../support/docker/engine-proxy.ts';
import { startAgent } from '../support/e2e/agent-process.ts';
import { POLL, useConfiguredAgent } from '../support/e2e/configured-agent.ts';
import type { Settings } from '../support/e2e/key-settings.ts';
import { enqueue, filesBelow } from '../support/e2e/stage.ts';

const agent = useConfiguredAgent();
const { stage } = agent;

const PRINTED_BYTES = 10_000_000;
/**
 * Collects garbage on each SIGUSR2 and prints the bytes that the agent keeps, in its heap and outside. Resident memory also
 * holds garbage that a busy machine has not collected yet.
 */
const COLLECTING = `--expose-gc --import=data:text/javascript,${encodeURIComponent(`
  let times = 0;
  process.on('SIGUSR2', () => {
    gc();
    gc();
    const { heapUsed, external } = process.memoryUsage();
    times += 1;
    process.stderr.write('kept after ' + times + ' collections: ' + (heapUsed + external) + '\\n');
  });
`)}`;

/** Starts an agent that polls often, with these additional keys. */
const start = (keys: Settings = {}, options: Parameters<typeof agent.start>[1] = {}) =>
  agent.start(
    ({ url, token, home }) => ({
      token,
      service_url: url,
      polling_interval: '200ms',
      pull_image: false,
      http_server_port: 0,
      run_directory: join(home, 'runs'),
      ...keys,
    }),
    options,
  );

/** Resolves when the deployment's step 1 has printed something. */
function atWork(deployment: Deployment): Promise<unknown> {
  return stage.cloud.waitFor(() => (deployment.steps[1]?.lines.length ?? 0) > 0, 60_000);
}

describe('the agent as a command', () => {
  it('serves job after job, each with its own run directory, until SIGTERM drains it', async () => {
    const first = enqueue(stage, { 'pulumi up': 'echo first' }, 'one');
    const { child, ended, said } = await start();
    await stage.cloud.waitFor(() => first.status === 'succeeded', 60_000);
    const waiting = 'echo at work; until [ -e /tmp/over ]; do sleep 0.1; done; echo done';
    const second = enqueue(stage, { 'pulumi up': waiting }, 'two');
    await atWork(second);
    // The watchdog ends the agent if the main thread hangs.
    const threads = readdirSync(`/proc/${child.pid}/task`);
    expect(threads.map((id) => readFileSync(`/proc/${child.pid}/task/${id}/comm`, 'utf8').trim())).toContain(
      'watchdog',
    );
    const third = enqueue(stage, { 'pulumi up': 'echo never' }, 'three');
    child.kill('SIGTERM');
    await said(/SIGTERM: the agent finishes a running job/);
    execFileSync('docker', ['exec', stage.objectsLeft()[0] ?? '', 'touch', '/tmp/over']);
    expect((await ended).code).toBe(0);
    expect(second.status).toBe('succeeded');
    expect(third.status).toBe('not-started');
    const { home } = agent;
    const runs = await readdir(join(home, 'runs'));
    const results = await Promise.all(
      runs.sort().map(async (run) => JSON.parse(await readFile(join(home, 'runs', run, 'run.json'), 'utf8'))),
    );
    expect(results.map(({ outcome, deploymentId }) => [outcome, deploymentId])).toEqual([
      ['succeeded', first.id],
      ['succeeded', second.id],
    ]);
  });

  it('on a full disk loses one of ten deployments, and serves the others once a trial container starts', async () => {
    const socket = join(agent.home, 'docker.sock');
    const engine = await startEngineProxy({ socket });
    const queue = Array.from({ length: 10 }, (_, at) =>
      enqueue(stage, { 'pulumi up': 'echo ran' }, `s${at}`),
    );
    engine.fail(/^POST \S*\/containers\/create/);
    const started = await start({}, { environment: { DOCKER_HOST: engine.url } });
    const [, health = ''] = await started.said(/Health is served at (\S+)\./);
    await started.said(/Claiming pauses until a trial container starts/);
    const status = async (page: string) => (await fetch(new URL(page, health))).status;
    expect([await status('/livez'), await status('/healthz')]).toEqual([200, 503]);
    expect(queue.filter(({ claimedAt }) => claimedAt !== undefined)).toHaveLength(1);
    engine.recover();
    await stage.cloud.waitFor(() => queue.every(({ endReason }) => endReason !== undefined), 90_000);
    expect(await status('/healthz')).toBe(200);
    started.child.kill('SIGTERM');
    expect((await started.ended).stderr).toMatch(/Claiming resumes after \d+ seconds?: \d trials? made/);
    expect(queue.map((each) => each.status).toSorted()).toEqual(['failed', ...Array(9).fill('succeeded')]);
    expect(stage.objectsLeft()).toEqual([]);
  }, 150_000);

  it('claims nothing while the Docker engine is away, says so once, and goes on when it is back', async () => {
    const socket = join(agent.home, 'docker.sock');
    const engine = await startEngineProxy({ socket });
    const environment = { DOCKER_HOST: engine.url };
    const started = await start({ health_threshold: '1s' }, { environment });
    const [, health = ''] = await started.said(/Health is served at (\S+)\./);
    const status = async (page: string) => (await fetch(new URL(page, health))).status;
    await stage.cloud.waitFor(() => agent.asked(POLL).length > 1, 60_000);
    await expect.poll(() => status('/healthz'), { timeout: 20_000 }).toBe(200);
    engine.cut();
    // Not what a sweep says of the outage: while that one waits, the agent can still poll.
    await started.said(/warning +Failed to reach the Docker engine for this runner at unix:.*docker.sock/);
    const polls = agent.asked(POLL).length;
    const deployment = enqueue(stage, { 'pulumi up': 'echo after the outage' });
    await expect.poll(() => status('/healthz'), { timeout: 10_000 }).toBe(503);
    expect(await status('/livez')).toBe(200);
    expect({ asked: agent.asked(POLL).length, status: deployment.status }).toEqual({
      asked: polls,
      status: 'not-started',
    });
    await engine.restore();
    await stage.cloud.waitFor(() => deployment.endReason !== undefined, 20_000);
    expect(deployment.status).toBe('succeeded');
    await expect.poll(() => status('/healthz'), { timeout: 20_000 }).toBe(200);
    started.child.kill('SIGTERM');
    const { code, stderr } = await started.ended;
    expect(code).toBe(0);
    // A sweep that the outage met names it too, in its own sentence.
    expect(stderr.match(/warning +Failed to reach the Docker engine/g)).toHaveLength(1);
    expect(stderr.match(/The place where jobs run works again after \d+ failures? in \d+ s/g)).toHaveLength(
      1,
    );
  });

  it('runs singly in one run directory time after time, and never beside another', async () => {
    const keys = () => ({ single_run: true, run_directory: join(agent.home, 'run') });
    const file = (...path: string[]) => readFile(join(agent.home, 'run', ...path), 'utf8');
    const ids: string[] = [];
    for (const word of ['first', 'second']) {
      ids.push(enqueue(stage, { 'pulumi up': `yes ${word} | head -n 20000` }, word).id);
      const { ended } = await start(keys());
      const { code, stderr } = await ended;
      expect(code, stderr).toBe(0);
      expect(stderr).not.toMatch(/PRA-RECORD/);
      const log = await file('steps/01-pulumi-up.log');
      expect({ length: log.length, endsWith: log.endsWith(`${word}\n`) }).toEqual({
        length: 20_000 * (word.length + 1),
        endsWith: true,
      });
      expect(await agent.result()).toMatchObject({
        deploymentId: ids.at(-1),
        steps: [{}, { lines: 20_000 }],
      });
    }
    const [aside = ''] = (await readdir(join(agent.home, 'run'))).filter((name) => name.startsWith('2'));
    expect(JSON.parse(await file(aside, 'run.json'))).toMatchObject({ deploymentId: ids[0] });
    expect(await file(aside, 'agent.log')).toContain(ids[0]);
    const { said, child } = await start(keys());
    await said(/No work yet|Moved the record of an earlier run/);
    const files = () => readdirSync(join(agent.home, 'run'));
    await expect.poll(files, { timeout: 20_000 }).toContain('events.ndjson');
    const { ended } = await start(keys());
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/agent \(process \d+ on \S+\) may still be running/),
    });
    expect(stderr).toContain(`process ${child.pid} `);
  });

  it('whose engine hangs over the removal records at once what Pulumi Cloud has, and still ends in time', async () => {
    const proxy: EngineProxy = await startEngineProxy({
      onRequest: (line) => line.startsWith('DELETE') && proxy.freeze(),
    });
    const deployment = enqueue(stage, { 'pulumi up': 'echo done' });
    const run = join(agent.home, 'run');
    const keys = { single_run: true, run_directory: run };
    const { child, ended, said } = await start(keys, { environment: { DOCKER_HOST: proxy.url } });
    await stage.cloud.waitFor(() => deployment.status === 'succeeded', 30_000);
    const told = { type: 'reported', outcome: 'succeeded', exitCode: 0, reported: true };
    await expect
      .poll(() => readEvents(run), { timeout: 20_000 })
      .toContainEqual(expect.objectContaining(told));
    expect(await readdir(run)).not.toContain('run.json');
    // One after the other: signals that wait together are delivered in any order.
    child.kill('SIGINT');
    await said(/SIGINT: the agent interrupts a running step/);
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('the agent had to end first. The container ends by itself'),
    });
    expect(await agent.result()).toMatchObject({ outcome: 'succeeded', reported: true });
    // Without its agent the container ends by itself; a sweep finds the network.
    const words = ['--run-directory', run];
    expect((await startAgent({ home: agent.home, command: 'sweep', arguments: words }).ended).code).toBe(0);
    expect(stage.objectsLeft()).toEqual([]);
  });

  it('does not keep the output of finished jobs in memory', async () => {
    const { child, said } = await start({}, { environment: { NODE_OPTIONS: COLLECTING } });
    const nextPoll = () => {
      const seen = agent.asked(POLL).length;
      return stage.cloud.waitFor(() => agent.asked(POLL).length > seen);
    };
    const kept: RegExpExecArray[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const printed = `yes ${'x'.repeat(99)} | head -c ${PRINTED_BYTES}`;
      const deployment = enqueue(stage, { 'pulumi up': printed }, name);
      await stage.cloud.waitFor(() => deployment.endReason !== undefined, 60_000);
      expect(deployment.status).toBe('succeeded');
      // By its next poll, the agent has cleaned up after the job.
      await nextPoll();
      if (name !== 'b' && name !== 'e') continue;
      child.kill('SIGUSR2');
      kept.push(await said(new RegExp(`kept after ${kept.length + 1} collections: (\\d+)\n`)));
    }
    const [before = Number.NaN, after = Number.NaN] = kept.map(([, bytes]) => Number(bytes));
    // An agent that kept output would hold all that three jobs printed.
    expect(after - before).toBeLessThan(PRINTED_BYTES / 2);
  });

  it('prints its version and its help', async () => {
    const { home } = agent;
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect((await startAgent({ home, command: 'version' }).ended).stdout).toBe(`${version}\n`);
    const help = (await startAgent({ home, command: 'help' }).ended).stdout;
    for (const word of ['set-up', 'sweep', 'help settings']) expect(help).toContain(word);
    expect((await startAgent({ home, command: 'explode' }).ended).code).toBe(2);
    expect([...(await filesBelow(home)).keys()].filter((path) => !path.startsWith('.cache'))).toEqual([]);
  });
});
