import type { AgentConfig } from './agent-config.ts';

/**
 * The audience of the ID token and of its exchange: as configured, else the one that Pulumi Cloud
 * expects for the organization (protocol section 1). Undefined without either.
 */
export function audienceOf({ oidcAudience, organizationName }: Partial<AgentConfig>): string | undefined {
  return oidcAudience ?? (organizationName === undefined ? undefined : `urn:pulumi:org:${organizationName}`);
}
