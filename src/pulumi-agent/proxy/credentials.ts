import { unwatchFile, watchFile } from 'node:fs';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import type { SecretSink } from '../../base/log/redactor.ts';
import { readIdToken } from '../../cloud/id-token.ts';

/** Between looks at the ID token's file, which the CI job renews every few minutes. */
const INTERVAL_MS = 1_000;

/**
 * The credentials of a run: the configured token, each ID token that stood in its file, and the
 * tokens that Pulumi Cloud gave to a caller with one of these. No caller can add or displace any.
 */
export class Credentials {
  readonly #tokens = new Set<string>();
  readonly #file: string | undefined;
  readonly #secrets: SecretSink;

  /** Watches the file until `close`. */
  constructor({ token, oidcTokenFile }: Pick<AgentConfig, 'token' | 'oidcTokenFile'>, secrets: SecretSink) {
    this.#file = oidcTokenFile;
    this.#secrets = secrets;
    if (token !== undefined) this.#tokens.add(token);
    if (oidcTokenFile !== undefined)
      watchFile(oidcTokenFile, { interval: INTERVAL_MS, persistent: false }, this.#readFile);
    this.#readFile();
  }

  /** Adds and hides tokens that Pulumi Cloud gave to a caller with a credential. */
  add(tokens: readonly string[]): void {
    for (const token of tokens) this.#tokens.add(token);
    this.#secrets.add(tokens);
  }

  has(token: string | undefined): boolean {
    if (token === undefined) return false;
    // The file may be younger than the last look.
    if (!this.#tokens.has(token)) this.#readFile();
    return this.#tokens.has(token);
  }

  close(): void {
    if (this.#file !== undefined) unwatchFile(this.#file, this.#readFile);
  }

  readonly #readFile = (): void => {
    if (this.#file === undefined) return;
    try {
      readIdToken("Pulumi's agent", { tokenFile: this.#file, onSecret: (token) => this.#tokens.add(token) });
    } catch {
      // A file without a token adds none; Pulumi's agent says so itself.
    }
  };
}
