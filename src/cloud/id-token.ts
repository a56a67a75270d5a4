import { readFileSync } from 'node:fs';
import { AuthError } from './errors.ts';

export interface IdTokenFile {
  /** The CI job's ID token: somebody else keeps the file fresh. */
  readonly tokenFile: string;
  /** Told every token that is read or made, so that no log shows it. */
  readonly onSecret: (secret: string) => void;
}

/** The ID token, read at once: it is a small file, and everything waits for it. `whom` is what it is for. Throws AuthError. */
export function readIdToken(whom: string, { tokenFile, onSecret }: IdTokenFile): string {
  const advice = 'The CI job that starts the agent must write oidc_token_file and keep it fresh.';
  let token: string;
  try {
    token = readFileSync(tokenFile, 'utf8').trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AuthError(`Failed to read the ID token for ${whom}: ${reason}. ${advice}`, { cause });
  }
  if (token === '') throw new AuthError(`Failed to read the ID token for ${whom}: ${tokenFile} is empty. ${advice}`);
  onSecret(token);
  return token;
}
