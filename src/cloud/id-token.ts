import { readFileSync } from 'node:fs';
import { messageOf } from '../outcome.ts';
import { AuthError } from './errors.ts';

export interface IdTokenFile {
  /** Holds the CI job's ID token, which the CI job keeps fresh. */
  readonly tokenFile: string;
  /** Takes every token that is read, made or still in use, so that no log shows it. */
  readonly onSecret: (secret: string) => void;
}

/** The ID token, read at once: it is a small file, and everything waits for it. `whom` is what it is for. Throws AuthError. */
export function readIdToken(whom: string, { tokenFile, onSecret }: IdTokenFile): string {
  const advice = 'The CI job that starts the agent must write oidc_token_file and keep it fresh.';
  const failed = (reason: string, options: ErrorOptions = {}) =>
    new AuthError(`Failed to read the ID token for ${whom}: ${reason}. ${advice}`, { ...options, code: 'PRA-AUTH-02' });
  let token: string;
  try {
    token = readFileSync(tokenFile, 'utf8').trim();
  } catch (cause) {
    throw failed(messageOf(cause), { cause });
  }
  if (token === '') throw failed(`${tokenFile} is empty`);
  onSecret(token);
  return token;
}

/** The claims that a policy decides on, read without verifying; never the token itself. */
export function idTokenClaims(token: string): { iss: string; aud: string; sub: string; exp: number | undefined } {
  let claims: Record<string, unknown> = {};
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof payload === 'object' && payload !== null) claims = payload as Record<string, unknown>;
  } catch {
    // Not a JWT: the three claims are unknown, and the refusal says so.
  }
  const said = (name: string): string => {
    const value = claims[name];
    const shown = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : '(not in the token)';
    return shown.replace(/\s+/g, ' ').slice(0, 300);
  };
  const exp = claims['exp'];
  return { iss: said('iss'), aud: said('aud'), sub: said('sub'), exp: typeof exp === 'number' ? exp : undefined };
}
