import { NEVER } from '../clock.ts';
import type { Environment } from '../environment.ts';
import type { Log } from '../log/level.ts';
import type { Tracing } from '../record/trace.ts';
import { tracingOf } from '../telemetry/ids.ts';
import { readTelemetry } from '../telemetry/settings.ts';

interface RunTracing {
  readonly tracing: Tracing;
  /** Sends the trace of an ended run; absent if none is to be sent. Never rejects. */
  readonly onRecorded?: (directory: string) => Promise<void>;
}

/** How an agent names its runs' traces and, if it `exports` them itself, sends them. */
export function runTracing({
  environment,
  singleRun,
  caCertificate,
  exports,
  log,
}: {
  readonly singleRun: boolean;
  readonly caCertificate?: string | undefined;
  readonly environment: Environment;
  readonly exports: boolean;
  readonly log: Log;
}): RunTracing {
  const { settings, warning } = readTelemetry(environment);
  const tracing = tracingOf(environment, { singleRun, isOn: settings !== undefined });

  if (exports && warning !== undefined) log('warning', warning);
  if (!exports || settings === undefined) return { tracing };

  return {
    tracing,
    onRecorded: async (directory) => {
      // Loaded only when a trace is to be sent.
      const { exportTrace } = await import('../telemetry/export.ts');
      const end = await exportTrace(directory, environment, NEVER, caCertificate);
      if (end.outcome === 'sent') log('info', `Sent the trace ${end.traceId}.`);
      if (end.warning !== undefined) log('warning', end.warning);
    },
  };
}
