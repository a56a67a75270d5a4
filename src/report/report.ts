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
/** What a step's log may be called: the name comes from a file, and must not lead out of the run directory. */
export const STEP_LOG = /^steps\/[\w.-]+\.log$/;

/** The report of a run with a result; its events add where it answered health checks. Throws what node:fs throws. */
export async function reportOf(directory: string, result: RunResult): Promise<RunReport> {
  const { healthUrl } = await reportWithout(directory, result);
  const { startedAt, claimedAt, finishedAt, steps, message, ...known } = result;
  return {
    ...defined(known),
    ...defined({
      healthUrl,
      startedAt: moment(startedAt),
      claimedAt: moment(claimedAt),
      finishedAt: moment(finishedAt),
    }),
    message: message === '' ? OUTCOMES[result.outcome].sentence : message,
    steps: steps.map(({ startedAt: from, finishedAt: to, ...step }) => {
      const times = { startedAt: moment(from), finishedAt: moment(to) };
      return { ...defined(step), ...defined({ ...times, seconds: secondsBetween(times) }) };
    }),
  };
}

/** The report of a run without a result, from the events it left. Throws what node:fs throws. */
export async function reportWithout(
  directory: string,
  { outcome, message }: Pick<RunReport, 'outcome' | 'message'>,
): Promise<RunReport> {
  const known: { -readonly [K in keyof RunReport]?: RunReport[K] | undefined } = {};
  const steps = new Map<number, StepReport>();
  const notices: string[] = [];
  for await (const event of eventsOf(directory)) {
    const t = moment(event.t);
    known.finishedAt = t;
    switch (event.type) {
      case 'agent-started':
        known.startedAt = t;
        break;
      case 'claimed': {
        const { type: _, t: __, ...claim } = event;
        Object.assign(known, claim, { reported: false, claimedAt: t });
        break;
      }
      case 'health-listening':
        known.healthUrl = event.url;
        break;
      case 'job-loaded':
        known.image = event.image;
        for (const [index, name] of event.steps.entries()) steps.set(index, { index, name, status: 'not-started' });
        break;
      case 'notice':
        notices.push(event.message);
        break;
      case 'step-started': {
        const { index, step: name, log } = event;
        steps.set(index, { index, name, status: 'running', log, ...defined({ startedAt: t }) });
        break;
      }
      case 'step-finished': {
        const { type: _, t: __, step: name, ...end } = event;
        const { log, startedAt } = steps.get(event.index) ?? {};
        steps.set(event.index, { ...defined(end), name, ...defined({ log, startedAt, finishedAt: t }) });
        break;
      }
    }
  }
  const ordered = [...steps.values()].sort((a, b) => a.index - b.index);
  return { ...defined(known), outcome, message, forwarded: [], notices, steps: ordered };
}

function secondsBetween({ startedAt, finishedAt }: Times): number | undefined {
  return startedAt === undefined || finishedAt === undefined ? undefined : (finishedAt - startedAt) / 1000;
}

interface Times {
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** A time of the record in milliseconds since the epoch; undefined when it isn't one. */
function moment(time = ''): number | undefined {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
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
        // Following the run has warned of it.
      }
    }
  }
}
