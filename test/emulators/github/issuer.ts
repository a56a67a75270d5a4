import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** An OpenID Connect issuer with its own key. */
export interface Issuer {
  /** The value of `iss`. */
  readonly url: string;
  readonly jwksUri: string;
  /** Signs a token with exactly these claims and `iss`. */
  sign(claims: JWTPayload): Promise<string>;
  close(): Promise<void>;
}

/** Starts an issuer like `https://token.actions.githubusercontent.com` on loopback: RS256, a new key each time. */
export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const kid = randomUUID();
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' };
  const server = Fastify({ forceCloseConnections: true });
  let url = '';
  server.get('/.well-known/jwks', () => ({ keys: [jwk] }));
  url = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    jwksUri: `${url}/.well-known/jwks`,
    sign: (claims) =>
      new SignJWT({ iss: url, ...claims })
        .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid })
        .sign(privateKey),
    close: () => server.close(),
  };
}
