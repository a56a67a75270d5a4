import { NEVER } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Log } from '../base/log/level.ts';
import { tracingOf } from '../record/telemetry/ids.ts';
import { readTelemetry } from '../record/telemetry/settings.ts';

/**
 * How an agent names its runs' traces and, if it `exports` them itself, sends them: `onRecorded`
 * sends that of an ended run, and never rejects.
 */
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
}) {
  const { settings, warning } = readTelemetry(environment);
  const tracing = tracingOf(environment, { singleRun, isOn: settings !== undefined });

  if (exports && warning !== undefined) log('warning', warning);
  if (!exports || settings === undefined) return { tracing };

  return {
    tracing,
    onRecorded: async (directory: string) => {
      // Loaded only when a trace is to be sent.
      const { exportTrace } = await import('../record/telemetry/export.ts');
      const end = await exportTrace(directory, environment, NEVER, caCertificate);
      if (end.outcome === 'sent') log('info', `Sent the trace ${end.traceId}.`);
      if (end.warning !== undefined) log('warning', end.warning);
    },
  };
}
