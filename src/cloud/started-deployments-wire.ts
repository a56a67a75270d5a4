import { z } from 'zod';
import { defined } from '../defined.ts';
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

const changesSchema = z.record(z.string(), z.number());

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
    info: z.object({
      kind: z.string().catch(''),
      startTime: z.number().catch(0),
      resourceChanges: changesSchema.catch({}),
    }),
  }),
);

/** `preview`, and those of another operation, such as `Pupdate`. */
const PREVIEW = /^(?:preview$|P[a-z])/;

/**
 * Counts resources by what a deployment's updates did to them: the last update of each kind counts,
 * as the others were repeated, and previews only if there is nothing else. Undefined without any.
 */
export function changesIn(json: unknown): Record<string, number> | undefined {
  const all = (updatesSchema.safeParse(json).data ?? []).map(({ info }) => info);
  if (all.length === 0) return undefined;

  const real = all.filter(({ kind }) => !PREVIEW.test(kind));
  const counted = real.length > 0 ? real : all;
  const last = new Map(
    counted.toSorted((one, other) => one.startTime - other.startTime).map((info) => [info.kind, info]),
  );

  const sums: Record<string, number> = {};
  for (const { resourceChanges } of last.values())
    for (const [kind, number] of Object.entries(resourceChanges)) sums[kind] = (sums[kind] ?? 0) + number;
  return sums;
}
