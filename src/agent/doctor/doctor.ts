import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { Redactor } from '../../log/redactor.ts';
import { exitCodeOf } from '../../outcome.ts';
import { countChecks, type DoctorCheck, type DoctorReport } from '../../record/doctor-report.ts';
import type { Target } from '../../target/target.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../cli.ts';
import type { Surroundings } from '../configuration.ts';
import { cloudChecks } from './cloud-checks.ts';
import { configChecks } from './config-checks.ts';
import { engineChecks } from './engine-checks.ts';
import { Examination } from './examination.ts';
import { networkChecks } from './network-checks.ts';
import { checkLine, entryLines } from './table.ts';
import { trialTarget } from './trial-target.ts';

export interface DoctorSources extends Surroundings {
  readonly command: Extract<Command, { name: 'doctor' }>;
  /** Emits the signals; its stdout gets the report. */
  readonly process: EventEmitter & { readonly stdout: Writable & { readonly isTTY?: boolean } };
}

/** Milliseconds that what was interrupted gets to clean up. */
const CLEAN_UP_MS = 30_000;

/** `pulumi-runner-agent doctor`: checks what a run needs, and never polls. Returns the exit code. */
export async function doctor({ command, process, ...surroundings }: DoctorSources): Promise<number> {
  const interrupted = new AbortController();
  const onSignal = () => interrupted.abort();
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // Nobody reads the report any more.
  process.stdout.on('error', onSignal);
  const { environment } = surroundings;
  const redactor = new Redactor();
  const examination = new Examination(interrupted.signal, (text) => redactor.text(text));
  let target: Target | undefined;
  try {
    const config = configChecks(examination, { flags: command, surroundings, redactor });
    const reached = networkChecks(examination, { config, environment, redactor });
    const cloud = cloudChecks(examination, { config, reached, environment, redactor });
    const pull = command.pull === undefined ? {} : { pull: command.pull };
    const trial = await trialTarget((await config.value)?.of, {
      ...pull,
      environment,
      onSecret: (secret) => redactor.add([secret]),
    });
    ({ target } = trial);
    engineChecks(examination, { ...trial, ...pull, config, labels: command.labels });
    const checks = await told(examination, command.json, process.stdout, environment);
    await cloud.close();
    const failed = checks.find(({ status }) => status === 'failed');
    const outcome = interrupted.signal.aborted ? 'interrupted' : (failed?.outcome ?? 'succeeded');
    const report: DoctorReport = { schema: 1, version: VERSION, outcome, exitCode: exitCodeOf(outcome), checks };
    const last = failed === undefined ? '' : ` A run would end as ${outcome}.`;
    process.stdout.write(
      command.json
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : `\n${countChecks(checks)}${last}\n${entryLines(checks)}`,
    );
    return report.exitCode;
  } finally {
    await examination.settled(CLEAN_UP_MS);
    await target?.close();
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Collects the reports; each line of the table is shown as soon as it is known. */
async function told(
  examination: Examination,
  json: boolean,
  stdout: DoctorSources['process']['stdout'],
  environment: Surroundings['environment'],
): Promise<DoctorCheck[]> {
  const colours = stdout.isTTY === true && (environment['NO_COLOR'] ?? '') === '';
  const checks: DoctorCheck[] = [];
  for await (const check of examination.reports()) {
    checks.push(check);
    if (!json) stdout.write(checkLine(check, examination.width, colours));
  }
  return checks;
}
