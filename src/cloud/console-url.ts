import type { Stack } from './organization-wire.ts';

/**
 * Where people look at an organization's deployments. Of a deployment that is only claimed no page is nearer: a claim names neither
 * project nor stack. Undefined where no console is known.
 */
export function consoleUrl(serviceUrl: string, organization: string | undefined): string | undefined {
  return organization === undefined ? undefined : page(serviceUrl, [organization]);
}

/** What Pulumi Cloud said of a deployment when it was started. */
interface KnownDeployment {
  /** Counted for each stack. */
  readonly version?: number | undefined;
  readonly consoleUrl?: string | undefined;
}

/**
 * A deployment's own page: the one that Pulumi Cloud named when the deployment was started, or, when that answer was lost, the one
 * that it has for the version. Undefined where neither is known.
 */
export function deploymentUrl(serviceUrl: string, stack: Stack, known: KnownDeployment): string | undefined {
  const { version, consoleUrl: named = '' } = known;
  if (/^https?:\/\/\S+$/.test(named) && URL.canParse(named)) return named;
  return version === undefined
    ? undefined
    : page(serviceUrl, [stack.organization, stack.project, stack.stack], String(version));
}

/** Pulumi Cloud serves its API at `api.<domain>` and its console at `app.<domain>`; another host's console is not known. */
function page(serviceUrl: string, owner: readonly string[], ...further: readonly string[]): string | undefined {
  const { hostname } = new URL(serviceUrl);
  if (!hostname.startsWith('api.')) return undefined;
  const path = [...owner.map(encodeURIComponent), 'deployments', ...further].join('/');
  return `https://app.${hostname.slice('api.'.length)}/${path}`;
}
