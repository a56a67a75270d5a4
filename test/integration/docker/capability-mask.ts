/** linux/capability.h */
const NUMBERS: Readonly<Record<string, number>> = {
  ...{
    CHOWN: 0,
    DAC_OVERRIDE: 1,
    FOWNER: 3,
    FSETID: 4,
    KILL: 5,
    SETGID: 6,
    SETUID: 7,
    NET_RAW: 13,
    SETFCAP: 31,
  },
};

/** Capabilities as /proc/PID/status shows them. */
export function maskOf(names: readonly string[]): string {
  return names
    .reduce((mask, name) => mask | (1n << BigInt(NUMBERS[name]!)), 0n)
    .toString(16)
    .padStart(16, '0');
}
