import type { Clock } from '../../clock.ts';
import type { DeploymentName, DeploymentView, StartedDeployments } from '../../cloud/started-deployments.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import { defined } from '../../defined.ts';
import type { ErrorCode } from '../../error-codes.ts';
import type { Redactor } from '../../log/redactor.ts';
import type { StepLog } from '../../log/step-log.ts';
import { exitCodeOf, messageOf, type Verdict } from '../../outcome.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import { RecordedStep } from '../../record/recorded-step.ts';
import type { RunRecord } from '../../record/run-record.ts';
import type { StepResult } from '../../record/schema.ts';
import type { Log } from '../logging/log-line.ts';
import { askPatiently } from './result.ts';

/** The most lines of a deployment to fetch, in 400 calls. The rest stays in Pulumi Cloud. */
const MAX_LINES = 200_000;
const NOT_SENT: StepResult['cloud'] = { sent: 0, undelivered: 0 };

interface StepsSources {
  readonly api: Pick<StartedDeployments, 'lines'>;
  readonly name: DeploymentName;
  readonly view: DeploymentView;
  readonly record: RunRecord;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ElsewhereSources extends Omit<StepsSources, 'record'> {
  /** Where to write the record. */
  readonly directory: string;
  readonly newRecord: () => RunRecord;
  readonly config: Pick<AgentConfig, 'serviceUrl'>;
  readonly log: Log;
}

/** Records a deployment that another agent ran, from what Pulumi Cloud reports. Never rejects: gaps are logged. */
export async function recordElsewhere(
  verdict: Verdict,
  { stack, deploymentId, consoleUrl: deploymentUrl }: OwnDeployment,
  { directory, newRecord, config, log, ...sources }: ElsewhereSources,
): Promise<void> {
  const record = newRecord();
  try {
    record.open(directory);
    const steps = await recordSteps({ ...sources, record });
    record.close({
      ...verdict,
      ...defined({ deploymentId, deploymentUrl }),
      exitCode: exitCodeOf(verdict.outcome),
      serviceUrl: config.serviceUrl,
      waitSeconds: 0,
      runSeconds: secondsOf(sources.view) ?? 0,
      forwarded: [],
      steps,
      elsewhere: true,
    });
  } catch (error) {
    log('warning', `The record of ${stack} is incomplete: ${messageOf(error)}`);
  }
}

/** Records the steps' events and logs, and returns their results. An unreadable log is a notice, not an error. */
async function recordSteps(sources: StepsSources): Promise<StepResult[]> {
  const { view, record } = sources;
  record.event({ type: 'job-loaded', image: '', steps: view.steps.map(({ name }) => name) });
  const results: StepResult[] = [];
  let left = MAX_LINES;
  for (const [index, step] of view.steps.entries()) {
    const { name } = step;
    if (step.status === 'not-started') {
      results.push({ index, name, status: 'not-started', lines: 0, bytes: 0, cloud: NOT_SENT });
      continue;
    }
    const result = await recordStep({ ...sources, index, step, most: left });
    left -= result.lines;
    results.push(result);
  }
  return results;
}

interface StepSources extends StepsSources {
  readonly index: number;
  readonly step: DeploymentView['steps'][number];
  readonly most: number;
}

async function recordStep({ index, step, most, ...sources }: StepSources): Promise<StepResult> {
  const { record } = sources;
  const notice = (message: string) => record.notice('warning', message);
  const recorded = new RecordedStep({ ...sources, index, name: step.name, notice });
  await copyLines(recorded.log, { ...sources, index, step, most });
  const status = step.status === 'succeeded' ? 'succeeded' : 'failed';
  const isOver = step.status === 'succeeded' || step.status === 'failed';
  const reason = isOver ? undefined : `Pulumi Cloud calls it ${step.status}`;
  const times = { startedAt: timeOf(step.started), finishedAt: isOver ? timeOf(step.lastUpdated) : undefined };
  const seconds = secondsOf({ steps: [step] }) ?? 0;
  const result = await recorded.finish({ status, ...defined({ reason }) }, { ...defined(times), seconds });
  recorded.file.close();
  return { ...result, cloud: NOT_SENT };
}

async function copyLines(log: StepLog, { api, name, step, most, record, ...sources }: StepSources): Promise<void> {
  const { job, step: number } = step;
  const { signal } = sources;
  try {
    for (let offset = 0; offset < most; ) {
      const from = offset;
      const ask = () => api.lines(name, { job, step: number, offset: from }, signal);
      const { lines, next } = await askPatiently(ask, sources);
      if (lines.length > 0) await log.write(Buffer.from(`${lines.join('\n')}\n`));
      if (next === undefined) return;
      offset = next;
    }
    record.notice('warning', `The log of ${step.name} is too long to keep here in full: the rest is in Pulumi Cloud.`);
  } catch (error) {
    record.notice('warning', `The log of ${step.name} is incomplete: ${messageOf(error)}`);
  }
}

/** RFC 3339 with milliseconds, or undefined if `time` isn't a time. */
function timeOf(time = ''): string | undefined {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** The verdict on a deployment that another agent ran. */
export function elsewhereVerdict({ stack, operation }: OwnDeployment, { status, steps }: DeploymentView): Verdict {
  if (status === 'succeeded') return { outcome: 'succeeded', message: 'Every step succeeded.' };
  const code: ErrorCode = 'PRA-TRIGGER-09';
  const last =
    steps.find(({ status }) => status === 'failed') ?? steps.findLast((step) => step.status !== 'not-started');
  const where = last === undefined ? 'before its first step' : `in ${last.name}`;
  const how = status === 'skipped' ? 'Pulumi Cloud skipped it' : `Pulumi Cloud calls it ${status}, ${where}`;
  const message = `Failed to finish ${operation} of ${stack}: ${how}. Its page in Pulumi Cloud says more.`;
  return { outcome: 'failed', code, message };
}

/** Seconds from the first step's start to the last update; undefined if Pulumi Cloud doesn't report them. */
export function secondsOf({ steps }: Pick<DeploymentView, 'steps'>): number | undefined {
  const times = (list: readonly (string | undefined)[]) =>
    list.map((time) => Date.parse(time ?? '')).filter((ms) => !Number.isNaN(ms));
  const started = times(steps.map((step) => step.started));
  const ended = times(steps.map((step) => step.lastUpdated));
  if (started.length === 0 || ended.length === 0) return undefined;
  return Math.max(0, (Math.max(...ended) - Math.min(...started)) / 1000);
}
