/**
 * Where people look at an organization's deployments: Pulumi Cloud serves its API at `api.<domain>` and its console at
 * `app.<domain>`. A claim names neither project nor stack, so the page can't be nearer. Undefined where the host is another.
 */
export function consoleUrl(serviceUrl: string, organization: string | undefined): string | undefined {
  const { hostname } = new URL(serviceUrl);
  if (organization === undefined || !hostname.startsWith('api.')) return undefined;
  return `https://app.${hostname.slice('api.'.length)}/${encodeURIComponent(organization)}/deployments`;
}
