import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Identifies a process by where its PID counts, PID and start. The host's name, which can change,
 * is for people.
 */
export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** The process's start time from the kernel: opaque, for comparison only. */
  readonly started: string;
  /** The scope of the PID, opaque. Absent where it is unknown. */
  readonly space?: string | undefined;
}

/** The wait for the container of an agent that died to interrupt its step itself; in Docker it takes at most 30 s. */
export const ORPHAN_GRACE_MS = 32_000;

/** The machine's network interfaces; cards have a `device`. */
const CARDS = '/sys/class/net';

/** The start of a process that could not be read. */
const UNKNOWN = 'unknown';

/**
 * The opaque start time of `pid` (proc(5), field 22; `ps` elsewhere). Undefined if missing, hidden
 * or a zombie.
 */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      // The time would otherwise be in the caller's zone and words.
      const options = { encoding: 'utf8', timeout: 5_000, env: { TZ: 'UTC', LC_ALL: 'C' } } as const;
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], options).trim() || undefined;
    }

    // The command name may contain spaces and parentheses: fields count from after the last
    // parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * Identifies a process so that no other process, now or later, here or elsewhere, is mistaken for
 * it.
 */
export function ownerOf(pid: number): Owner {
  const space = processSpace() || undefined;
  return { host: hostname(), pid, started: startOf(pid) ?? UNKNOWN, space };
}

/** The current process as an owner. */
export function ownOwner(): Owner {
  return ownerOf(process.pid);
}

/**
 * False once the process that `owner` identifies has provably ended: a failed check doesn't count
 * as an end.
 */
export function isAlive(owner: Owner): boolean {
  return livenessOf(owner) !== 'dead';
}

/**
 * Sends `signal` to the owner if it is certain to be the same process still. Returns false
 * otherwise.
 */
export function signalOwner(owner: Owner, signal: NodeJS.Signals): boolean {
  if (livenessOf(owner) !== 'alive') return false;
  try {
    return process.kill(owner.pid, signal);
  } catch {
    return false;
  }
}

/**
 * The initial PID namespace has this inode in every kernel (include/linux/proc_ns.h,
 * PROC_PID_INIT_INO).
 */
const INITIAL_PIDS = 'pid:[4026531836]';

let cachedSpace = '';

/**
 * The scope of this process's PID, opaque: `<machine>/<boot>/<pid namespace>`. Empty if unknown
 * (not Linux).
 */
export function processSpace(): string {
  try {
    const boot = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    cachedSpace ||= `${machine()}/${boot()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux.
  }
  return cachedSpace;
}

/**
 * A name of this machine across boots, empty if there is none. The addresses of its network cards
 * tell it from a clone, which has the same machine ID. Hashed because machine-id(5) asks to keep
 * the ID confidential.
 */
function machine(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    const cards = readdirSync(CARDS).filter((name) => existsSync(`${CARDS}/${name}/device`));
    const addresses = cards.map((name) => readFileSync(`${CARDS}/${name}/address`, 'utf8').trim()).sort();
    if (id === '' || addresses.length === 0) return '';
    return hash('sha256', ['pulumi-runner', id, ...addresses].join(' ')).slice(0, 16);
  } catch {
    return '';
  }
}

/**
 * What is certain about an owner: `unknown` unless its PID is of this space, or of an earlier boot
 * of this machine.
 */
export type Liveness = 'alive' | 'dead' | 'unknown';

/**
 * Whether the process that `owner` identifies lives. Without a space, here and there, PID and start
 * decide.
 */
export function livenessOf({ pid, started, space = '' }: Owner, here = processSpace()): Liveness {
  const [[machine, boot, pids], [machineHere, bootHere, pidsHere]] = [space.split('/'), here.split('/')];
  // Boot and namespace are unique; the machine's cards may change while it runs.
  if (boot !== bootHere || pids !== pidsHere) {
    // In a container, the machine ID may come from the image, which other machines use too.
    const areInitial = pids === INITIAL_PIDS && pidsHere === INITIAL_PIDS;
    return machine !== '' && machine === machineHere && boot !== bootHere && areInitial ? 'dead' : 'unknown';
  }

  const startedNow = startOf(pid);
  if (startedNow === undefined) return isPidFree(pid) ? 'dead' : 'unknown';
  if (started === UNKNOWN) return 'unknown';

  return startedNow === started ? 'alive' : 'dead';
}

/**
 * True if no process but a zombie has this PID. /proc alone may hide other users' processes
 * (hidepid).
 */
function isPidFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
