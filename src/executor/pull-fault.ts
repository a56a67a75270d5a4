import type { Fault } from '../outcome.ts';

/** A registry's refusals, as engines and kubelets pass them on: their status is lost, and only their text tells. */
export const LIMITED = /toomanyrequests|too many requests|rate limit|\b429\b/i;
export const AWAY =
  /dial tcp|i\/o timeout|connection refused|connection reset|TLS handshake timeout|EOF|Client\.Timeout|\b50[0234]\b|service unavailable|bad gateway|internal server error/i;

/** Refusals of what a deployment chose: the image's name, tag, platform or format, or its access to it. */
const CHOSEN =
  /invalid reference format|repository name must be|invalid checksum digest|cannot contain|no matching manifest|no match for platform|does not match the specified platform|manifest unknown|name unknown|not found|\b40[134]\b|unauthorized|denied|forbidden|no basic auth|authentication required|incorrect username|media ?type|unsupported|schema ?1/i;

/** Refusals of a login as such. "Denied" can also mean a wrong name. */
const BAD_LOGIN =
  /no basic auth|authentication required|incorrect username|token (has )?expired|\bunauthorized\b|\b401\b/i;

/**
 * True if a retry may overcome a refusal, judged by its text: the engine answers 500 for a
 * registry's 429 and 503.
 */
export function mayPass(text: string): boolean {
  return LIMITED.test(text) || AWAY.test(text);
}

/** Whose fault a refused pull is, judged by its text; `by` is whose login was used. */
export function pullFault(text: string, by?: 'job' | 'runner'): Fault {
  if (by === 'runner' && BAD_LOGIN.test(text)) return 'elsewhere';
  return !mayPass(text) && CHOSEN.test(text) ? 'deployment' : 'elsewhere';
}
