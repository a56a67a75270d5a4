import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PREFIX = 'pulumi-runner-';

/** A separate network that reaches this machine at `gateway` only: not at `service`, which is this machine's too. */
export interface PrivateNetwork {
  /** Its name, for `ip netns exec`. */
  readonly name: string;
  /** This machine, as seen from inside: where a proxy may listen. */
  readonly gateway: string;
  /** An address of this machine that can't be reached from inside. */
  readonly service: string;
  close(): void;
}

/** Makes this process's namespace, after removing what killed test runs left. Needs root, as `ip` does. */
export function openPrivateNetwork(): PrivateNetwork {
  for (const line of ip('netns', 'list').split('\n')) {
    const name = line.split(' ')[0] ?? '';
    const owner = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
    if (/^\d+$/.test(owner) && !existsSync(`/proc/${owner}`)) remove(name, owner);
  }
  const owner = String(process.pid);
  const name = `${PREFIX}${owner}`;
  // A net of 16 addresses in 10.128.0.0/9 for each process ID.
  const base = (10 << 24) + (1 << 23) + (process.pid % 2 ** 19) * 16;
  const address = (offset: number) =>
    [24, 16, 8, 0].map((bits) => ((base + offset) >>> bits) & 255).join('.');
  const [gateway, inside, service] = [address(1), address(2), address(9)];
  try {
    ip('netns', 'add', name);
    ip('link', 'add', outer(owner), 'type', 'veth', 'peer', 'name', 'uplink', 'netns', name);
    ip('address', 'add', `${gateway}/29`, 'dev', outer(owner));
    ip('address', 'add', `${service}/32`, 'dev', outer(owner));
    ip('link', 'set', outer(owner), 'up');
    ip('-n', name, 'address', 'add', `${inside}/29`, 'dev', 'uplink');
    ip('-n', name, 'link', 'set', 'uplink', 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
  } catch (error) {
    remove(name, owner);
    throw error;
  }
  return { name, gateway, service, close: () => remove(name, owner) };
}

/** Interface names have at most 15 characters. */
function outer(owner: string): string {
  return `prun${owner}`;
}

function remove(name: string, owner: string): void {
  // Deleting this end deletes the other at once; with the namespace alone, the kernel would take its time.
  for (const args of [
    ['link', 'delete', outer(owner)],
    ['netns', 'delete', name],
  ]) {
    try {
      ip(...args);
    } catch {
      // It is gone already.
    }
  }
}

function ip(...args: string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
