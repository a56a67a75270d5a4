import { z } from 'zod';

/*
 * What Pulumi Cloud says to users and organizations. A part that can't be read is left out rather than the whole refused: these
 * lists say what there is, and nothing is lost by what they miss.
 */

const text = z.string().min(1);
const count = z.number().int().nonnegative();

/** An element that can't be read is left out. */
export function tolerantList<T extends z.ZodType>(element: T) {
  return z
    .array(z.unknown())
    .transform((list) => list.flatMap((each) => element.safeParse(each).data ?? []) as z.output<T>[]);
}

export const startedSchema = z.object({
  id: text,
  version: count.optional().catch(undefined),
  consoleUrl: text.optional().catch(undefined),
});

const listedSchema = z
  .object({
    id: text,
    status: text,
    created: z.string().optional().catch(undefined),
    version: count.optional().catch(undefined),
    pulumiOperation: text.optional().catch(undefined),
    agentPool: z.object({ id: text }).nullish().catch(undefined),
    projectName: text.optional().catch(undefined),
    stackName: text.optional().catch(undefined),
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
  total: count.optional().catch(undefined),
});

export const metadataSchema = z.object({
  paused: z.boolean().optional().catch(undefined),
  concurrency: count.optional().catch(undefined),
  deploymentCounts: z
    .object({
      notStarted: count.optional().catch(undefined),
      accepted: count.optional().catch(undefined),
      running: count.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** A stack by its three names. */
export interface Stack {
  readonly organization: string;
  readonly project: string;
  readonly stack: string;
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
