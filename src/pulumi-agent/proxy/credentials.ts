import { unwatchFile, watchFile } from 'node:fs';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import type { SecretSink } from '../../base/log/redactor.ts';
import { readIdToken } from '../../cloud/id-token.ts';

/** Milliseconds between looks at the ID token's file, which the CI job renews every few minutes. */
const LOOK_MS = 1_000;

/**
 * The credentials of a run: the configured token, each ID token that stood in its file, and the
 * tokens that Pulumi Cloud gave to a caller with one of these. No caller can add or displace any.
 */
export class Credentials {
  readonly #known = new Set<string>();
  readonly #file: string | undefined;
  readonly #secrets: SecretSink;

  /** Watches the file until `close`. */
  constructor({ token, oidcTokenFile }: Pick<AgentConfig, 'token' | 'oidcTokenFile'>, secrets: SecretSink) {
    this.#file = oidcTokenFile;
    this.#secrets = secrets;
    if (token !== undefined) this.#known.add(token);
    if (oidcTokenFile !== undefined)
      watchFile(oidcTokenFile, { interval: LOOK_MS, persistent: false }, this.#look);
    this.#look();
  }

  /** Adds and hides tokens that Pulumi Cloud gave to a caller with a credential. */
  add(tokens: readonly string[]): void {
    for (const token of tokens) this.#known.add(token);
    this.#secrets.add(tokens);
  }

  has(token: string | undefined): boolean {
    if (token === undefined) return false;
    // The file may be younger than the last look.
    if (!this.#known.has(token)) this.#look();
    return this.#known.has(token);
  }

  close(): void {
    if (this.#file !== undefined) unwatchFile(this.#file, this.#look);
  }

  readonly #look = (): void => {
    if (this.#file === undefined) return;
    try {
      readIdToken("Pulumi's agent", { tokenFile: this.#file, onSecret: (token) => this.#known.add(token) });
    } catch {
      // A file without a token adds none; Pulumi's agent says so itself.
    }
  };
}
