import { systemClock } from '../clock.ts';
import type { CloudHttp } from '../cloud/http.ts';
import { StaticToken, type TokenSource } from '../cloud/token.ts';
import { OidcToken } from '../cloud/token-exchange.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Redactor } from '../log/redactor.ts';

/** Tokens that stay hidden: the ID token, what it was exchanged for, and the two before them, which may come back late. */
export const KEPT_TOKENS = 4;

/** The pool token as configured: exchanged for the ID token, or given. Every token that is read or made goes to the redactor. */
export function tokenSource(config: AgentConfig, http: CloudHttp, redactor: Redactor): TokenSource {
  const { oidcTokenFile, organizationName, runnerPoolId, token } = config;
  if (oidcTokenFile !== undefined && organizationName !== undefined && runnerPoolId !== undefined) {
    return new OidcToken({
      http,
      tokenFile: oidcTokenFile,
      organization: organizationName,
      poolId: runnerPoolId,
      ...(config.runnerPoolName === undefined ? {} : { poolName: config.runnerPoolName }),
      ...(config.oidcScope === undefined ? {} : { scope: config.oidcScope }),
      ...(config.oidcAudience === undefined ? {} : { audience: config.oidcAudience }),
      ...(config.tokenExpirationSeconds === undefined ? {} : { expirationSeconds: config.tokenExpirationSeconds }),
      clock: systemClock,
      onSecret: redactor.recent(KEPT_TOKENS),
    });
  }
  return new StaticToken(token ?? '');
}
