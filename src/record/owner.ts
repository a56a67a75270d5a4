import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Owner } from './schema.ts';

/** The opaque start time of `pid` (proc(5), field 22; `ps` elsewhere). Undefined if missing, hidden or a zombie. */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      const options = { encoding: 'utf8', timeout: 5_000 } as const;
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], options).trim() || undefined;
    }
    // The command name may contain spaces and parentheses: fields count from after the last parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Identifies a process on this host so that a later one with the same PID isn't mistaken for it. */
export function ownerOf(pid: number): Owner | undefined {
  const started = startOf(pid);
  return started === undefined ? undefined : { host: hostname(), pid, started };
}

/** The current process as an owner. */
export function ownOwner(): Owner {
  return ownerOf(process.pid) ?? { host: hostname(), pid: process.pid, started: 'unknown' };
}

/** True while the process that `owner` identifies runs on this host. */
export function isAlive(owner: Owner): boolean {
  return owner.host === hostname() && startOf(owner.pid) === owner.started;
}

/** Sends `signal` to the owner if it is still the same process. Returns false if it is gone. */
export function signalOwner(owner: Owner, signal: NodeJS.Signals): boolean {
  if (!isAlive(owner)) return false;
  try {
    return process.kill(owner.pid, signal);
  } catch {
    return false;
  }
}

/** The initial PID namespace has this inode in every kernel (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
const INITIAL_PIDS = 'pid:[4026531836]';

/** The scope of PIDs, opaque: `<machine>/<boot>/<pid namespace>`. Undefined if unknown (not Linux). */
export function processSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${machine()}/${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** A unique name of this machine, hashed because machine-id(5) asks to keep the ID confidential. */
function machine(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    return id === '' ? '' : hash('sha256', `pulumi-runner ${id}`).slice(0, 16);
  } catch {
    return '';
  }
}

/** What is certain about an owner: `unknown` unless its PID is of this space, or of an earlier boot of this machine. */
export type Fate = 'alive' | 'dead' | 'unknown';

/** The fate of the process that `owner` identifies in `space`. */
export function fateOf(owner: Owner, space: string | undefined, here = processSpace()): Fate {
  if (space === undefined || here === undefined) return 'unknown';
  if (space !== here) return diedWithItsBoot(space.split('/'), here.split('/')) ? 'dead' : 'unknown';
  const started = startOf(owner.pid);
  if (started !== undefined) return started === owner.started ? 'alive' : 'dead';
  return isPidFree(owner.pid) ? 'dead' : 'unknown';
}

function diedWithItsBoot(there: readonly string[], here: readonly string[]): boolean {
  const [machineThere = '', bootThere, pidsThere] = there;
  const [machineHere, bootHere, pidsHere] = here;
  const sameMachine = machineThere !== '' && machineThere === machineHere;
  // In a container, the machine ID may come from the image, which other machines use too.
  return sameMachine && bootThere !== bootHere && pidsThere === INITIAL_PIDS && pidsHere === INITIAL_PIDS;
}

/** True if no process but a zombie has this PID. /proc alone may hide other users' processes (hidepid). */
function isPidFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
