import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ownOwner } from '../../../src/record/owner.ts';
import { RecordWriter, stepLogPath } from '../../../src/record/writer.ts';
import { sampleResult, sampleStep } from '../../support/run/sample-run.ts';

/*
 * Writes a run directory as an agent does, for tests of its readers. STAND_IN says how: `succeed`, `wait` for SIGINT,
 * `unresponsive` to SIGINT and SIGTERM, `reporting` until SIGTERM, or `die`.
 */

const [command, ...rest] = process.argv.slice(2);
const directory = rest[rest.indexOf('--run-directory') + 1] ?? '';
if (command === 'sweep') {
  process.stdout.write('Removed container of-the-run.\n');
  process.exit(0);
}

const mode = process.env['STAND_IN'];
const interrupted = Promise.withResolvers<void>();
process.on('SIGINT', () => mode === 'wait' && interrupted.resolve());
process.on('SIGTERM', () => mode === 'reporting' && interrupted.resolve());

const writer = new RecordWriter({ directory, now: Date.now, redact: (text) => text });
writer.event({ type: 'agent-started', version: '0.1.0', owner: ownOwner() });
writer.event({ type: 'claimed', deploymentId: 'dep-1', runId: 'run-1', jobId: 'job-1', waitSeconds: 0 });
const log = stepLogPath(directory, 1, 'pulumi update');
writer.event({ type: 'step-started', index: 1, step: 'pulumi update', log: log.relative });
appendFileSync(log.absolute, 'before\n');

if (mode === 'die') process.kill(process.pid, 'SIGKILL');
if (mode !== 'die' && mode !== 'succeed') await Promise.race([interrupted.promise, delay(60_000)]);

appendFileSync(log.absolute, 'after\n');
const stopped = mode === 'wait';
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
