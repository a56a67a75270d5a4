import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../network/proxy.ts';
import { storeFolder } from './release/store.ts';

/** Names each version of Pulumi's agent that gave the relay's address to a job's programs on this machine. */
const folderIn = (environment: Environment) => join(storeFolder(environment), 'hand-address-on');

/** True for a version that was seen handing the address on. */
export function handsAddressOn(version: string, environment: Environment): boolean {
  return existsSync(join(folderIn(environment), version));
}

/** Remembers such a version if the disk allows it. Never throws. */
export function rememberHandingOn(version: string, environment: Environment): void {
  const folder = folderIn(environment);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, version), '', { mode: 0o600 });
  } catch {
    // The next run then fails in the same way.
  }
}
