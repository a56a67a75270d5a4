import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../../../src/base/network/proxy.ts';
import { OutcomeError } from '../../../../src/base/outcome.ts';

const HTTPS = new URL('https://api.example.com');
const HTTP = new URL('http://pulumi.example.com');

describe('the proxy', () => {
  const lower = { https_proxy: 'http://lower:1' };
  const exempted = { HTTPS_PROXY: 'http://proxy:1', no_proxy: 'example.com' };

  it.each<[string, Readonly<Record<string, string>>, string | undefined, string?]>([
    [
      'the one for the scheme',
      { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:2' },
      'http://secure:1',
    ],
    ['none for another scheme', { HTTP_PROXY: 'http://plain:2', ALL_PROXY: 'http://all:3' }, undefined],
    ['none if nothing is set', {}, undefined],
    ['the one in lower case', lower, 'http://lower:1', 'https_proxy'],
    ['the one in upper case if both are set', { ...lower, HTTPS_PROXY: 'http://upper:2' }, 'http://upper:2'],
    ['not a blank one', { ...lower, HTTPS_PROXY: ' ' }, 'http://lower:1', 'https_proxy'],
    ['one without a scheme', { HTTPS_PROXY: 'proxy.example.com:3128' }, 'http://proxy.example.com:3128'],
    ['one with a user and no scheme', { HTTPS_PROXY: 'u:p@proxy:3128' }, 'http://proxy:3128'],
    ['one that is encrypted', { HTTPS_PROXY: 'https://proxy' }, 'https://proxy'],
    ['none if NO_PROXY says so', exempted, undefined],
    [
      'as NO_PROXY in upper case says if both are set',
      { ...exempted, NO_PROXY: 'other.example' },
      'http://proxy:1',
    ],
  ])('is %s', (_, environment, address, variable = 'HTTPS_PROXY') => {
    const { proxy } = proxyFor(HTTPS, environment);
    expect({ address: proxy?.address, variable: proxy?.variable }).toEqual({
      address,
      variable: address && variable,
    });
  });

  it('is a different one for http, has no secrets of its own, and names the variable that exempts a host', () => {
    const environment = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:2' };
    expect(proxyFor(HTTP, environment)).toMatchObject({
      proxy: { address: 'http://plain:2', variable: 'HTTP_PROXY' },
    });
    expect(proxyFor(HTTPS, environment).proxy?.secrets).toEqual([]);
    expect(proxyFor(HTTPS, exempted)).toEqual({ exempted: 'no_proxy' });
  });

  it('is given the user and password, and shows neither', () => {
    const { proxy } = proxyFor(HTTPS, { HTTPS_PROXY: 'http://user:p%40ss%zz@proxy:3128' });
    const credentials = Buffer.from('user:p%40ss%zz').toString('base64');
    expect(proxy).toMatchObject({ address: 'http://proxy:3128', authorization: `Basic ${credentials}` });
    const decoded = proxyFor(HTTPS, { HTTPS_PROXY: 'http://us%C3%A9r:p%40ss@proxy:3128' }).proxy;
    expect(decoded?.authorization).toBe(`Basic ${Buffer.from('usér:p@ss').toString('base64')}`);
    expect(decoded?.secrets).toEqual([Buffer.from('usér:p@ss').toString('base64'), 'p%40ss', 'p@ss']);
    const alone = proxyFor(HTTPS, { HTTPS_PROXY: 'http://token@proxy:3128' }).proxy;
    expect(alone?.authorization).toBe(`Basic ${Buffer.from('token:').toString('base64')}`);
  });

  it.each(['http://user:sec/ret@proxy:3128', 'socks5://user:sec/ret@proxy', 'ftp://proxy', 'http://', 'a b'])(
    'is refused when it can’t be used: %s',
    (text) => {
      const routing = () => proxyFor(HTTPS, { https_proxy: text });
      expect(routing).toThrow(OutcomeError);
      expect(routing).toThrow(
        /^Failed to read https_proxy for the agent: it is not the address of an HTTP proxy\. /,
      );
      expect(routing).not.toThrow(/sec/);
    },
  );
});

const PROXY = 'http://proxy:3128';
/** The choices of golang.org/x/net/http/httpproxy: for each NO_PROXY, a letter for each URL, P for the proxy. */
const go: { readonly urls: readonly string[]; readonly ways: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'go-proxies.json'), 'utf8'),
);

function isProxied(noProxy: string, url: string): boolean {
  const environment = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: noProxy };
  return proxyFor(new URL(url), environment).proxy !== undefined;
}

describe('NO_PROXY', () => {
  it('exempts the same hosts as in Go', () => {
    const ways = Object.keys(go.ways).map((noProxy) => [
      noProxy,
      go.urls.map((url) => (isProxied(noProxy, url) ? 'P' : '-')).join(''),
    ]);
    expect(Object.fromEntries(ways)).toEqual(go.ways);
  });

  it.each([
    [
      'names separated by white space, as in curl',
      'other.example example.com',
      'https://api.example.com',
      false,
    ],
    ['names that do not match', 'other.example\texample.com', 'https://example.org', true],
    ['an IPv6 address in brackets without a port', '[2001:db8::1]', 'https://[2001:db8::1]:8443', false],
    ['another IPv6 address', '[2001:db8::1]', 'https://[2001:db8::2]', true],
    ['nothing, for a local name', '', 'http://pulumi.localhost:9', false],
  ])('may hold %s', (_, noProxy, url, expected) => {
    expect(isProxied(noProxy, url)).toBe(expected);
  });
});
