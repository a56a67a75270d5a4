import { readFileSync } from 'node:fs';
import { tokenClaims } from '../base/json.ts';
import { messageOf } from '../base/outcome.ts';
import { AuthError } from './errors.ts';

/**
 * Reads the ID token, synchronously: the file is small. Errors name `whom`, the token's purpose.
 * `onSecret` is called with it, to keep it out of the logs. Throws AuthError.
 */
export function readIdToken(
  whom: string,
  { tokenFile, onSecret }: { readonly tokenFile: string; readonly onSecret: (secret: string) => void },
): string {
  const advice = 'The CI job that starts the agent must write oidc_token_file and keep it current.';
  const failed = (reason: string, options: ErrorOptions = {}) =>
    new AuthError(`Failed to read the ID token for ${whom}: ${reason}. ${advice}`, {
      ...options,
      code: 'PRA-AUTH-02',
    });

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

/** The claims that a policy matches, read without verification; never the token itself. */
export function idTokenClaims(token: string): {
  iss: string;
  aud: string;
  sub: string;
  /** On GitHub: the workflow file that the job stands in, with its ref. */
  workflow: string | undefined;
  exp: number | undefined;
} {
  // Without any if it is no JWT: the refusal then reports them as missing.
  const claims = tokenClaims(token);
  const claim = (name: string): string => {
    const value = claims[name];
    const shown = Array.isArray(value)
      ? value.join(',')
      : typeof value === 'string'
        ? value
        : '(not in the token)';
    return shown.replace(/\s+/g, ' ').slice(0, 300);
  };

  const exp = claims['exp'];

  return {
    iss: claim('iss'),
    aud: claim('aud'),
    sub: claim('sub'),
    workflow: claims['job_workflow_ref'] === undefined ? undefined : claim('job_workflow_ref'),
    exp: typeof exp === 'number' ? exp : undefined,
  };
}
