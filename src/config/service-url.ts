import { quoteValue } from './quote.ts';

/** True for a host name that can only mean this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/**
 * The address of a Pulumi Cloud API: http or https, nothing but scheme, host, port and path; trailing slashes stripped.
 * Whether http is allowed is for the caller, who knows allow_insecure_service_url.
 * Returns the address, or the clause that says what is wrong; that clause never shows credentials.
 */
export function parseServiceUrl(text: string): { value: string } | { problem: string } {
  const wrong = (clause: string) => ({ problem: text.includes('@') ? clause : `${quoteValue(text)} ${clause}` });
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    return wrong('has no scheme; write an address such as https://api.pulumi.com');
  }
  if (!URL.canParse(text)) return wrong('is not a valid address; write one such as https://api.pulumi.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return wrong('is not an https:// address');
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'holds credentials; remove them, the token is sent by itself' };
  }
  if (text.includes('?') || text.includes('#')) {
    return { problem: 'has a query or a fragment; give only scheme, host, port and path' };
  }
  return { value: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}
