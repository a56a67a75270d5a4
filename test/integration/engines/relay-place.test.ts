import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RelayPlace, type RelayPlaceOptions, relayPlace } from '../../../src/engines/pulumi/bridge.ts';
import { Engine } from '../../../src/executor/docker/engine/engine.ts';
import { PAGE_FILE, writeReportPage } from '../../../src/report/page.ts';
import { reportOf } from '../../../src/report/report.ts';
import { runSummary } from '../../../src/report/summary.ts';
import { folder } from '../../support/agent/claimed-run.ts';
import { startEngineProxy } from '../../support/docker/engine-proxy.ts';
import { docker } from '../../support/docker/images.ts';
import { pulumiRun, standIn } from '../../support/engines/pulumi-run.ts';

const never = new AbortController().signal;
const JOBS_IN_DOCKER: RelayPlaceOptions['config'] = { envForwardAllowlist: [] };

/** What is found for the engine that these variables lead to. */
async function place(
  environment: Readonly<Record<string, string>>,
  config: Partial<RelayPlaceOptions['config']> = {},
): Promise<RelayPlace> {
  const engine = new Engine(environment);
  onTestFinished(() => engine.close());
  return relayPlace({ config: { ...JOBS_IN_DOCKER, ...config }, engine, environment, signal: never });
}

/** The address of the engine's bridge on this machine. */
async function bridge(): Promise<string> {
  const { IPAM } = await docker.getNetwork('bridge').inspect();
  return IPAM!.Config![0]!['Gateway']!;
}

interface Answers {
  readonly info?: object;
  readonly gateway?: string;
}

/** A socket at which an engine answers as engines do that can't be had here (rootless ones and Podman can). Returns its DOCKER_HOST. */
async function engineThatSays({ info = {}, gateway = '127.0.0.1' }: Answers): Promise<string> {
  const answers: Readonly<Record<string, object>> = {
    version: { ApiVersion: '1.47', Os: 'linux', Version: '27.3.1' },
    info,
    bridge: { IPAM: { Config: [{ Gateway: gateway }] } },
  };
  const path = join(await folder(), 'docker.sock');
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split('/').at(-1) ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { message: 'page not found' }));
  });
  await once(server.listen(path), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `unix://${path}`;
}

describe('the relay stands', () => {
  it("at the address of the engine's bridge", async () => {
    expect(await place({})).toEqual({ address: await bridge() });
    expect(await place({ DOCKER_HOST: await engineThatSays({}) })).toEqual({ address: '127.0.0.1' });
  });

  it('nowhere for an engine that is reached over the network', async () => {
    const proxy = await startEngineProxy();
    onTestFinished(() => proxy.close());
    expect(await place({ DOCKER_HOST: proxy.url })).toEqual({
      off: `the Docker engine is reached over the network (${proxy.url})`,
    });
    expect(await place({ DOCKER_HOST: 'ssh://builder' })).toEqual({
      off: expect.stringMatching(/^the Docker engine could not be asked \(.*ssh:\/\/ engines are not supported/),
    });
  });

  it.each<[what: string, answers: Answers, off: RegExp]>([
    ['Docker Desktop', { info: { OperatingSystem: 'Docker Desktop' } }, /virtual machine of Docker Desktop$/],
    ['a bridge of another machine', { gateway: '203.0.113.1' }, /bridge is not this machine's$/],
  ])('nowhere for %s', async (_, answers, off) => {
    expect(await place({ DOCKER_HOST: await engineThatSays(answers) })).toEqual({ off: expect.stringMatching(off) });
  });

  it('nowhere when no engine answers', async () => {
    expect(await place({ DOCKER_HOST: `unix://${await folder()}/none.sock` })).toEqual({
      off: expect.stringMatching(/^the Docker engine could not be asked \(/),
    });
  });

  it('nowhere for jobs that would look for it at a proxy, unless they are told not to', async () => {
    const address = await bridge();
    const proxied = { HTTP_PROXY: 'http://proxy.example:3128' };
    const forwarding = { envForwardAllowlist: ['HTTP_PROXY', 'NO_PROXY'] };
    expect(await place(proxied)).toEqual({ address });
    expect(await place({ ...proxied, NO_PROXY: 'localhost' }, forwarding)).toMatchObject({
      off: `HTTP_PROXY is forwarded to jobs, whose NO_PROXY does not name ${address}`,
    });
    expect(await place({ ...proxied, NO_PROXY: address }, { envForwardAllowlist: ['HTTP_PROXY'] })).toHaveProperty(
      'off',
    );
    expect(await place({ ...proxied, NO_PROXY: `localhost,${address}` }, forwarding)).toEqual({ address });
  });
});

describe('a run without the relay', () => {
  it.each<[why: string, given: () => Promise<Parameters<typeof pulumiRun>[0]>, reason: RegExp]>([
    [
      'that its configuration asks for',
      async () => ({ programs: await silent(), config: { engine_relay: 'false' } }),
      /engine_relay is false/,
    ],
    [
      'for jobs on Kubernetes',
      async () => ({ programs: await silent(), config: { deploy_target: 'kubernetes' } }),
      /jobs run on kubernetes/,
    ],
    [
      'for an engine over the network',
      async () => {
        const proxy = await startEngineProxy();
        onTestFinished(() => proxy.close());
        return { programs: await silent(), environment: { DOCKER_HOST: proxy.url } };
      },
      /reached over the network \(tcp:/,
    ],
    [
      'for an engine that only Pulumi’s agent may reach',
      async () => ({ programs: await silent(), environment: { DOCKER_HOST: 'ssh://builder' } }),
      /ssh:\/\/ engines are not supported/,
    ],
    [
      'for jobs behind a proxy',
      async () => ({
        programs: await silent(),
        config: { env_forward_allowlist: 'HTTP_PROXY' },
        environment: { HTTP_PROXY: 'http://127.0.0.1:1' },
      }),
      /HTTP_PROXY is forwarded to jobs/,
    ],
  ])('%s says once why it has no steps, in its summary and on its page', async (_, given, reason) => {
    const scene = await pulumiRun(await given());
    expect(await scene.run()).toBe(0);
    const result = await scene.result();
    expect(result).toMatchObject({ outcome: 'succeeded', steps: [{ index: 0, name: "Pulumi's agent", exitCode: 0 }] });
    expect(result.notices.filter((notice) => notice.includes('The relay is off'))).toEqual([
      expect.stringMatching(reason),
    ]);
    const report = await reportOf(scene.directory, result);
    await writeReportPage({ directory: scene.directory, report, signal: never });
    const summary = await runSummary({ report, runDirectory: scene.directory });
    for (const text of [summary, await readFile(join(scene.directory, PAGE_FILE), 'utf8')])
      expect(text.split('The relay is off')).toHaveLength(2);
    expect(await scene.file(result.steps[0]!.log!)).toBe('nothing to do\n');
  });
});

/** An agent that ends well at once. */
const silent = () => standIn('echo nothing to do');
