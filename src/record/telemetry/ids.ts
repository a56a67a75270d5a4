import { hash } from 'node:crypto';
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import { type Tracing, traceIdOf } from '../trace.ts';

/** A W3C `traceparent` (Trace Context, level 2). */
export interface Traceparent {
  readonly traceId: string;
  readonly parentId: string;
  readonly flags: string;
}

/** The flags of version 00: sampled, and a random trace ID. */
const FLAGS = 0x03;
const SAMPLED = 0x01;
const ZEROS = /^0+$/;

/** Parses a `traceparent`; undefined if it is invalid, so that a new trace begins. */
export function parseTraceparent(text = ''): Traceparent | undefined {
  const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
  const [, version, traceId = '', parentId = '', flags = '', rest] = form.exec(text.trim()) ?? [];

  // Later versions can append fields.
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return undefined;

  return { traceId, parentId, flags: `0${Number.parseInt(flags, 16) & FLAGS}` };
}

/** A `traceparent` of version 00. */
export function traceparentOf({ traceId, parentId, flags }: Traceparent): string {
  return `00-${traceId}-${parentId}-${flags}`;
}

/** True if the trace is recorded: otherwise no span of it leaves. */
export function isSampled({ flags }: { readonly flags: string }): boolean {
  return (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
}

/** A span's ID. `id` is its job's, or its run's own; `part` is its name below that. */
export function spanIdOf(id: string, part?: string | number): string {
  return hash('sha256', part === undefined ? id : `${id}/${part}`).slice(0, 16);
}

/**
 * Names the traces of an agent. A single run is part of the environment's trace, or that of the
 * GitHub workflow run; the runs of a lasting agent are traces of their own.
 */
export function tracingOf(
  environment: Environment,
  { singleRun, isOn }: { readonly singleRun: boolean; readonly isOn: boolean },
): Tracing {
  const { TRACEPARENT, TRACESTATE, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA } = environment;
  const { GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT } = environment;

  const parent = singleRun ? parseTraceparent(TRACEPARENT) : undefined;
  const state = parent && (TRACESTATE?.trim() || undefined);

  // As the OpenTelemetry Collector's githubreceiver makes it.
  const github =
    singleRun && GITHUB_RUN_ID && GITHUB_RUN_ATTEMPT
      ? hash('sha256', `${GITHUB_RUN_ID}${GITHUB_RUN_ATTEMPT}t`).slice(0, 32)
      : undefined;

  const source = {
    repository:
      GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined,
    revision: GITHUB_SHA || undefined,
  };

  const traceOf: Tracing['traceOf'] = (deploymentId) => {
    const traceId = github ?? (deploymentId === undefined ? undefined : traceIdOf(deploymentId));
    return { ...(parent ?? { traceId, flags: '01' }), state, ...source };
  };

  if (!isOn) return { traceOf };

  return {
    traceOf,
    variablesOf: (trace, jobId, index) => {
      const { traceId, parentId, flags } = trace;
      const tracestate = trace.state === undefined ? {} : { TRACESTATE: trace.state };
      // A trace that isn't recorded has no span to join: the incoming one is passed on.
      if (!isSampled(trace))
        return { ...defined({ TRACEPARENT: parentId && TRACEPARENT?.trim() }), ...tracestate };
      if (traceId === undefined) return {};
      const span = spanIdOf(jobId, index);
      return { TRACEPARENT: traceparentOf({ traceId, parentId: span, flags }), ...tracestate };
    },
  };
}
