import { z } from 'zod';
import { defined } from '../base/defined.ts';
import { count, lax, text, timeOf, tolerantList } from './organization-wire.ts';
import { otherKindIn } from './work-kind.ts';

/*
 * Pulumi Cloud's answers about a deployment (the types of its own SDK), read as tolerantly as the organization's.
 */

const stepSchema = z.object({
  name: z.string().catch(''),
  status: z.string().catch('not-started'),
  started: lax(z.string()),
  lastUpdated: lax(z.string()),
});

export const deploymentSchema = z
  .looseObject({
    id: lax(text),
    status: text,
    version: lax(count),
    created: lax(z.string()),
    pulumiOperation: lax(text),
    jobs: tolerantList(z.object({ steps: tolerantList(stepSchema).catch([]) })).catch([]),
  })
  .transform(({ jobs, id, status, created, version, pulumiOperation, ...rest }) => ({
    status,
    /** `kind` is what it says it is, where that isn't a deployment. */
    ...defined({ id, version, pulumiOperation, kind: otherKindIn(rest) }),
    /** Milliseconds since the epoch; NaN if unknown. */
    createdAt: timeOf(created),
    /** The steps of all jobs in order; `job` and `step` are their indices in the API. */
    steps: jobs.flatMap(({ steps }, job) => steps.map((each, step) => ({ ...each, job, step }))),
  }));

/** A deployment's state (protocol section 7). Times are RFC 3339, as Pulumi Cloud reports them. */
export type DeploymentView = z.infer<typeof deploymentSchema>;

/** Offsets count lines, so none may be left out: an unreadable one becomes empty. */
export const linesSchema = z.object({
  lines: z.array(z.object({ line: z.string() }).catch({ line: '' })).nullish(),
  nextOffset: lax(count),
});

export const driftSchema = z.object({ driftDetected: z.boolean() });

/** Counts by kind, without what can't be one: a sum of others could be no number that a record can hold. */
const changesSchema = z.record(z.string(), z.unknown()).transform((given) =>
  Object.fromEntries(
    Object.entries(given).flatMap(([kind, value]) => {
      const { data } = count.safeParse(value);
      return data === undefined ? [] : [[kind, data] as const];
    }),
  ),
);

const driftRunSchema = z.object({
  id: lax(text),
  deploymentId: text,
  driftDetected: z.boolean(),
  status: lax(text),
  detectUpdate: lax(z.object({ resourceChanges: lax(changesSchema) })),
});
/** The drift run of a deployment: `driftDetected` is false too if the run failed, which `status` then says. */
export type DriftRun = Pick<z.infer<typeof driftRunSchema>, 'driftDetected'> &
  Partial<z.infer<typeof driftRunSchema>>;
const driftRunsSchema = z.object({ driftRuns: tolerantList(driftRunSchema) });

/** The run of this deployment in a page of a stack's drift runs; undefined if there is none. */
export function driftRunIn(json: unknown, deploymentId: string): DriftRun | undefined {
  return driftRunsSchema.safeParse(json).data?.driftRuns.find((run) => run.deploymentId === deploymentId);
}

const updatesSchema = tolerantList(
  z.object({
    updateID: lax(text),
    info: z.object({
      kind: z.string().catch(''),
      startTime: z.number().catch(0),
      resourceChanges: changesSchema.catch({}),
    }),
  }),
);

/** `preview`, and those of another operation, such as `Pupdate`. */
const PREVIEW = /^(?:preview$|P[a-z])/;

type UpdateAnswer = z.output<typeof updatesSchema>[number];

/** An update that a deployment made. */
export interface DeploymentUpdate {
  readonly id: string;
  /** As Pulumi Cloud names it: `update`, `destroy`, `Pupdate`. */
  readonly kind: string;
  /** It only planned. */
  readonly preview: boolean;
}

/**
 * The updates that tell what a deployment did: the last of each kind, as the others were repeated, and previews only if
 * there is nothing else. Undefined without any.
 */
function countedIn(json: unknown): readonly UpdateAnswer[] | undefined {
  const all = updatesSchema.safeParse(json).data ?? [];
  if (all.length === 0) return undefined;

  const real = all.filter(({ info }) => !PREVIEW.test(info.kind));
  const counted = real.length > 0 ? real : all;
  const inOrder = counted.toSorted((one, other) => one.info.startTime - other.info.startTime);
  return [...new Map(inOrder.map((update) => [update.info.kind, update])).values()];
}

/** Counts resources by what a deployment's updates did to them. Undefined without any. */
export function changesIn(json: unknown): Record<string, number> | undefined {
  const counted = countedIn(json);
  if (counted === undefined) return undefined;

  const sums = new Map<string, number>();
  for (const { info } of counted)
    for (const [kind, number] of Object.entries(info.resourceChanges))
      sums.set(kind, (sums.get(kind) ?? 0) + number);
  return Object.fromEntries(sums);
}

/** The updates whose steps tell what a deployment did; empty if none is known by its ID. */
export function updatesIn(json: unknown): DeploymentUpdate[] {
  return (countedIn(json) ?? []).flatMap(({ updateID: id, info: { kind } }) =>
    id === undefined ? [] : [{ id, kind, preview: PREVIEW.test(kind) }],
  );
}

/**
 * The names in the API's paths under which an update's events can be: a preview's kind doesn't say whether `pulumi
 * preview` made it or `pulumi up`.
 */
export function pathsOf(kind: string): readonly string[] {
  const named = kind.replace(/^P(?=[a-z])/, '');
  if (kind === 'Pupdate') return ['preview', 'update'];
  return ['update', 'preview', 'refresh', 'destroy'].includes(named) ? [named] : [];
}

/** One step of an update. A resource's properties are never read. */
export interface UpdateStep {
  readonly phase: 'begun' | 'done' | 'failed';
  /** The engine's operation (`AppOpType`). */
  readonly op: string;
  readonly urn: string;
  readonly type: string;
}

const stepEvent = lax(z.object({ metadata: z.object({ op: text, urn: text, type: text }) }).nullable());

export const eventsSchema = z.object({
  events: tolerantList(
    z
      .object({ resourcePreEvent: stepEvent, resOutputsEvent: stepEvent, resOpFailedEvent: stepEvent })
      .transform(({ resourcePreEvent: begun, resOutputsEvent: done, resOpFailedEvent: failed }) =>
        Object.entries({ begun, done, failed }).flatMap(([phase, event]): UpdateStep[] =>
          event ? [{ phase: phase as UpdateStep['phase'], ...event.metadata }] : [],
        ),
      ),
  ).transform((events) => events.flat()),
  continuationToken: z.string().nullish().catch(undefined),
});

const operationSchema = z.object({
  kind: z.string().catch(''),
  author: z.string().catch(''),
  /** Seconds since the epoch. */
  started: lax(z.number().int().positive()),
});

/** The operation that holds a stack's lock. */
export type StackOperation = z.output<typeof operationSchema>;

const stackSchema = z.object({ stackName: text, currentOperation: z.unknown().optional() });

/**
 * The operation that a stack's answer names as under way, `none` if it names none; undefined if this
 * is no stack's answer.
 */
export function operationIn(json: unknown): StackOperation | 'none' | undefined {
  const stack = stackSchema.safeParse(json).data;
  if (stack === undefined) return undefined;
  const { currentOperation } = stack;
  return currentOperation === undefined || currentOperation === null
    ? 'none'
    : operationSchema.safeParse(currentOperation).data;
}
