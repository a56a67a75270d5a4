import { onTestFinished } from 'vitest';
import type { StepProcess } from '../../../src/executor/executor.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';
import { type ProcessContainer, ProcessExecutor } from './process-executor.ts';

/** A container of this machine's processes, removed when the running test is over. */
export async function container(): Promise<ProcessContainer> {
  const target = new ProcessExecutor({ root: await temporaryDirectory() });
  const spec = { image: 'none', pull: false, labels: {}, files: [], environmentFile: '/PULUMI_ENV' };
  await target.prepare(spec, () => Promise.resolve(), new AbortController().signal);
  const [made] = target.containers;
  onTestFinished(() => made!.remove());
  return made!;
}

export interface RunningScript {
  readonly container: ProcessContainer;
  readonly step: StepProcess;
  /** All that the script has printed so far. */
  readonly output: () => string;
}

/** A shell script as a real process. It has printed `ready` when this resolves: its traps are set by then. */
export async function runningScript(script: string): Promise<RunningScript> {
  const made = await container();
  const ready = Promise.withResolvers<void>();
  let text = '';
  const spec = { shell: 'sh', script, environment: {} };
  const take = (chunk: Buffer) => {
    text += chunk.toString('utf8');
    if (text.includes('ready\n')) ready.resolve();
  };
  const step = await made.start(spec, take, new AbortController().signal);
  await Promise.race([ready.promise, step.exit]);
  return { container: made, step, output: () => text };
}

/** Waits for ever, in a way that lets the shell's traps run at once. */
export const FOREVER = 'while :; do sleep 0.02; done';
