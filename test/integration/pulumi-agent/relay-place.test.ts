import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NEVER } from '../../../src/base/clock.ts';
import { PAGE_FILE, writeReportPage } from '../../../src/record/report/page.ts';
import { reportOf } from '../../../src/record/report/report.ts';
import { runSummary } from '../../../src/record/report/summary.ts';
import { folder } from '../../support/agent/claimed-run.ts';
import { bridgeAddress } from '../../support/docker/bridge-address.ts';
import { startEngineProxy, withoutGateway } from '../../support/docker/engine-proxy.ts';
import { proxyAddressOf } from '../../support/pulumi-agent/proxy-address.ts';
import { pulumiRun, standIn } from '../../support/pulumi-agent/pulumi-run.ts';

interface Answers {
  readonly info?: object;
  readonly subnet?: { readonly Subnet?: string; readonly Gateway?: string };
}

/** Answers like an engine that can't be had here (rootless ones and Podman can). Returns its DOCKER_HOST. */
async function engineThatSays({ info = {}, subnet = { Gateway: '127.0.0.1' } }: Answers): Promise<string> {
  const answers: Readonly<Record<string, object>> = {
    version: { ApiVersion: '1.47', Os: 'linux', Version: '27.3.1' },
    info,
    bridge: { IPAM: { Config: [subnet] } },
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
    expect(await proxyAddressOf({})).toEqual({ address: bridgeAddress() });
    expect(await proxyAddressOf({ DOCKER_HOST: await engineThatSays({}) })).toEqual({ address: '127.0.0.1' });
  });

  it('there too for an engine that was started for the first time, which does not name the address', async () => {
    const lines: string[] = [];
    const [socket, onRequest] = [join(await folder(), 'docker.sock'), (line: string) => lines.push(line)];
    const { url } = await startEngineProxy({ answer: withoutGateway, socket, onRequest });
    expect(await proxyAddressOf({ DOCKER_HOST: url })).toEqual({ address: bridgeAddress() });
    expect(lines).toContainEqual(expect.stringContaining('/networks/bridge'));
    const small = await engineThatSays({ subnet: { Subnet: '127.9.8.128/25' } });
    expect(await proxyAddressOf({ DOCKER_HOST: small })).toEqual({ address: '127.9.8.129' });
  });

  it('nowhere for an engine that is reached over the network', async () => {
    const proxy = await startEngineProxy();
    expect(await proxyAddressOf({ DOCKER_HOST: proxy.url })).toEqual({
      obstacle: `the Docker engine is reached over the network (${proxy.url})`,
    });
    expect(await proxyAddressOf({ DOCKER_HOST: 'ssh://builder' })).toEqual({
      obstacle: expect.stringMatching(
        /^the Docker engine could not be asked \(.*ssh:\/\/ engines are not supported/,
      ),
    });
  });

  it.each<[what: string, answers: Answers, obstacle: RegExp]>([
    ['Docker Desktop', { info: { OperatingSystem: 'Docker Desktop' } }, /virtual machine of Docker Desktop$/],
    ['a bridge of another machine', { subnet: { Gateway: '203.0.113.1' } }, /bridge is not this machine's$/],
    [
      "another machine's first start",
      { subnet: { Subnet: '203.0.113.0/24' } },
      /bridge is not this machine's$/,
    ],
    ['a bridge without IPv4', { subnet: { Subnet: 'fd00:1:2:3::/64' } }, /bridge is not this machine's$/],
  ])('nowhere for %s', async (_, answers, obstacle) => {
    expect(await proxyAddressOf({ DOCKER_HOST: await engineThatSays(answers) })).toEqual({
      obstacle: expect.stringMatching(obstacle),
    });
  });

  it('nowhere for jobs that would look for it at a proxy, unless they are told not to', async () => {
    const address = bridgeAddress();
    const proxied = { HTTP_PROXY: 'http://proxy.example:3128' };
    const forwarding = ['HTTP_PROXY', 'NO_PROXY'];
    expect(await proxyAddressOf(proxied)).toEqual({ address });
    expect(await proxyAddressOf({ ...proxied, NO_PROXY: 'localhost' }, forwarding)).toMatchObject({
      obstacle: `HTTP_PROXY is forwarded to jobs, whose NO_PROXY does not name ${address}`,
    });
    expect(await proxyAddressOf({ ...proxied, NO_PROXY: address }, ['HTTP_PROXY'])).toHaveProperty(
      'obstacle',
    );
    expect(await proxyAddressOf({ ...proxied, NO_PROXY: `localhost,${address}` }, forwarding)).toEqual({
      address,
    });
  });
});

describe('a run without the relay', () => {
  const PROXIED = {
    config: { env_forward_allowlist: 'HTTP_PROXY' },
    environment: { HTTP_PROXY: 'http://127.0.0.1:1' },
  };

  it.each<[why: string, given: Omit<Parameters<typeof pulumiRun>[0], 'programs'>, reason: RegExp]>([
    ['as its configuration asks', { config: { engine_relay: 'false' } }, /engine_relay is false/],
    ['for jobs on Kubernetes', { config: { deploy_target: 'kubernetes' } }, /jobs run on kubernetes/],
    ['for jobs behind a proxy', PROXIED, /HTTP_PROXY is forwarded to jobs/],
  ])('%s says once why it has no steps, in its summary and on its page', async (_, given, reason) => {
    const scene = await pulumiRun({ programs: await standIn('echo nothing to do'), ...given });
    expect(await scene.run()).toBe(0);
    const result = await scene.result();
    expect(result).toMatchObject({
      outcome: 'succeeded',
      steps: [{ index: 0, name: "Pulumi's agent", exitCode: 0 }],
    });
    expect(result.notices.filter((notice) => notice.includes('The relay is off'))).toEqual([
      expect.stringMatching(reason),
    ]);
    const report = await reportOf(scene.directory, result);
    await writeReportPage(scene.directory, report, NEVER);
    const summary = await runSummary({ report, runDirectory: scene.directory });
    for (const text of [summary, await readFile(join(scene.directory, PAGE_FILE), 'utf8')])
      expect(text.split('The relay is off')).toHaveLength(2);
    expect(await scene.file(result.steps[0]!.log!)).toBe('nothing to do\n');
  });
});
