import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { findRoute, openRoute, type RouteOptions } from '../../../src/base/network/route.ts';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { aCall, cloudHttp } from '../../support/cloud/cloud-http.ts';
import { Authority } from './authority.ts';
import { behindProxy, connectProxy, modernServer, owned, webServer } from './servers.ts';

const LOCAL = 'DNS:localhost,IP:127.0.0.1';
const authority = new Authority();
afterAll(() => authority.remove());

interface Given {
  readonly environment?: Readonly<Record<string, string>>;
  readonly caCertificate?: string;
}

/** A client that uses this route; its connections end with the test. */
function client(options: RouteOptions, requestTimeoutMs = 10_000) {
  const dispatcher = openRoute(findRoute(options));
  onTestFinished(() => dispatcher.destroy());
  return cloudHttp(options.serviceUrl, { dispatcher, retryCount: 0, requestTimeoutMs });
}

/** Makes one call to `serviceUrl` by the route that `given` leads to. */
function call(serviceUrl: string, { environment = {}, caCertificate }: Given = {}) {
  return client({ connectTimeoutMs: 5_000, serviceUrl, environment, caCertificate }).once(aCall());
}

/** The message that the call fails with, without its opening words. */
async function reason(serviceUrl: string, given: Given = {}): Promise<string> {
  const error: unknown = await call(serviceUrl, given).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CloudUnreachableError);
  return (error as Error).message.replace(`Failed to do the thing for ${serviceUrl}: `, '');
}

const server = async (names = LOCAL) => owned(await webServer({ identity: authority.issue({ names }) }));
const ok = { status: 200, json: { ok: true } };

describe('a service behind a private authority', () => {
  it('is refused when nothing names the authority, and the error names the setting for it', async () => {
    const { port } = await server();
    expect(await reason(`https://localhost:${port}`)).toBe(
      `the certificate of localhost:${port} comes from an authority that isn't trusted here (UNABLE_TO_GET_ISSUER_CERT_LOCALLY); ` +
        "set ca_certificate to the authority's certificate. Check the network path and Pulumi Cloud's status.",
    );
  });

  it('is trusted by ca_certificate, as text and as a file', async () => {
    const url = `https://localhost:${(await server()).port}`;
    for (const caCertificate of [authority.certificate, authority.path]) {
      expect(await call(url, { caCertificate })).toMatchObject(ok);
    }
  });

  it('is trusted by an authority below the root alone, as in Go', async () => {
    const url = `https://localhost:${(await server()).port}`;
    expect(await call(url, { caCertificate: authority.intermediate })).toMatchObject(ok);
  });

  it.each([
    [
      'has expired',
      { days: -1 },
      /^the certificate of localhost:\d+ has expired \(CERT_HAS_EXPIRED\); have it renewed, or check this machine's clock\./,
    ],
    [
      'is for another name',
      { names: 'DNS:pulumi.example,DNS:other.example' },
      /^the certificate of localhost:\d+ is for another name \(DNS:pulumi\.example, DNS:other\.example\); correct service_url, or the certificate\./,
    ],
  ])('is refused when its certificate %s', async (_, issued, sentence) => {
    const identity = authority.issue({ names: LOCAL, ...issued });
    const { port } = owned(await webServer({ identity }));
    expect(await reason(`https://localhost:${port}`, { caCertificate: authority.path })).toMatch(sentence);
  });

  it('is refused when its certificate is self-signed, unless that certificate is trusted', async () => {
    const identity = authority.selfSigned({ names: LOCAL });
    const url = `https://localhost:${owned(await webServer({ identity })).port}`;
    expect(await reason(url)).toMatch(
      /is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\); set ca_certificate to that certificate\./,
    );
    expect(await call(url, { caCertificate: identity.cert })).toMatchObject(ok);
  });

  it('is reported as not speaking TLS when it doesn’t', async () => {
    const { port } = owned(await webServer());
    expect(await reason(`https://localhost:${port}`)).toMatch(
      new RegExp(`^localhost:${port} doesn't speak TLS \\(\\w+\\); check scheme and port in service_url\\.`),
    );
  });
});

