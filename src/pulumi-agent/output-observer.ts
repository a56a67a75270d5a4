import type { Clock } from '../base/clock.ts';
import type { Redactor } from '../base/log/redactor.ts';
import type { RecordSink } from '../record/run-record.ts';
import type { RunObserver } from './observer.ts';
import { StepRecorder } from './recorder/step-recorder.ts';

const STEP_NAME = "Pulumi's agent";

export interface OutputObserverOptions {
  /** The address of Pulumi Cloud itself. */
  readonly serviceUrl: string;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly record: RecordSink;
  /** True if there is work, or nothing shows that there is none. */
  readonly hasWork: () => boolean;
}

/**
 * Observes an agent's run without the proxy: its output is the only step, and its exit code that
 * step's result.
 */
export function outputObserver(options: OutputObserverOptions): RunObserver {
  const { serviceUrl, clock, redactor, record, hasWork } = options;
  const startedMs = clock.steady();
  const step = new StepRecorder({ index: 0, name: STEP_NAME, redactor, clock, record });

  return {
    serviceUrl,
    isProxied: false,
    state: () => ({ hasWork: hasWork(), hasPolled: true, lastHeartbeat: undefined, isOver: false }),
    onLine: (line) => step.write(Buffer.from(`${line}\n`)),
    giveNoWork: () => Promise.resolve(),
    close: async ({ code, signal }) => {
      const result = await step.finish({
        status: code === 0 ? 'succeeded' : 'failed',
        exitCode: code ?? undefined,
        reason: signal === null ? undefined : `ended by ${signal}`,
      });

      return {
        job: undefined,
        lastPoll: undefined,
        refusedCli: undefined,
        end: { steps: [result], waitSeconds: 0, runSeconds: (clock.steady() - startedMs) / 1000 },
      };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
