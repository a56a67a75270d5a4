import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownOwner } from '../../../src/base/owner.ts';
import type { RecordEventBody, RunResult, StepResult } from '../../../src/record/schema.ts';
import { RecordWriter, stepLogPath } from '../../../src/record/writer.ts';

export const OWNER = ownOwner();

/** Writes a run directory as the agent does. */
export class SampleRun {
  readonly directory: string;
  /** Paths of the steps' logs inside it, by step index. */
  readonly logs: string[] = [];
  readonly #writer: RecordWriter;

  readonly #onEvent: ((event: RecordEventBody) => void) | undefined;

  constructor(directory: string, onEvent?: (event: RecordEventBody) => void) {
    this.directory = directory;
    this.#onEvent = onEvent;
    this.#writer = new RecordWriter({ directory, now: () => Date.now(), redact: (text) => text });
  }

  event(event: RecordEventBody): void {
    this.#onEvent?.(event);
    this.#writer.event(event);
  }

  claim(): void {
    this.event({ type: 'claimed', deploymentId: 'dep-1', runId: 'run-1', jobId: 'job-1', waitSeconds: 1.25 });
  }

  /** Starts a step and returns a function that writes to its log. */
  step(index: number, name: string): (text: string) => void {
    const log = stepLogPath(this.directory, index, name);
    appendFileSync(log.absolute, '');
    this.logs[index] = log.relative;
    this.event({ type: 'step-started', index, step: name, log: log.relative });
    return (text) => appendFileSync(log.absolute, text);
  }

  finishStep(
    index: number,
    name: string,
    over: Partial<Extract<RecordEventBody, { type: 'step-finished' }>> = {},
  ): void {
    this.event({
      type: 'step-finished',
      index,
      step: name,
      status: 'succeeded',
      exitCode: 0,
      seconds: 2,
      lines: 3,
      ...over,
    });
  }

  result(over: Partial<RunResult> = {}): RunResult {
    const result = sampleResult(over);
    this.event({
      type: 'outcome',
      outcome: result.outcome,
      exitCode: result.exitCode,
      message: result.message,
    });
    this.#writer.result(result);
    return result;
  }

  close(): void {
    this.#writer.close();
  }

  path(relative: string): string {
    return join(this.directory, relative);
  }
}

export function sampleStep(over: Partial<StepResult> = {}): StepResult {
  return {
    index: 1,
    name: 'pulumi update',
    status: 'succeeded',
    exitCode: 0,
    startedAt: '2026-06-18T10:00:00.000Z',
    finishedAt: '2026-06-18T10:00:04.500Z',
    log: 'steps/01-pulumi-update.log',
    lines: 12,
    bytes: 400,
    cloud: { sent: 12, undelivered: 0 },
    ...over,
  };
}

export function sampleResult(over: Partial<RunResult> = {}): RunResult {
  return {
    schema: 1,
    outcome: 'succeeded',
    exitCode: 0,
    message: 'Deployment dep-1 succeeded.',
    version: '0.1.0',
    owner: OWNER,
    deploymentId: 'dep-1',
    runId: 'run-1',
    jobId: 'job-1',
    startedAt: '2026-06-18T10:00:00.000Z',
    finishedAt: '2026-06-18T10:01:00.000Z',
    waitSeconds: 1.25,
    runSeconds: 58.7512,
    forwarded: [],
    notices: [],
    steps: [],
    ...over,
  };
}
