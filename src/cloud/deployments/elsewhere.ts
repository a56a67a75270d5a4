import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log/level.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import type { StepLog } from '../../base/log/step-log.ts';
import { exitCodeOf, messageOf, type Verdict } from '../../base/outcome.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import { changesInLogs } from '../../record/output/changes.ts';
import { lockHint } from '../../record/output/lock.ts';
import { RecordedStep } from '../../record/recorded-step.ts';
import type { RunRecord } from '../../record/run-record.ts';
import type { StepResult } from '../../record/schema.ts';
import type { DeploymentApi, DeploymentName } from '../deployment-api.ts';
import type { DeploymentUpdate, DeploymentView } from '../deployment-wire.ts';
import { askPatiently } from './ask.ts';
import { failedElsewhere } from './errors.ts';
import { recordedChanges } from './recorded-changes.ts';
import { stackLock } from './stack-lock.ts';

/** The most lines of a deployment to fetch, in 400 calls. The rest stays in Pulumi Cloud. */
const MAX_LINES = 200_000;
const NOT_SENT: StepResult['cloud'] = { sent: 0, undelivered: 0 };

export interface ElsewhereOptions {
  readonly api: DeploymentApi;
  readonly name: DeploymentName;
  readonly view: DeploymentView;
  /** Its updates; undefined where Pulumi Cloud doesn't report them. */
  readonly updates: readonly DeploymentUpdate[] | undefined;
  readonly serviceUrl: string;
  /** Makes the record of one deployment, in this directory. */
  readonly newRecord: () => RunRecord;
  readonly directory: string;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Records a deployment that another agent ran, from what Pulumi Cloud reports. Returns the verdict, with the error
 * that a failed step printed. Never rejects: gaps are logged.
 */
export async function recordElsewhere(
  verdict: Verdict,
  own: OwnDeployment,
  options: ElsewhereOptions,
): Promise<Verdict> {
  const { stack, operation, version, deploymentId, consoleUrl: deploymentUrl } = own;
  const { api, name, view, updates, serviceUrl, newRecord, directory, redactor, log, signal } = options;
  const record = newRecord();

  try {
    record.open(directory);
    const steps = await recordSteps(record, options);
    const { error } = steps.find(({ status }) => status === 'failed') ?? {};
    const ended =
      verdict.outcome === 'failed' && error !== undefined
        ? { ...verdict, ...failedElsewhere(operation, stack, '', error) }
        : verdict;
    const redact = (text: string) => redactor.text(text);
    const readUpdates = async () => updates ?? [];
    const recorded = await recordedChanges(name.stack, { readUpdates, api, redact, log, signal });
    const resources = recorded ?? (await changesInLogs(directory, steps));
    const hint = await lockHint(directory, steps);
    const lock = hint && (await stackLock(hint, { api, stack: name.stack, log, signal }));
    record.close({
      ...ended,
      deploymentId,
      deploymentUrl,
      identity: { ...name.stack, operation, version, proven: true },
      exitCode: exitCodeOf(verdict.outcome),
      serviceUrl,
      waitSeconds: 0,
      runSeconds: secondsOf(view.steps) ?? 0,
      forwarded: [],
      steps,
      resources,
      lock,
      elsewhere: true,
    });
    return ended;
  } catch (error) {
    log('warning', `The record of ${stack} is incomplete: ${messageOf(error)}`);
    return verdict;
  }
}

/**
 * Records the steps' events and logs, and returns their results. An unreadable log is a notice, not
 * an error.
 */
async function recordSteps(record: RunRecord, options: ElsewhereOptions): Promise<StepResult[]> {
  const { redactor, clock, view } = options;
  const { steps } = view;
  record.event({ type: 'job-loaded', image: '', steps: steps.map(({ name }) => name) });

  const results: StepResult[] = [];
  let linesLeft = MAX_LINES;

  for (const [index, step] of steps.entries()) {
    const { name, status, started, lastUpdated } = step;
    if (status === 'not-started') {
      results.push({ index, name, status, lines: 0, bytes: 0, cloud: NOT_SENT });
      continue;
    }

    const notice = (message: string) => record.notice('warning', message);
    const recorded = new RecordedStep(index, name, { record, redactor, clock, notice });
    const gap = await copyLines(step, recorded.log, linesLeft, options);

    if (gap !== undefined) notice(`The log of ${name} is ${gap}`);

    const isOver = status === 'succeeded' || status === 'failed';
    const reason = isOver ? undefined : `Pulumi Cloud calls it ${status}`;
    const end = { status: status === 'succeeded' ? status : 'failed', reason } as const;

    const result = await recorded.finish(end, {
      startedAt: timeOf(started),
      finishedAt: isOver ? timeOf(lastUpdated) : undefined,
      seconds: secondsOf([step]) ?? 0,
    });

    recorded.file.close();
    linesLeft -= result.lines;
    results.push({ ...result, cloud: NOT_SENT });
  }

  return results;
}

/**
 * Copies a step's log, up to `most` lines. Returns what is wrong with the copy, if anything. Never
 * rejects.
 */
async function copyLines(
  step: DeploymentView['steps'][number],
  log: StepLog,
  most: number,
  { api, name, clock, signal }: ElsewhereOptions,
) {
  try {
    for (let offset = 0; offset < most; ) {
      const ask = () => api.lines(name, { ...step, offset }, signal);
      const { lines, next } = await askPatiently(ask, { clock, signal });
      if (lines.length > 0) await log.write(Buffer.from(`${lines.join('\n')}\n`));
      if (next === undefined) return undefined;
      offset = next;
    }

    return 'too long to keep here in full: the rest is in Pulumi Cloud.';
  } catch (error) {
    return `incomplete: ${messageOf(error)}`;
  }
}

/** RFC 3339 with milliseconds, or undefined if `time` isn't a time. */
function timeOf(time = ''): string | undefined {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/**
 * Seconds from the first step's start to the last update; undefined if Pulumi Cloud doesn't report
 * them.
 */
export function secondsOf(steps: DeploymentView['steps']): number | undefined {
  const times = (list: readonly (string | undefined)[]) =>
    list.map((time) => Date.parse(time ?? '')).filter((ms) => !Number.isNaN(ms));
  const started = times(steps.map((step) => step.started));
  const ended = times(steps.map((step) => step.lastUpdated));
  if (started.length === 0 || ended.length === 0) return undefined;
  return Math.max(0, (Math.max(...ended) - Math.min(...started)) / 1000);
}
