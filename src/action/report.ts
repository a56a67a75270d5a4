import { join } from 'node:path';
import { defined } from '../defined.ts';
import { OUTCOMES, type Outcome } from '../outcome.ts';
import { parseEvent } from '../record/reader.ts';
import { type RecordEvent, RUN_FILES, type RunResult, type StepResult } from '../record/schema.ts';
import { GrowingLines } from './growing-lines.ts';

export interface StepReport {
  readonly index: number;
  readonly name: string;
  readonly status: 'not-started' | 'running' | 'succeeded' | 'failed';
  readonly exitCode?: number;
  readonly seconds?: number;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly lines?: number;
  readonly bytes?: number;
  /** Of the log's file; unknown without a result. */
  readonly sha256?: string;
  /** Lines that Pulumi Cloud took, and those it did not, and the calls; unknown without a result. */
  readonly cloud?: StepResult['cloud'];
  /** Lines that nobody has. */
  readonly lost?: number;
  readonly reason?: string;
  /** Path inside the run directory. */
  readonly log?: string;
}

/** What is published of a run, be there a result or not. */
export interface RunReport {
  readonly outcome: Outcome;
  /** The one sentence for the user. */
  readonly message: string;
  /** Names the error's entry in TROUBLESHOOTING.md. */
  readonly code?: string;
  readonly deploymentId?: string;
  readonly runId?: string;
  readonly jobId?: string;
  /** The page of the organization's deployments, and the deployment's own, as far as they are known. */
  readonly consoleUrl?: string;
  readonly deploymentUrl?: string;
  /** Pulumi Cloud took the job's last status; absent without a claim. */
  readonly reported?: boolean;
  readonly healthUrl?: string;
  /** Milliseconds since the epoch: the agent's start, its claim, and the last that is known of it. */
  readonly startedAt?: number;
  readonly claimedAt?: number;
  readonly finishedAt?: number;
  readonly waitSeconds?: number;
  readonly runSeconds?: number;
  readonly image?: string;
  readonly imageDigest?: string;
  /** Names of the forwarded variables. */
  readonly forwarded: readonly string[];
  readonly notices: readonly string[];
  readonly steps: readonly StepReport[];
}

const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** How a run ended that left no result. */
export interface Ending {
  readonly outcome: Outcome;
  readonly message: string;
}

/** The report of a run with a result; its events add where it answered health checks. Throws what node:fs throws. */
export async function reportOf(directory: string, result: RunResult): Promise<RunReport> {
  const { healthUrl } = await reportWithout(directory, { outcome: result.outcome, message: result.message });
  const { deploymentId, runId, jobId, consoleUrl, deploymentUrl, image, imageDigest, reported } = result;
  return {
    outcome: result.outcome,
    message: result.message === '' ? OUTCOMES[result.outcome].sentence : result.message,
    ...defined({ code: result.code }),
    ...(deploymentId !== undefined && { deploymentId }),
    ...(runId !== undefined && { runId }),
    ...(jobId !== undefined && { jobId }),
    ...(consoleUrl !== undefined && { consoleUrl }),
    ...(deploymentUrl !== undefined && { deploymentUrl }),
    ...(reported !== undefined && { reported }),
    ...(healthUrl !== undefined && { healthUrl }),
    ...(image !== undefined && { image }),
    ...(imageDigest !== undefined && { imageDigest }),
    ...moment('startedAt', result.startedAt),
    ...moment('claimedAt', result.claimedAt),
    ...moment('finishedAt', result.finishedAt),
    waitSeconds: result.waitSeconds,
    runSeconds: result.runSeconds,
    forwarded: result.forwarded,
    notices: result.notices,
    steps: result.steps.map(({ startedAt, finishedAt, exitCode, reason, log, sha256, lost, ...step }) => ({
      index: step.index,
      name: step.name,
      status: step.status,
      lines: step.lines,
      bytes: step.bytes,
      cloud: step.cloud,
      ...(lost !== undefined && { lost }),
      ...(sha256 !== undefined && { sha256 }),
      ...moment('startedAt', startedAt),
      ...moment('finishedAt', finishedAt),
      ...(exitCode !== undefined && { exitCode }),
      ...(reason !== undefined && { reason }),
      ...(log !== undefined && { log }),
      ...seconds(startedAt, finishedAt),
    })),
  };
}

/** The report of a run without a result, from the events it left. Throws what node:fs throws. */
export async function reportWithout(directory: string, ending: Ending): Promise<RunReport> {
  const report: { -readonly [K in keyof RunReport]: RunReport[K] } = {
    ...ending,
    forwarded: [],
    notices: [],
    steps: [],
  };
  const steps = new Map<number, StepReport>();
  const notices: string[] = [];
  for await (const event of eventsOf(directory)) {
    Object.assign(report, moment('finishedAt', event.t));
    if (event.type === 'agent-started') {
      Object.assign(report, moment('startedAt', event.t));
    } else if (event.type === 'claimed') {
      const { deploymentId, deploymentUrl, consoleUrl, runId, jobId, waitSeconds } = event;
      Object.assign(report, {
        deploymentId,
        runId,
        jobId,
        waitSeconds,
        reported: false,
        ...moment('claimedAt', event.t),
      });
      if (deploymentUrl !== undefined) report.deploymentUrl = deploymentUrl;
      if (consoleUrl !== undefined) report.consoleUrl = consoleUrl;
    } else if (event.type === 'health-listening') {
      report.healthUrl = event.url;
    } else if (event.type === 'job-loaded') {
      report.image = event.image;
      for (const [index, name] of event.steps.entries()) steps.set(index, { index, name, status: 'not-started' });
    } else if (event.type === 'notice') {
      notices.push(event.message);
    } else if (event.type === 'step-started') {
      const { index, step: name, log } = event;
      steps.set(index, { index, name, status: 'running', log, ...moment('startedAt', event.t) });
    } else if (event.type === 'step-finished') {
      const { index, step: name, status, seconds, lines, exitCode, reason } = event;
      const { log, startedAt } = steps.get(index) ?? {};
      steps.set(index, {
        index,
        name,
        status,
        seconds,
        lines,
        ...(startedAt !== undefined && { startedAt }),
        ...moment('finishedAt', event.t),
        ...(exitCode !== undefined && { exitCode }),
        ...(reason !== undefined && { reason }),
        ...(log !== undefined && { log }),
      });
    }
  }
  return { ...report, notices, steps: [...steps.values()].sort((a, b) => a.index - b.index) };
}

function seconds(startedAt = '', finishedAt = ''): { readonly seconds?: number } {
  const ms = Date.parse(finishedAt) - Date.parse(startedAt);
  return Number.isNaN(ms) ? {} : { seconds: ms / 1000 };
}

/** A time of the record as a property; none when it isn't one. */
function moment<K extends string>(key: K, time: string | undefined): { readonly [P in K]?: number } {
  const ms = Date.parse(time ?? '');
  if (Number.isNaN(ms)) return {};
  return { [key]: ms } as { [P in K]: number };
}

/** The events of a run that can be read, in order; none while there is no file. Throws what node:fs throws. */
export async function* eventsOf(directory: string): AsyncGenerator<RecordEvent> {
  await using file = new GrowingLines(join(directory, RUN_FILES.events), 0, MAX_EVENT_BYTES);
  for (let lines = await file.next(); lines !== undefined; lines = await file.next()) {
    for (const { text } of lines) {
      try {
        const event = parseEvent(text);
        if (event !== undefined) yield event;
      } catch {
        // following told it already
      }
    }
  }
}
