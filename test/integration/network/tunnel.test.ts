import { once } from 'node:events';
import { type Agent, createServer, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { proxyFor } from '../../../src/base/network/proxy.ts';
import { contextOf } from '../../../src/base/network/trust.ts';
import { tunnelAgent } from '../../../src/base/network/tunnel.ts';
import { clusterProxy } from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { Authority } from './authority.ts';
import { behindProxy, connectProxy, owned } from './servers.ts';

const authority = new Authority();
afterAll(() => authority.remove());

/** A service whose name only the proxy resolves; `by` makes calls to it through a proxy. */
async function behind(names?: string) {
  const { url, proxy, address } = await behindProxy(authority, { ...(names !== undefined && { names }) });
  const service = new URL(url);
  const by = (HTTPS_PROXY: string) => {
    const route = proxyFor(service, { HTTPS_PROXY }).proxy;
    if (route === undefined) throw new Error('no proxy');
    const agent = tunnelAgent(route, service, 10_000, contextOf([authority.certificate]));
    onTestFinished(() => agent.destroy());
    return () => ask(service, agent);
  };
  return { service, proxy, address, by };
}

/** Makes one call, with the private authority trusted. */
async function ask(url: URL, agent: Agent) {
  const call = request(url, { agent, ca: authority.certificate }).end();
  const [response] = await once(call, 'response');
  return text(response);
}

describe('connections of a library through a proxy', () => {
  it('are made by one CONNECT, checked against the name of the service, and kept', async () => {
    const { service, proxy, address, by } = await behind();
    const call = by(address.replace('//', '//me:p%40ss@'));
    for (let time = 0; time < 3; time += 1) expect(await call()).toBe('{"ok":true}');
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(proxy.asked).toEqual([{ target: service.host, authorization }]);
    const other = await behind('DNS:other.test');
    await expect(other.by(other.address)()).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('name an IPv6 address as such', async () => {
    const { proxy, address } = await behind();
    const service = new URL('https://[::1]:9');
    const route = proxyFor(new URL('https://api.test'), { HTTPS_PROXY: address }).proxy;
    const agent = tunnelAgent(route ?? expect.fail(), service, 10_000);
    await expect(ask(service, agent)).rejects.toThrow();
    expect(proxy.asked.map(({ target }) => target)).toEqual(['[::1]:9']);
  });

  it('carry plain http too', async () => {
    const server = createServer((_, response) => response.end('plain')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = owned(await connectProxy());
    const { port } = server.address() as { port: number };
    const find = clusterProxy({ http_proxy: `http://127.0.0.1:${proxy.port}` });
    const agent = (await find(new URL(`http://api.test:${port}`), undefined))?.agent;
    const call = plainRequest({ host: 'api.test', port, agent: agent ?? false }).end();
    const [response] = await once(call, 'response');
    expect(await text(response)).toBe('plain');
    agent?.destroy();
    server.close();
  });
});

describe('the proxy on the way to a cluster', () => {
  const find = (environment: Readonly<Record<string, string>>, server: string, named?: string) => {
    const secrets: string[] = [];
    const found = clusterProxy(environment, (secret) => secrets.push(secret))(new URL(server), named);
    return found.then((proxy) => proxy && { address: proxy.address, variable: proxy.variable, secrets });
  };
  const API = 'https://10.1.2.3:6443';
  const HTTPS_PROXY = 'http://me:hush@proxy.test:3128';

  it("is the kubeconfig's before the environment's, whatever NO_PROXY lists", async () => {
    const environment = { HTTPS_PROXY, NO_PROXY: '*' };
    expect(await find(environment, 'https://127.0.0.1:6443', 'http://own.test:1')).toEqual({
      address: 'http://own.test:1',
      variable: "the kubeconfig's proxy-url",
      secrets: [],
    });
    expect(await find(environment, API)).toBeUndefined();
    // The Kubernetes client speaks SOCKS itself.
    expect(await find({ HTTPS_PROXY }, API, 'socks5://own.test:1')).toBeUndefined();
    await expect(find({}, API, 'ftp://own.test')).rejects.toThrow(
      /^Failed to read the kubeconfig's proxy-url for the agent/,
    );
  });

  it('is reported with what to do when it is the kubeconfig’s and refuses', async () => {
    const proxy = owned(await connectProxy({ refusal: 403 }));
    const found = await clusterProxy({})(new URL(API), `http://127.0.0.1:${proxy.port}`);
    const agent = found?.agent ?? expect.fail();
    await expect(ask(new URL(API), agent)).rejects.toThrow(
      /forbids connections to 10\.1\.2\.3:6443 \(HTTP 403\); have it allow them, or remove the kubeconfig's proxy-url if/,
    );
  });
});
