import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Owner } from './schema.ts';

/**
 * When process `pid` started, as an opaque text: the kernel's start ticks on Linux (proc(5), field 22), `ps` elsewhere.
 * Undefined when there is no such process, only its zombie, or none that this user may look at.
 */
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
