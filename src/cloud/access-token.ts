import { StaticToken } from './token.ts';
import { ExchangedToken, type ExchangeOptions, type WantedToken } from './token-exchange.ts';

/** An access token as a user or an organization has it, given. */
export class GivenAccessToken extends StaticToken {
  constructor(token: string) {
    super(
      token,
      'Failed to authenticate for the deployments: Pulumi Cloud refused access_token (HTTP 401). Check that it is the access token of an organization, a team or a user, and that it has not expired.',
    );
  }
}

export interface AccessTokenOptions extends ExchangeOptions {
  /** `admin`, `team:<name>` or `user:<login>`; the organization's own token without admin rights when absent. */
  readonly scope?: string;
}

/** The access token that the CI job's ID token is exchanged for: of the organization, a team or a user, by the scope. */
export class ExchangedAccessToken extends ExchangedToken {
  constructor(options: AccessTokenOptions) {
    const { organization, scope } = options;
    const whom = `an access token of ${organization}`;
    super(options, {
      whom,
      type: tokenType(scope),
      scopes: scope === undefined ? [] : [scope],
      refused: {
        whom,
        advice: ', which tokens of organizations and teams need an edition for; or set access_token.',
      },
    });
  }
}

/** Pulumi's type of token for a scope (its reference of the token exchange). */
function tokenType(scope: string | undefined): WantedToken['type'] {
  if (scope?.startsWith('team:') === true) return 'team';
  return scope?.startsWith('user:') === true ? 'personal' : 'organization';
}
