import { ExchangedToken, type ExchangeOptions } from './token-exchange.ts';

export interface OidcTokenOptions extends ExchangeOptions {
  readonly poolId: string;
  readonly poolName?: string;
  /** Replaces the derived scope. */
  readonly scope?: string;
  readonly expirationSeconds?: number;
}

/** The pool token that the CI job's ID token is exchanged for. */
export class OidcToken extends ExchangedToken {
  constructor(options: OidcTokenOptions) {
    const { organization, poolId, poolName, scope, expirationSeconds } = options;
    // The documents name the runner, the official agent knows only its ID: send the ID, then the name if there is one.
    const pools = [poolId, ...(poolName === undefined ? [] : [poolName])];
    super(options, {
      whom: `pool ${poolId}`,
      type: 'runner',
      scopes: scope === undefined ? pools.map((pool) => `runner:${pool}`) : [scope],
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      refused: {
        whom: `pool ${poolId} of ${organization}`,
        policy: `runnerID: ${poolId}`,
        advice: '; tokens for runners need an edition with customer-managed workflow runners.',
      },
    });
  }
}
