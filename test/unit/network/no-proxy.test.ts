import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routeTo } from '../../../src/network/proxy.ts';

const PROXY = 'http://proxy:3128';
/** What Go does: for each NO_PROXY a letter for each URL, P where it goes through the proxy. Made by golang.org/x/net/http/httpproxy. */
const go: { readonly urls: readonly string[]; readonly ways: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'go-proxies.json'), 'utf8'),
);

function isProxied(noProxy: string, url: string): boolean {
  const environment = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: noProxy };
  return routeTo(new URL(url), environment).proxy !== undefined;
}

describe('NO_PROXY', () => {
  it('keeps the proxy out where Go does', () => {
    const ways = Object.keys(go.ways).map((noProxy) => [
      noProxy,
      go.urls.map((url) => (isProxied(noProxy, url) ? 'P' : '-')).join(''),
    ]);
    expect(Object.fromEntries(ways)).toEqual(go.ways);
  });

  it('is split at white space too, as curl does', () => {
    expect(isProxied('other.example example.com', 'https://api.example.com')).toBe(false);
    expect(isProxied('other.example\texample.com', 'https://example.org')).toBe(true);
  });

  it('knows an IPv6 address in brackets without a port', () => {
    expect(isProxied('[2001:db8::1]', 'https://[2001:db8::1]:8443')).toBe(false);
    expect(isProxied('[2001:db8::1]', 'https://[2001:db8::2]')).toBe(true);
  });

  it('is not needed for names of this machine', () => {
    expect(isProxied('', 'http://pulumi.localhost:9')).toBe(false);
  });
});
