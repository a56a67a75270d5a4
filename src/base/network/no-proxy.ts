import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** IPv4-mapped IPv6 addresses. */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * True if the list `noProxy` matches the destination, by the rules of Go's httpproxy, since the
 * official agent is a Go program: comma-separated entries; `*` for everything; addresses and CIDR
 * blocks; `example.com` for itself and its subdomains, `.example.com` and `*.example.com` for
 * subdomains only; all but blocks may end in `:port`. Beyond Go, white space separates entries as
 * in curl, and `[::1]` needs no port. Names aren't resolved, so no block matches one. `hostname` is
 * as in URLs: lower case, IPv6 in brackets.
 */
export function isListed(noProxy: string, hostname: string, port: number): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== '' && (entry === '*' || matches(entry, host, port)));
}

function matches(entry: string, host: string, port: number): boolean {
  const [, network, bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (network !== undefined) return isInBlock(host, network, Number(bits));

  const parts = split(entry);
  if (parts === undefined || (parts.port !== '' && parts.port !== String(port))) return false;

  const { name } = parts;
  if (isIP(name) !== 0) return isInBlock(host, name, isIP(name) === 4 ? 32 : 128);

  const domain = name.replace(/^\*\./, '.');
  if (domain.startsWith('.')) return host.endsWith(`.${ascii(domain.slice(1))}`);

  return domain !== '' && (host === ascii(domain) || host.endsWith(`.${ascii(domain)}`));
}

/** Splits an entry into name and port, which may be empty; undefined if malformed. */
function split(entry: string): { name: string; port: string } | undefined {
  if (isIP(entry) !== 0) return { name: entry, port: '' };
  const [, inBrackets, plain, port = ''] = /^(?:\[(.*)\]|([^:]*))(?::([^:]*))?$/.exec(entry) ?? [];
  const name = inBrackets ?? plain;
  return name === undefined ? undefined : { name, port };
}

function isInBlock(host: string, network: string, bits: number): boolean {
  if (isIP(host) === 0 || isIP(network) === 0 || bits > (isIP(network) === 4 ? 32 : 128)) return false;
  // BlockList lets ::/0 match all of IPv4 too.
  if (isIpv4(host) !== isIpv4(network)) return false;
  const block = new BlockList();
  block.addSubnet(network, bits, family(network));
  return block.check(host, family(host));
}

function isIpv4(address: string): boolean {
  return isIP(address) === 4 || MAPPED.check(address, 'ipv6');
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** The name in ASCII form; an invalid name is returned as is and so matches nothing. */
function ascii(name: string): string {
  return domainToASCII(name) || name;
}
