interface AudienceConfig {
  readonly oidcAudience?: string | undefined;
  readonly organizationName?: string | undefined;
}

/**
 * The audience of the ID token and of its exchange: as configured, else the one that Pulumi Cloud
 * expects for the organization (protocol section 1). Undefined without either.
 */
export function audienceOf({ oidcAudience, organizationName }: AudienceConfig): string | undefined {
  return oidcAudience ?? (organizationName === undefined ? undefined : `urn:pulumi:org:${organizationName}`);
}
