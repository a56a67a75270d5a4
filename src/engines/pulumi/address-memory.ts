import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../network/proxy.ts';
import { storeFolder } from './release/store.ts';

/** Remembers on this machine which versions of Pulumi's agent gave the relay's address to a job's programs. */
export class AddressMemory {
  readonly #folder: string;

  constructor(environment: Environment) {
    this.#folder = join(storeFolder(environment), 'hand-address-on');
  }

  /** True for a version that was seen doing so. */
  handsOn(version: string): boolean {
    return existsSync(join(this.#folder, version));
  }

  /** Remembers a version if the disk allows it. Never throws. */
  remember(version: string): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(this.#folder, version), '', { mode: 0o600 });
    } catch {
      // The next run then fails in the same way.
    }
  }
}