it('a service that prefers HTTP/2 is spoken to in HTTP/1.1, directly and through a proxy', async () => {
  const { port } = owned(await modernServer(authority.issue({ names: 'DNS:localhost,DNS:service.test' })));
  const proxy = owned(await connectProxy());
  const caCertificate = authority.path;
  const direct = call(`https://localhost:${port}`, { caCertificate });
  expect(await direct).toMatchObject({ json: { version: '1.1' } });
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const proxied = call(`https://service.test:${port}`, { environment, caCertificate });
  expect(await proxied).toMatchObject({ json: { version: '1.1' } });
});

describe('a proxy', () => {
  const behind = (options: Parameters<typeof behindProxy>[1] = {}) => behindProxy(authority, options);
  const through = (HTTPS_PROXY: string) => ({ environment: { HTTPS_PROXY }, caCertificate: authority.path });

  it('carries calls to a service that only it can find, and the certificate is checked against that service’s name', async () => {
    const { url, proxy, address, host } = await behind();
    expect(await call(url, through(address))).toMatchObject(ok);
    expect(proxy.asked).toEqual([{ target: host, authorization: undefined }]);
    const other = await behind({ names: 'DNS:other.test' });
    expect(await reason(other.url, through(other.address))).toMatch(
      /^the certificate of service\.test:\d+ is for another name \(DNS:other\.test\); correct service_url/,
    );
    expect(await reason(url, { environment: { HTTPS_PROXY: address } })).toMatch(
      /^the certificate of service\.test:\d+ comes from an authority that isn't trusted here/,
    );
  });

  it('may itself be reached over TLS', async () => {
    const { url, address } = await behind({ identity: authority.issue({ names: LOCAL }) });
    expect(await call(url, through(address))).toMatchObject(ok);
    expect(await reason(url, { environment: { HTTPS_PROXY: address } })).toMatch(
      new RegExp(`^the certificate of the proxy ${address} comes from an authority that isn't trusted here`),
    );
    const wrong = await behind({ identity: authority.issue({ names: 'DNS:proxy.test' }) });
    expect(await reason(wrong.url, through(wrong.address))).toMatch(
      new RegExp(
        `^the certificate of the proxy ${wrong.address} is for another name \\(DNS:proxy\\.test\\); correct HTTPS_PROXY`,
      ),
    );
  });

  it('gets its user and password', async () => {
    const { url, proxy, address } = await behind();
    expect(await call(url, through(address.replace('//', '//me:p%40ss@')))).toMatchObject(ok);
    expect(proxy.asked[0]?.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  it.each([
    [
      407,
      /^the proxy ADDRESS requires a user and a password \(HTTP 407\); set them in HTTPS_PROXY, as in http:\/\/USER:PASSWORD@HOST:PORT\./,
    ],
    [
      403,
      /^the proxy ADDRESS forbids connections to HOST \(HTTP 403\); have it allow them, or add service\.test to NO_PROXY/,
    ],
    [
      502,
      /^the proxy ADDRESS could not connect to HOST \(HTTP 502\); see its log, or add service\.test to NO_PROXY/,
    ],
    [
      'drop' as const,
      /^the proxy ADDRESS closed the connection \(socket hang up\); check that HTTPS_PROXY names an HTTP proxy\./,
    ],
  ])('that refuses with %s is named', async (refusal, sentence) => {
    const { url, address, host } = await behind({ refusal });
    const said = await reason(url, through(address));
    expect(said.replace(address, 'ADDRESS').replace(host, 'HOST')).toMatch(sentence);
  });

  it('that says nothing is given up like one that is down, and tried again the next time', async () => {
    const { url, address } = await behind({ refusal: 'stall', refusals: 1 });
    const http = client({ serviceUrl: url, connectTimeoutMs: 2_000, ...through(address) }, 20_000);
    await expect(http.once(aCall())).rejects.toThrow(
      `the proxy ${address} can't be reached (no answer within 2 s); check that it runs and that HTTPS_PROXY names it`,
    );
    expect(await http.once(aCall())).toMatchObject(ok);
  });

  it('that is down is named', async () => {
    const { url, proxy, address } = await behind();
    await proxy.close();
    expect(await reason(url, through(address))).toMatch(
      new RegExp(
        `^the proxy ${address} can't be reached \\(connect ECONNREFUSED 127\\.0\\.0\\.1:${proxy.port}\\); check that it runs`,
      ),
    );
    // The proxy is asked for plain HTTP, not for a tunnel.
    const plain = { environment: { HTTP_PROXY: address } };
    expect(await reason('http://service.test', plain)).toContain(`the proxy ${address} can't be reached`);
  });
});
