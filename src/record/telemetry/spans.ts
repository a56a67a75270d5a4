import { defined } from '../../base/defined.ts';
import { stackText } from '../../base/stack.ts';
import type { RunReport, StepReport } from '../report/report.ts';
import { type CicdResult, hasDied, NAMES, resultOf, stepResultOf } from './conventions.ts';
import { spanIdOf } from './ids.ts';

export type Attributes = Readonly<Record<string, string | number | string[]>>;

/** A span; times are milliseconds since the epoch. */
export interface Span {
  readonly id: string;
  readonly parentId?: string | undefined;
  readonly name: string;
  /** A pipeline's; the others are parts of its work. */
  readonly isServer: boolean;
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
  /** The reason of a failure; absent without one. */
  readonly failure?: string | undefined;
  readonly resource: Attributes;
}

/** A run of a pipeline: of a deployment, or of several. */
export interface Pipeline {
  readonly report: RunReport;
  /** When Pulumi Cloud had every report, if known. */
  readonly reportedAt?: number | undefined;
  /** The span that it is part of. */
  readonly parentId?: string | undefined;
  /** The resource's attributes that the record doesn't tell. */
  readonly attributes: Attributes;
}

const FAILED: ReadonlySet<CicdResult> = new Set(['failure', 'error', 'timeout']);

/** The ID from which a pipeline's spans have theirs: its job's; its own where it has none, or several. */
export function idOf({ jobs, jobId, owner, startedAt }: RunReport): string {
  const own = [owner?.host, owner?.pid, owner?.started, startedAt].join('/');
  return jobs === undefined ? (jobId ?? own) : own;
}

/** The spans of a pipeline, itself first. None without both its times. */
export function spansOf({ report, reportedAt, parentId, attributes }: Pipeline): Span[] {
  const { startedAt, finishedAt, claimedAt, waitSeconds = 0, identity, jobs, message } = report;
  if (startedAt === undefined || finishedAt === undefined) return [];

  const id = idOf(report);
  const run = spanIdOf(id);
  const resource = resourceOf(report, attributes);
  const steps = jobs === undefined ? report.steps : [];
  const result = resultOf(report);
  const error = FAILED.has(result) ? errorOf(report) : undefined;

  const part = (
    name: string,
    key: string | number,
    [from, to]: Interval,
    facts: Partial<Span> = {},
  ): Span[] => {
    if (from === undefined || to === undefined || to < from) return [];
    const base = { parentId: run, isServer: false, attributes: {}, resource };
    return [{ ...base, id: spanIdOf(id, key), name, from, to, ...facts }];
  };

  const waitEnd = claimedAt ?? (report.deploymentId === undefined ? finishedAt : undefined);
  const waitStart = waitEnd && waitSeconds > 0 ? waitEnd - Math.round(waitSeconds * 1000) : undefined;
  const stepsEnd = Math.max(...steps.map((step) => step.finishedAt ?? 0));

  return [
    {
      id: run,
      parentId,
      name: identity === undefined ? 'RUN' : `RUN ${stackText(identity)}`,
      isServer: true,
      from: startedAt,
      to: Math.max(startedAt, finishedAt),
      attributes: { [NAMES.action]: 'RUN', [NAMES.result]: result, ...defined({ [NAMES.error]: error }) },
      failure: error === undefined ? undefined : message,
      resource,
    },
    ...part('wait', 'wait', [waitStart && Math.max(startedAt, waitStart), waitEnd]),
    ...steps.flatMap((step) => {
      // Only a step that ran when the agent died has no end of its own.
      const end = step.status === 'running' && hasDied(report) ? finishedAt : step.finishedAt;
      return part(step.name, step.index, [step.startedAt, end], taskOf(step, report, result));
    }),
    ...part('report', 'report', [stepsEnd > 0 ? stepsEnd : undefined, reportedAt]),
  ];
}

type Interval = readonly [from: number | undefined, to: number | undefined];

/** The code of the run's end. */
function errorOf(report: RunReport): string {
  return report.code ?? (hasDied(report) ? 'PRA-CONFIG-14' : report.outcome);
}

function taskOf(step: StepReport, report: RunReport, run: CicdResult) {
  const { name, index, exitCode, reason } = step;
  const result = stepResultOf(step, run);
  const isOwn = result === 'failure' && exitCode !== undefined;
  const error = isOwn ? String(exitCode) : errorOf(report);
  const failed = FAILED.has(result);

  return {
    attributes: defined({
      [NAMES.task]: name,
      [NAMES.taskRunId]: `${idOf(report)}/${index}`,
      [NAMES.taskUrl]: pageOf(report),
      [NAMES.taskResult]: result,
      [NAMES.exitCode]: exitCode,
      [NAMES.error]: failed ? error : undefined,
    }) as Attributes,
    failure: failed ? (reason ?? (isOwn ? `exit code ${exitCode}` : report.message)) : undefined,
  };
}

function pageOf({ deploymentUrl, consoleUrl, serviceUrl }: RunReport): string | undefined {
  return deploymentUrl ?? consoleUrl ?? serviceUrl;
}

function resourceOf(report: RunReport, attributes: Attributes): Attributes {
  const { owner, version, identity, deploymentId, image, imageDigest } = report;

  const facts = {
    [NAMES.service]: 'pulumi-runner-agent',
    [NAMES.serviceVersion]: version,
    [NAMES.host]: owner?.host,
    [NAMES.worker]: owner && `${owner.host}/${owner.pid}`,
    [NAMES.pipeline]: identity && stackText(identity),
    [NAMES.runId]: deploymentId,
    [NAMES.runUrl]: deploymentId && pageOf(report),
    [NAMES.image]: image,
    [NAMES.imageDigests]: imageDigest === undefined ? undefined : [imageDigest],
  };

  return { ...(defined(facts) as Attributes), ...attributes };
}
