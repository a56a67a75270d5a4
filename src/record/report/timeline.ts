import { kindText } from '../../base/stack.ts';
import type { JobReport, RunReport, StepReport } from './report.ts';

export type Phase = 'queue' | 'preparation' | 'steps' | 'reporting';
export type BarStatus = 'done' | 'failed' | 'unfinished';

/**
 * One phase of a run. Times are milliseconds from the start of the run; `end` is never before
 * `start`.
 */
export interface Bar {
  readonly phase: Phase;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly status: BarStatus;
}

export interface Timeline {
  readonly bars: readonly Bar[];
  /** Milliseconds from the first moment to the last. */
  readonly length: number;
}

/** A shorter start gets no row. */
const MIN_START_MS = 100;

/**
 * How a run spent its time, in order: start, waiting, preparation, steps, reporting. Undefined
 * without a claim.
 */
export function timelineOf(report: RunReport): Timeline | undefined {
  const { startedAt, claimedAt, finishedAt, waitSeconds } = report;
  const steps = report.jobs?.map(asStep) ?? report.steps;
  const begun = steps.map((step) => step.startedAt).filter((time) => time !== undefined);
  const claimed = claimedAt ?? (begun.length === 0 ? undefined : Math.min(...begun));
  if (claimed === undefined) return undefined;

  const first = Math.min(startedAt ?? claimed, claimed);
  const bars: Bar[] = [];

  // A clock that was set back must not reverse a bar.
  const add = (phase: Phase, name: string, from: number, to: number, status: BarStatus): void => {
    const start = Math.max(0, from - first);
    bars.push({ phase, name, start, end: Math.max(start, to - first), status });
  };

  if (startedAt !== undefined) {
    // The agent's `waitSeconds` begin once it has signed in.
    const waiting = claimed - (waitSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const ready = waiting - startedAt >= MIN_START_MS ? waiting : startedAt;
    if (ready > startedAt) add('queue', 'Start and sign-in', startedAt, ready, 'done');
    add('queue', 'Waiting for a deployment', ready, claimed, 'done');
  }

  let lastEnd: number | undefined;
  for (const step of steps) {
    if (step.startedAt === undefined) continue;
    const end = step.finishedAt ?? finishedAt ?? step.startedAt;
    add(
      step.index === 0 ? 'preparation' : 'steps',
      `${step.index} ${step.name}`,
      step.startedAt,
      end,
      statusOf(step),
    );

    lastEnd = step.finishedAt === undefined ? undefined : Math.max(lastEnd ?? 0, end);
  }

  if (lastEnd !== undefined && finishedAt !== undefined && finishedAt > lastEnd) {
    add('reporting', 'Last reports and cleanup', lastEnd, finishedAt, 'done');
  }

  return { bars, length: Math.max(...bars.map(({ end }) => end), 0) };
}

/** A job as one step, from the start of its first to the end of its last. */
function asStep({ report }: JobReport, index: number): StepReport {
  const { steps, outcome, deployments, deploymentId, kind } = report;
  const times = steps
    .flatMap((step) => [step.startedAt, step.finishedAt])
    .filter((time) => time !== undefined);
  const name =
    deployments?.[0]?.stack ?? (kind === undefined ? `Deployment ${deploymentId}` : `Work ${kindText(kind)}`);
  const status = outcome === 'succeeded' ? outcome : 'failed';
  const begun = times.length > 0 && { startedAt: Math.min(...times), finishedAt: Math.max(...times) };

  return { index: index + 1, name, status, ...begun };
}

function statusOf({ status }: StepReport): BarStatus {
  if (status === 'failed') return 'failed';
  return status === 'succeeded' ? 'done' : 'unfinished';
}

/** The meaning of a bar's colour. */
export type BarKind = Phase | Exclude<BarStatus, 'done'>;

export const KINDS: Readonly<
  Record<BarKind, { readonly words: string; readonly tag: string; readonly colour: string }>
> = {
  queue: { words: 'waiting', tag: 'done, ', colour: 'grey' },
  preparation: { words: 'preparation', tag: 'active, ', colour: 'blue' },
  steps: { words: 'succeeded', tag: '', colour: 'green' },
  failed: { words: 'failed', tag: 'crit, ', colour: 'red' },
  unfinished: { words: 'not finished', tag: 'active, crit, ', colour: 'blue with a red edge' },
  reporting: { words: 'reporting', tag: 'done, ', colour: 'grey' },
};

export function kindOf({ phase, status }: Bar): BarKind {
  return status === 'done' ? phase : status;
}

export function kindsOf(bars: readonly Bar[]): BarKind[] {
  return [...new Set(bars.map(kindOf))];
}

/** More tick lines make the labels hard to read; Mermaid picks up to twenty by default. */
const MAX_TICKS = 8;

/** A round tick interval: in milliseconds, in Mermaid's syntax, and the format of its labels. */
type Axis = readonly [ms: number, interval: string, format: string];

const AXES: readonly Axis[] = [
  ...[100, 200, 500].map((ms): Axis => [ms, `${ms}millisecond`, '%-S.%L s']),
  ...[1, 2, 5, 10, 15, 30].map((n): Axis => [n * 1_000, `${n}second`, '%M:%S']),
  ...[1, 2, 5].map((n): Axis => [n * 60_000, `${n}minute`, '%M:%S']),
  ...[10, 15, 30].map((n): Axis => [n * 60_000, `${n}minute`, '%H:%M']),
  ...[1, 2, 3, 6, 12].map((n): Axis => [n * 3_600_000, `${n}hour`, '%H:%M']),
];

export function axisOf(length: number): Axis {
  return AXES.find(([ms]) => length <= ms * MAX_TICKS) ?? [86_400_000, '1day', '%j'];
}
