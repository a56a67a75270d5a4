import { z } from 'zod';
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

/** A deployment's state (protocol section 7). Times of its steps are RFC 3339, as Pulumi Cloud reports them. */
export interface DeploymentView {
  readonly id?: string | undefined;
  readonly status: string;
  readonly version?: number | undefined;
  readonly pulumiOperation?: string | undefined;
  /** What it says it is, where that isn't a deployment. */
  readonly kind?: string | undefined;
  /** Milliseconds since the epoch; NaN if unknown. */
  readonly createdAt: number;
  /** The steps of all jobs in order; `job` and `step` are their indices in the API. */
  readonly steps: readonly (z.output<typeof stepSchema> & { readonly job: number; readonly step: number })[];
}

export const deploymentSchema = z
  .looseObject({
    id: lax(text),
    status: text,
    version: lax(count),
    created: lax(z.string()),
    pulumiOperation: lax(text),
    jobs: tolerantList(z.object({ steps: tolerantList(stepSchema).catch([]) })).catch([]),
  })
  .transform(
    ({ jobs, id, status, created, version, pulumiOperation, ...rest }): DeploymentView => ({
      id,
      status,
      version,
      pulumiOperation,
      kind: otherKindIn(rest),
      createdAt: timeOf(created),
      steps: jobs.flatMap(({ steps }, job) => steps.map((each, step) => ({ ...each, job, step }))),
    }),
  );

/** Offsets count lines, so none may be left out: an unreadable one becomes empty. */
export const linesSchema = z.object({
  lines: z.array(z.object({ line: z.string() }).catch({ line: '' })).nullish(),
  nextOffset: lax(count),
});

export const driftSchema = z.object({ driftDetected: z.boolean() });

/** Counts by kind, without what can't be one: a sum of others could be no number that a record can hold. */
const changesSchema = z.record(z.string(), z.unknown()).transform((counts) =>
  Object.fromEntries(
    Object.entries(counts).flatMap(([kind, value]) => {
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
export type DriftRun = Omit<z.infer<typeof driftRunSchema>, 'deploymentId'>;
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

/** An update that a deployment made. */
export interface DeploymentUpdate {
  readonly id: string | undefined;
  /** As Pulumi Cloud names it: `update`, `destroy`, `Pupdate`. */
  readonly kind: string;
  /** It only planned. */
  readonly preview: boolean;
  /** Resources by what it did to them. */
  readonly changes: Readonly<Record<string, number>>;
}

/**
 * The updates that tell what a deployment did: the last of each kind, as the others were repeated, and previews only if
 * there is nothing else. Empty without any.
 */
export function updatesIn(json: unknown): readonly DeploymentUpdate[] {
  const all = updatesSchema.safeParse(json).data ?? [];
  const real = all.filter(({ info }) => !PREVIEW.test(info.kind));
  const counted = real.length > 0 ? real : all;
  const inOrder = counted.toSorted((one, other) => one.info.startTime - other.info.startTime);
  return [...new Map(inOrder.map((update) => [update.info.kind, update])).values()].map(
    ({ updateID: id, info: { kind, resourceChanges: changes } }) => ({
      id,
      kind,
      preview: PREVIEW.test(kind),
      changes,
    }),
  );
}

/** Counts resources by what these updates did to them. Undefined without any. */
export function changesBy(updates: readonly DeploymentUpdate[]): Record<string, number> | undefined {
  if (updates.length === 0) return undefined;

  const sums = new Map<string, number>();
  for (const { changes } of updates)
    for (const [kind, count] of Object.entries(changes)) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return Object.fromEntries(sums);
}

/**
 * The names in the API's paths under which an update's events can be: a preview's kind doesn't say whether `pulumi
 * preview` made it or `pulumi up`.
 */
export function pathsOf(kind: string): readonly string[] {
  const path = kind.replace(/^P(?=[a-z])/, '');
  if (kind === 'Pupdate') return ['preview', 'update'];
  return ['update', 'preview', 'refresh', 'destroy'].includes(path) ? [path] : [];
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

/** The key by which Pulumi marks values that JSON has no form for: secrets, assets, archives, references (its SDK, sig). */
export const SIGNATURE = '4dabf18193072939515e22adb298388d';

/** A stack's outputs by name, each as the stack's state has it. Without a copy, as a name such as __proto__ is valid. */
export type OutputValues = Readonly<Record<string, unknown>>;

const values = z.custom<OutputValues>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** `StackOutputsResponse`: nothing that is pending or unknown has values. */
export const outputsSchema = z.object({
  outputs: values.nullish().transform((outputs) => outputs ?? {}),
  unknown: z.boolean().optional(),
  state: z.string().optional(),
});

const exportSchema = z.object({
  deployment: z.object({ resources: z.array(z.unknown()).nullish() }),
});
const rootSchema = z.object({ type: z.literal('pulumi:pulumi:Stack'), outputs: values.nullish() });

/** The outputs in a stack's exported state, of its root resource; undefined if the answer is no such state. */
export function outputsInExport(json: unknown): OutputValues | undefined {
  const { data } = exportSchema.safeParse(json);
  if (data === undefined) return undefined;
  const root = data.deployment.resources?.find((resource) => rootSchema.safeParse(resource).success);
  return rootSchema.safeParse(root).data?.outputs ?? {};
}
