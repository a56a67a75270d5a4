import { z } from 'zod';
import type { StackName } from '../base/stack.ts';
import { otherKindIn } from './work-kind.ts';

/*
 * Pulumi Cloud's answers to users and organizations. Unreadable parts are left out instead of refusing the whole: these
 * answers only inform, so a missing part does no harm.
 */

export const text = z.string().min(1);
export const count = z.number().int().nonnegative();

/** An optional field, treated as absent if it can't be read. */
export const lax = <T extends z.ZodType>(field: T) => field.optional().catch(undefined);

/** A list without the elements that can't be read; null is an empty one, as Go writes it. */
export function tolerantList<T extends z.ZodType>(element: T) {
  return z
    .array(z.unknown())
    .nullable()
    .transform((list) => (list ?? []).flatMap((each) => element.safeParse(each).data ?? []) as z.output<T>[]);
}

export const startedSchema = z.object({
  id: text,
  /** Numbered per stack. */
  version: lax(count),
  consoleUrl: lax(text),
});

export type Started = z.infer<typeof startedSchema>;

const listedSchema = z
  .looseObject({
    id: text,
    status: text,
    created: lax(z.string()),
    version: lax(count),
    pulumiOperation: lax(text),
    agentPool: lax(z.object({ id: text })),
    projectName: lax(text),
    stackName: lax(text),
    paused: lax(z.boolean()),
  })
  .transform(
    ({
      id,
      status,
      created,
      version,
      pulumiOperation,
      agentPool,
      projectName,
      stackName,
      paused = false,
      ...rest
    }) => ({
      id,
      status,
      version,
      pulumiOperation,
      projectName,
      stackName,
      /** What it says it is, where that isn't a deployment. */
      kind: otherKindIn(rest),
      /** The stack's deployments are paused: they wait until they are resumed. */
      paused,
      poolId: agentPool?.id,
      /** Milliseconds since the epoch; NaN if unknown. */
      createdAt: timeOf(created),
    }),
  );

export type ListedDeployment = z.infer<typeof listedSchema>;

export const deploymentPageSchema = z.object({
  deployments: tolerantList(listedSchema),
  /** On all pages. */
  total: lax(count),
});

/** An organization's deployments in numbers, as far as Pulumi Cloud reports them. */
export const loadSchema = z
  .object({
    paused: lax(z.boolean()),
    /** The most that may run at a time. */
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

export function stackPath({ organization, project, stack }: StackName): string {
  return `/api/stacks/${[organization, project, stack].map(encodeURIComponent).join('/')}`;
}

export function deploymentsPath(stack: StackName): string {
  return `${stackPath(stack)}/deployments`;
}

export const stackPageSchema = z.object({
  stacks: tolerantList(
    z.object({ orgName: text, projectName: text, stackName: text }).transform((stack) => ({
      organization: stack.orgName,
      project: stack.projectName,
      stack: stack.stackName,
    })),
  ),
  continuationToken: z.string().nullish(),
});

/** A pool and the agents that Pulumi Cloud has seen on it. */
export const poolSchema = z.object({
  name: lax(text),
  agents: tolerantList(z.object({ hostname: lax(text), status: lax(text) })).catch([]),
});

export const poolListSchema = z.object({
  agentPools: tolerantList(z.object({ id: text, name: lax(text) })),
  /** Left out if Pulumi's hosted runners are the default. */
  defaultAgentPoolID: lax(text),
});

/** The deployments that a pull request starts: a preview, or updates of a review stack. */
const pullRequestsSchema = lax(
  z.object({ previewPullRequests: lax(z.boolean()), pullRequestTemplate: lax(z.boolean()) }),
);

/** A stack's deployment settings: without a pool, the organization's default takes its deployments. */
export const stackSettingsSchema = z.object({
  agentPoolID: lax(text),
  sourceContext: lax(z.looseObject({})),
  gitHub: pullRequestsSchema,
  /** The same of any version control system. */
  vcs: pullRequestsSchema,
});

/** Whether a stack's new deployments wait, and by whose pause. */
export const stackPauseSchema = z.object({ stackPaused: z.boolean(), organizationPaused: z.boolean() });

const operationSchema = z.object({
  kind: z.string().catch(''),
  author: z.string().catch(''),
  /** Seconds since the epoch. */
  started: lax(z.number().int().positive()),
});

/** The operation that changes a stack, and holds its lock. */
export type StackOperation = z.output<typeof operationSchema>;

/** A stack: its version counts what changed it; `currentOperation` is there while something does. */
export const stackSchema = z.object({
  /** Every stack's answer has it. */
  stackName: lax(text),
  version: lax(count),
  currentOperation: operationSchema.nullish().transform((operation) => operation ?? undefined),
});

/**
 * The operation that a stack's answer names as under way, `none` if it names none; undefined if this
 * is no stack's answer.
 */
export function operationIn(json: unknown): StackOperation | 'none' | undefined {
  const stack = stackSchema.safeParse(json).data;
  return stack?.stackName === undefined ? undefined : (stack.currentOperation ?? 'none');
}

const versionSchema = z.object({ configuration: z.object({ minVersion: count }) });

/** The least version of its API that a service answers; undefined if it doesn't say. */
export function leastApiVersion(json: unknown): number | undefined {
  const schema = z.object({
    capabilities: tolerantList(versionSchema.extend({ capability: z.literal('api-version') })),
  });
  return schema.safeParse(json).data?.capabilities[0]?.configuration.minVersion;
}

/** Parses RFC 3339; a time without a zone is UTC. */
export function timeOf(created: string | undefined): number {
  if (created === undefined) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(created) ? created : `${created.replace(' ', 'T')}Z`);
}

/** A service, and its console where that has another host than its API's name says. */
export interface Service {
  readonly serviceUrl: string;
  /** As the CLI reads PULUMI_CONSOLE_DOMAIN: a host with or without a port. */
  readonly consoleDomain?: string | undefined;
}

/**
 * The console page of an organization's deployments, the closest to a claim's. Undefined without a
 * known console.
 */
export function consoleUrl(service: Service, organization: string | undefined): string | undefined {
  return organization === undefined ? undefined : page(service, [organization]);
}

/**
 * A deployment's console page: as reported, else derived from its version. Undefined if neither is
 * known.
 */
export function deploymentUrl(
  service: Service,
  stack: StackName,
  { version, consoleUrl: reported = '' }: Partial<Started>,
): string | undefined {
  if (/^https?:\/\/\S+$/.test(reported) && URL.canParse(reported)) return reported;
  return version === undefined
    ? undefined
    : page(service, [stack.organization, stack.project, stack.stack], String(version));
}

/**
 * Pulumi Cloud serves its API at `api.<domain>`, its console at `app.<domain>`. Another host's is
 * where the agent's own settings say, never where a job does (pulumi/pulumi, cloudConsoleURL).
 */
function page(
  { serviceUrl, consoleDomain }: Service,
  subject: readonly string[],
  ...further: readonly string[]
): string | undefined {
  const { protocol, hostname } = new URL(serviceUrl);
  const path = [...subject.map(encodeURIComponent), 'deployments', ...further].join('/');
  if (consoleDomain !== undefined) return `${protocol}//${consoleDomain}/${path}`;
  return hostname.startsWith('api.') ? `https://app.${hostname.slice('api.'.length)}/${path}` : undefined;
}
