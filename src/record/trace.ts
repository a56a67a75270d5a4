import { hash } from 'node:crypto';
import { z } from 'zod';

/** The trace that a run belongs to, recorded so that a later export makes the same one. */
export const traceSchema = z.object({
  /** 32 digits. Absent before a claim, if the deployment will determine it (`traceIdOf`). */
  traceId: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  /** The CI system's span that the run is part of, 16 digits; absent if none is known. */
  parentId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  /** The two digits of `traceparent`; odd if the trace is recorded. */
  flags: z.string().regex(/^[0-9a-f]{2}$/),
  /** The `tracestate` that came with it. */
  state: z.string().optional(),
  /** The repository and the commit that the CI job is about. */
  repository: z.string().optional(),
  revision: z.string().optional(),
});

export type Trace = z.infer<typeof traceSchema>;

/** The ID of a trace that nothing but its deployment names. */
export function traceIdOf(deploymentId: string): string {
  return hash('sha256', deploymentId).slice(0, 32);
}

/** The variables with which a step's programs join its span. */
export type SpanVariables = Readonly<Record<string, string>>;

/** Names the traces of an agent's runs. */
export interface Tracing {
  /** The trace of a run; `deploymentId` is its first deployment, once it is known. */
  readonly traceOf: (deploymentId?: string) => Trace;
  /** Absent unless tracing is on. */
  readonly variablesOf?: (trace: Trace, jobId: string, index: number) => SpanVariables;
}
