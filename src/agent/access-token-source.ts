import { systemClock } from '../clock.ts';
import type { CloudHttp } from '../cloud/http.ts';
import { GivenAccessToken, type TokenSource } from '../cloud/token.ts';
import { ExchangedAccessToken } from '../cloud/token-exchange.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Redactor } from '../log/redactor.ts';
import { KEPT_TOKENS } from './token-source.ts';

/** The access token as configured: given, or exchanged for the ID token. Every token that is read or made goes to the redactor. */
export function accessTokenSource(config: AgentConfig, http: CloudHttp, redactor: Redactor): TokenSource {
  const { accessToken, accessTokenScope: scope, oidcTokenFile = '', oidcAudience: audience } = config;
  if (accessToken !== undefined) return new GivenAccessToken(accessToken);
  return new ExchangedAccessToken({
    http,
    tokenFile: oidcTokenFile,
    organization: config.organizationName ?? '',
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
    clock: systemClock,
    onSecret: redactor.recent(KEPT_TOKENS),
  });
}
