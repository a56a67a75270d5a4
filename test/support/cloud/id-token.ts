import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWTPayload } from 'jose';
import type { Issuer } from '../../emulators/github/issuer.ts';
import type { Policy } from '../../emulators/pulumi-cloud/exchange.ts';
import type { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';

/** The audience of ID tokens for the emulated organization. */
export const AUDIENCE = 'urn:pulumi:org:acme';

/** An unsigned token with these claims, in the shape of a JWT. */
export function idTokenOf(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** A token from the issuer for the emulated organization, issued now and valid for 5 minutes. */
export function signedIdToken(issuer: Issuer, claims: JWTPayload): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  return issuer.sign({ aud: AUDIENCE, iat, exp: iat + 300, ...claims });
}

/** Registers an issuer with the policies for its tokens. */
export function trust(
  cloud: PulumiCloud,
  { url: issuer, jwksUri: jwksUrl }: Issuer,
  ...policies: Policy[]
): void {
  cloud.registerIssuer({ issuer, jwksUrl, policies });
}

/** A file for an ID token, removed when the running test is over. */
export async function tokenFile(text = ''): Promise<string> {
  const path = join(await temporaryDirectory(), 'token');
  await writeFile(path, text);
  return path;
}
