import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/**
 * The time for a TCP handshake with one of a name's addresses before Node tries the next one:
 * long enough for a lost packet, which is sent again after a second, on a slow path.
 */
const HANDSHAKE_MS = 1_500;

/**
 * Lets every client of this process wait longer for each address of a name. Node gives an address
 * 250 ms and never comes back to it, so that a name with IPv4 and IPv6 can't be reached behind a
 * slower handshake where IPv6 leads nowhere (node#54359). A longer time that NODE_OPTIONS sets stays.
 */
export function allowSlowHandshakes(): void {
  if (getDefaultAutoSelectFamilyAttemptTimeout() < HANDSHAKE_MS)
    setDefaultAutoSelectFamilyAttemptTimeout(HANDSHAKE_MS);
}
