import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { OutcomeError } from '../../base/outcome.ts';
import { lastLines } from '../growing-lines.ts';
import { readEvents, readResult } from '../reader.ts';
import { type RunReport, reportOf, reportWithout } from '../report/report.ts';
import { RECORD_DIRECTORY, RUN_FILES } from '../schema.ts';
import { type Trace, traceIdOf } from '../trace.ts';
import { hasDied, NAMES } from './conventions.ts';
import { spanIdOf } from './ids.ts';
import { type Attributes, idOf, type Span, spansOf } from './spans.ts';

export interface RunTrace extends Trace {
  readonly traceId: string;
  readonly spans: readonly Span[];
}

/** How a run without a result ended, unless its events say more. */
const KILLED = {
  outcome: 'failed',
  message: 'The agent was killed before it could write a result.',
} as const;

/**
 * The trace of a run, from its directory: always the same. `attributes` are the user's. Throws
 * OutcomeError for a directory without a record or with another version's, and what node:fs throws.
 */
export async function readTrace(directory: string, attributes: Attributes): Promise<RunTrace> {
  const [events, result] = [await readEvents(directory), await readResult(directory)];
  const started = events.find((event) => event.type === 'agent-started');

  if (started === undefined && result === undefined) {
    const message = `Failed to read the record for the trace: ${directory} has none. Name a run directory.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-TRACE-03' });
  }

  const read = await (result === undefined ? reportWithout(directory, KILLED) : reportOf(directory, result));
  const agent = { owner: started?.owner, version: started?.version };
  const lastSign = hasDied(read) ? await lastSignOfLife(directory, read.finishedAt) : read.finishedAt;
  const report: RunReport = { ...agent, ...read, finishedAt: lastSign };

  const trace: Trace = result?.trace ?? started?.trace ?? { flags: '01' };
  const { flags, state, parentId, repository, revision } = trace;
  const traceId = trace.traceId ?? traceIdOf(report.deploymentId ?? idOf(report));
  const source = defined({ [NAMES.repository]: repository, [NAMES.revision]: revision });
  const allAttributes = { ...source, ...attributes };

  const only = report.jobs === undefined ? (report.deployments?.[0]?.directory ?? '') : '';
  // It comes from a file, and must not lead out of the run directory.
  const reportedAt = await timeOfReport(join(directory, RECORD_DIRECTORY.test(only) ? only : ''));
  const spans = spansOf({
    attributes: allAttributes,
    report: { ...report, ...waitOf(report) },
    reportedAt,
    parentId,
  });

  for (const { directory: name, report: job } of report.jobs ?? []) {
    // The run has waited, for all of them.
    const { waitSeconds: _, ...facts } = { ...agent, ...job };
    const finishedAt = (hasDied(job) ? lastSign : undefined) ?? job.finishedAt;
    const part = { ...facts, finishedAt };
    const partReportedAt = await timeOfReport(join(directory, name));
    const parent = spanIdOf(idOf(report));
    spans.push(
      ...spansOf({
        attributes: allAttributes,
        report: part,
        reportedAt: partReportedAt,
        parentId: parent,
      }),
    );
  }

  return { traceId, flags, state, parentId, spans };
}

/** The wait of a run of several deployments: that for the first of its jobs. */
function waitOf({ jobs = [] }: RunReport): Partial<RunReport> {
  const claimed = jobs.map(({ report: { claimedAt, waitSeconds } }) => defined({ claimedAt, waitSeconds }));
  const [first = {}] = claimed.sort((a, b) => (a.claimedAt ?? Infinity) - (b.claimedAt ?? Infinity));
  return first;
}

/** When Pulumi Cloud had every report of a job; undefined if it isn't recorded. */
async function timeOfReport(directory: string): Promise<number | undefined> {
  const event = (await readEvents(directory)).find(({ type }) => type === 'reported');
  return event && Date.parse(event.t);
}

/** The last time at which an agent that died is known to have lived. */
async function lastSignOfLife(directory: string, lastEvent = 0): Promise<number> {
  const [line = ''] = await lastLines(join(directory, RUN_FILES.health), 1);
  const time = Date.parse(/^\{"t":"([^"]+)"/.exec(line)?.[1] ?? '');
  return Math.max(lastEvent, Number.isNaN(time) ? 0 : time);
}
