import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../network/proxy.ts';
import { storeFolder } from './release/store.ts';

/** What this machine remembers of the versions of Pulumi's agent: which ones gave the relay's address to a job's programs. */
export class AddressMemory {
  readonly #folder: string;

  constructor(environment: Environment) {
    this.#folder = join(storeFolder(environment), 'hand-address-on');
  }

  /** True for a version that was seen to. */
  handsOn(version: string): boolean {
    return existsSync(join(this.#folder, version));
  }

  /** Remembers it as far as there is a disk for it. Never throws. */
  remember(version: string): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(this.#folder, version), '', { mode: 0o600 });
    } catch {
      // The next run is refused the same way.
    }
  }
}
