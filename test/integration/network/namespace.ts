import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PREFIX = 'pulumi-runner-';

/** A network of its own that reaches this machine at `gateway` and nothing else: not `service`, which this machine has too. */
export interface PrivateNetwork {
  /** Its name, for `ip netns exec`. */
  readonly name: string;
  /** This machine, as seen from inside: where a proxy may listen. */
  readonly gateway: string;
  /** An address of this machine that there is no way to from inside. */
  readonly service: string;
  close(): void;
}

/** Makes the namespace of this process; what killed test runs left is removed first. Needs root, as `ip` does. */
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
  const address = (offset: number) => [24, 16, 8, 0].map((bits) => ((base + offset) >>> bits) & 255).join('.');
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

/** An interface's name has 15 characters at most. */
function outer(owner: string): string {
  return `prun${owner}`;
}

function remove(name: string, owner: string): void {
  // The other end goes with it, at once and not when the kernel gets round to the namespace.
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
