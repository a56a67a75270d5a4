import { environmentText } from '../base/config/schema.ts';
import { plainText } from '../base/log/plain-text.ts';
import { readTelemetry } from '../record/telemetry/settings.ts';
import type { Engine } from './engine.ts';
import type { Host } from './host.ts';

/** Characters of a warning: it has the path of the run directory. */
const MAX_TEXT = 2_000;

/**
 * Sends the trace of a run whose engine has ended, if the engine's environment asks for it. Returns
 * the trace's ID; undefined if none is to be sent, or `signal` aborted. Takes 3 s at most. Never
 * throws: a failure is a warning.
 */
export async function sendTrace(
  host: Host,
  engine: Engine,
  runDirectory: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { directory, environment } = engine.run(runDirectory);
  const { settings, warning: unfit } = readTelemetry(environment);
  if (unfit !== undefined) host.warning(plainText(unfit));
  if (settings === undefined || signal.aborted) return undefined;

  // Loaded only when a trace is to be sent.
  const { exportTrace } = await import('../record/telemetry/export.ts');
  const caCertificate = environmentText(environment, 'ca_certificate', directory);
  const { outcome, traceId, warning } = await exportTrace(runDirectory, environment, signal, caCertificate);
  if (signal.aborted) return undefined;

  if (warning !== undefined) host.warning(plainText(warning, MAX_TEXT));
  if (outcome === 'sent') host.info(`Sent the trace ${traceId}.`);
  return traceId;
}
