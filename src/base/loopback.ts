const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[(?:::1|::ffff:7f[\da-f]{2}:[\da-f]{1,4})\])$/i;

/** True for a host name, as `URL.hostname` has it, that can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
