import { NEVER } from '../base/clock.ts';
import { environmentText } from '../base/config/schema.ts';
import { OutcomeError } from '../base/outcome.ts';
import type { CommandSources } from './command-line.ts';

/**
 * Prints a run's trace as OTLP JSON, or sends it. Returns the exit code: 1 if it could not be sent.
 * Throws OutcomeError for a directory without a record, and what node:fs throws.
 */
export async function trace({
  command,
  environment,
  workingDirectory,
  process,
}: CommandSources<'trace'>): Promise<number> {
  const { exportTrace, traceJson } = await import('../record/telemetry/export.ts');

  if (!command.send) {
    process.stdout.write(`${await traceJson(command.runDirectory, environment)}\n`);
    return 0;
  }

  const { outcome, traceId, warning } = await exportTrace(
    command.runDirectory,
    environment,
    NEVER,
    environmentText(environment, 'ca_certificate', workingDirectory),
  );

  if (outcome === 'off' && warning === undefined) {
    const reason = 'no variable names a collector, or one switches traces off';
    const message = `Failed to read OTEL_EXPORTER_OTLP_ENDPOINT for the trace: ${reason}. Correct the variables.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-TRACE-02' });
  }

  if (warning !== undefined) process.stderr.write(`${warning}\n`);
  else if (outcome === 'unrecorded')
    process.stdout.write('The trace is not recorded, so nothing was sent.\n');
  else process.stdout.write(`Sent the trace ${traceId}.\n`);

  return warning === undefined ? 0 : 1;
}
