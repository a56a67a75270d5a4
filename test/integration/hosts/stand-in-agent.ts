import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ownOwner } from '../../../src/base/owner.ts';
import { RecordWriter, stepLogPath } from '../../../src/record/writer.ts';
import { sampleResult, sampleStep } from '../../support/run/sample-run.ts';

/*
 * Writes a run directory as an agent does, for tests of its readers. STAND_IN says how: `succeed`, `wait` for SIGINT or
 * SIGUSR2, which lets it succeed, `unresponsive` to SIGINT and SIGTERM, `reporting` until SIGTERM, `die`, or `die-idle`
 * without a claim. With STAND_IN_SWEEP its sweep takes a minute.
 */

const [command, ...rest] = process.argv.slice(2);
const directory = rest[rest.indexOf('--run-directory') + 1] ?? '';
if (command === 'sweep') {
  if (process.env['STAND_IN_SWEEP'] !== undefined) await delay(60_000);
  process.stdout.write('Removed container of-the-run.\n');
  process.exit(0);
}

const mode = process.env['STAND_IN'];
const interrupted = Promise.withResolvers<'SIGINT' | undefined>();
process.on('SIGINT', () => mode === 'wait' && interrupted.resolve('SIGINT'));
process.on('SIGUSR2', () => interrupted.resolve(undefined));
process.on('SIGTERM', () => mode === 'reporting' && interrupted.resolve(undefined));

const writer = new RecordWriter({ directory, now: Date.now, redact: (text) => text });
writer.event({ type: 'agent-started', version: '0.1.0', owner: ownOwner() });
if (mode === 'die-idle') process.kill(process.pid, 'SIGKILL');
writer.event({ type: 'claimed', deploymentId: 'dep-1', runId: 'run-1', jobId: 'job-1', waitSeconds: 0 });
const log = stepLogPath(directory, 1, 'pulumi update');
writer.event({ type: 'step-started', index: 1, step: 'pulumi update', log: log.relative });
appendFileSync(log.absolute, 'before\n');

if (mode === 'die') process.kill(process.pid, 'SIGKILL');
const waits = mode !== 'die' && mode !== 'succeed';
const stopped = waits && (await Promise.race([interrupted.promise, delay(60_000)])) === 'SIGINT';

appendFileSync(log.absolute, 'after\n');
const status = stopped ? 'failed' : 'succeeded';
writer.event({ type: 'step-finished', index: 1, step: 'pulumi update', status, seconds: 1, lines: 2 });
writer.result(
  sampleResult({
    owner: ownOwner(),
    ...(mode === 'reporting'
      ? { outcome: 'unreported', exitCode: 9, message: 'Dropped what was not sent.', reported: false }
      : {}),
    ...(stopped ? { outcome: 'interrupted', exitCode: 7, message: 'The CI job interrupted dep-1.' } : {}),
    steps: [sampleStep({ status })],
  }),
);
writer.close();
process.exit(stopped ? 7 : 0);
