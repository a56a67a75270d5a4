import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../run/temporary-directory.ts';

/** An unsigned token with these claims, in the shape of a JWT. */
export function idTokenOf(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** A file for an ID token, removed when the running test is over. */
export async function tokenFile(text?: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'token');
  if (text !== undefined) await writeFile(path, text);
  return path;
}
