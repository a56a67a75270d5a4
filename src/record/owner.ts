import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Owner } from './schema.ts';

/** When process `pid` started, an opaque text (proc(5), field 22; `ps` elsewhere). Undefined for none, a zombie, or one out of sight. */
export function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      // The command name may hold spaces and parentheses: fields are counted from behind the last one.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
    }).trim();
    return started === '' ? undefined : started;
  } catch {
    return undefined;
  }
}

/** Names a process of this host so that a later process with the same number isn't taken for it. */
export function ownerOf(pid: number): Owner | undefined {
  const started = startOf(pid);
  return started === undefined ? undefined : { host: hostname(), pid, started };
}

/** This process as an owner. */
export function ownOwner(): Owner {
  return ownerOf(process.pid) ?? { host: hostname(), pid: process.pid, started: 'unknown' };
}

/** True while the very process that `owner` names runs on this host. */
export function isAlive(owner: Owner): boolean {
  return owner.host === hostname() && startOf(owner.pid) === owner.started;
}

/** Sends `signal` to the owner if it is still the same process. Returns false when it is gone. */
export function signalOwner(owner: Owner, signal: NodeJS.Signals): boolean {
  if (!isAlive(owner)) return false;
  try {
    return process.kill(owner.pid, signal);
  } catch {
    return false;
  }
}

/** The initial namespace of process numbers has this one in every kernel (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
const INITIAL_PIDS = 'pid:[4026531836]';

/** Where a process number counts, opaque: `<machine>/<boot>/<pid namespace>`. Undefined where it can't be told (not Linux). */
export function processSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${machine()}/${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** A name that only this machine has; machine-id(5) wants it kept from strangers, so what is shown is its hash. */
function machine(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    return id === '' ? '' : hash('sha256', `pulumi-runner ${id}`).slice(0, 16);
  } catch {
    return '';
  }
}

/** What can be proved of an owner: `unknown` unless its number counts here, or died with this machine's last boot. */
export type Fate = 'alive' | 'dead' | 'unknown';

/** What became of the process that `owner` names, which counted in `space`. */
export function fateOf(owner: Owner, space: string | undefined, here = processSpace()): Fate {
  if (space === undefined || here === undefined) return 'unknown';
  if (space !== here) return diedWithItsBoot(space.split('/'), here.split('/')) ? 'dead' : 'unknown';
  const started = startOf(owner.pid);
  if (started !== undefined) return started === owner.started ? 'alive' : 'dead';
  return isNumberFree(owner.pid) ? 'dead' : 'unknown';
}

function diedWithItsBoot(there: readonly string[], here: readonly string[]): boolean {
  const [machineThere = '', bootThere, pidsThere] = there;
  const [machineHere, bootHere, pidsHere] = here;
  const sameMachine = machineThere !== '' && machineThere === machineHere;
  // In a container, the machine's name may be its image's, which others have too.
  return sameMachine && bootThere !== bootHere && pidsThere === INITIAL_PIDS && pidsHere === INITIAL_PIDS;
}

/** True when no process has this number, or only a zombie: /proc alone may hide those of other users (hidepid). */
function isNumberFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
