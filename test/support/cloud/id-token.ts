import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An unsigned token with these claims, in the shape of a JWT. */
export function idTokenOf(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** A file for an ID token, removed when the running test is over. */
export async function tokenFile(text?: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'id-token-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'token');
  if (text !== undefined) await writeFile(path, text);
  return path;
}
