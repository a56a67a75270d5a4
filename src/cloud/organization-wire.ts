import { z } from 'zod';

/*
 * What Pulumi Cloud says to users and organizations. A part that can't be read is left out rather than the whole refused: these
 * lists say what there is, and nothing is lost by what they miss.
 */

export const text = z.string().min(1);
export const count = z.number().int().nonnegative();
/** A field that is absent where it can't be read. */
export const lax = <T extends z.ZodType>(field: T) => field.optional().catch(undefined);

/** An element that can't be read is left out. */
export function tolerantList<T extends z.ZodType>(element: T) {
  return z
    .array(z.unknown())
    .transform((list) => list.flatMap((each) => element.safeParse(each).data ?? []) as z.output<T>[]);
}

export const startedSchema = z.object({
  id: text,
  version: lax(count),
  consoleUrl: lax(text),
});

const listedSchema = z
  .object({
    id: text,
    status: text,
    created: lax(z.string()),
    version: lax(count),
    pulumiOperation: lax(text),
    agentPool: lax(z.object({ id: text })),
    projectName: lax(text),
    stackName: lax(text),
  })
  .transform(({ created, agentPool, ...listed }) => ({
    ...listed,
    poolId: agentPool?.id,
    /** Milliseconds since the epoch; NaN when it isn't told. */
    createdAt: timeOf(created),
  }));
/** One deployment of a list. */
export type ListedDeployment = z.infer<typeof listedSchema>;

export const deploymentPageSchema = z.object({
  deployments: tolerantList(listedSchema),
  /** In all pages. */
  total: lax(count),
});

/** How an organization's deployments stand, as far as Pulumi Cloud tells. */
export const loadSchema = z
  .object({
    paused: lax(z.boolean()),
    /** The most that run at a time. */
    concurrency: lax(count),
    deploymentCounts: lax(z.object({ notStarted: lax(count), accepted: lax(count), running: lax(count) })),
  })
  .catch({})
  .transform(({ paused = false, concurrency, deploymentCounts: { notStarted, accepted, running } = {} }) => ({
    paused,
    concurrency,
    /** Claimed or running. */
    busy: accepted === undefined && running === undefined ? undefined : (accepted ?? 0) + (running ?? 0),
    /** In the queues of all pools. */
    queued: notStarted,
  }));
export type DeploymentLoad = z.infer<typeof loadSchema>;

/** A stack by its three names. */
export interface Stack {
  readonly organization: string;
  readonly project: string;
  readonly stack: string;
}

/** `org/project/stack`. */
export function fullName({ organization, project, stack }: Stack): string {
  return `${organization}/${project}/${stack}`;
}

/** The address of a stack in the API. */
export function stackPath({ organization, project, stack }: Stack): string {
  return `/api/stacks/${[organization, project, stack].map(encodeURIComponent).join('/')}`;
}

/** The address of its deployments. */
export function deploymentsPath(stack: Stack): string {
  return `${stackPath(stack)}/deployments`;
}

export const stackPageSchema = z.object({
  stacks: tolerantList(
    z
      .object({ orgName: text, projectName: text, stackName: text })
      .transform((stack) => ({ organization: stack.orgName, project: stack.projectName, stack: stack.stackName })),
  ),
  continuationToken: z.string().nullish(),
});

/** RFC 3339, or the same without a zone, which means UTC. */
function timeOf(created: string | undefined): number {
  if (created === undefined) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(created) ? created : `${created.replace(' ', 'T')}Z`);
}

/** Where people look at an organization's deployments: the nearest page to one that is only claimed. Undefined without a console. */
export function consoleUrl(serviceUrl: string, organization: string | undefined): string | undefined {
  return organization === undefined ? undefined : page(serviceUrl, [organization]);
}

/** What Pulumi Cloud said of a deployment when it was started. */
interface KnownDeployment {
  /** Counted for each stack. */
  readonly version?: number | undefined;
  readonly consoleUrl?: string | undefined;
}

/** A deployment's own page: the one that Pulumi Cloud named, or the one that it has for the version. Undefined where neither is known. */
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
