import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { stripControl } from '../../base/log/plain-text.ts';
import { Redactor } from '../../base/log/redactor.ts';
import { withoutServiceMessages } from '../../base/log/service-messages.ts';
import { exitCodeOf } from '../../base/outcome.ts';
import { VERSION } from '../../base/version.ts';
import { CHECK_SIGNS, countChecks, type DoctorCheck, type DoctorReport } from '../../record/doctor-report.ts';
import type { CommandSources } from '../command-line.ts';
import { engineChecks } from './engine-checks.ts';
import { Examination } from './examination.ts';
import { executorChecks } from './executor-checks.ts';
import { configCheck, localChecks } from './local-checks.ts';
import { networkChecks } from './network-checks.ts';
import { tokenChecks } from './token-checks.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Time for interrupted checks to clean up. */
const CLEAN_UP_MS = 30_000;

/** Column width of the titles, in characters; a longer one pushes its detail to the right. */
const TITLE_WIDTH = 'Forwarded variables'.length;

/**
 * `pulumi-runner-agent doctor`: checks what a run needs, and never polls. Returns the exit code.
 */
export async function doctor({ command, process, ...context }: CommandSources<'doctor'>): Promise<number> {
  const { stdout } = process;
  const { environment } = context;
  const interrupted = new AbortController();
  const onSignal = () => interrupted.abort(new Error('interrupted'));

  for (const signal of SIGNALS) process.on(signal, onSignal);

  // The report has lost its reader.
  stdout.on('error', onSignal);

  const redactor = new Redactor();
  const examination = new Examination(
    interrupted.signal,
    (text) => redactor.text(text),
    (check) => void (command.json || stdout.write(checkLine(check, stdout))),
  );

  try {
    const checked = await configCheck(examination, command, context, redactor);
    const sources = { ...checked, environment, redactor };

    await localChecks(examination, sources);

    const reached = await networkChecks(examination, sources);
    await tokenChecks(examination, sources, reached);
    await engineChecks(examination, sources);
    await executorChecks(examination, sources, command.labels);
    await examination.settled(CLEAN_UP_MS);

    const checks = examination.reports;
    const failed = checks.find(({ status }) => status === 'failed');
    const outcome = interrupted.signal.aborted ? 'interrupted' : (failed?.outcome ?? 'succeeded');

    const report: DoctorReport = {
      schema: 1,
      version: VERSION,
      outcome,
      exitCode: exitCodeOf(outcome),
      checks,
    };

    const last = failed === undefined ? '' : ` A run would end as ${outcome}.`;
    const summary = `\n${countChecks(checks)}${last}\n${checks.map(entryLine).join('')}`;

    stdout.write(command.json ? `${JSON.stringify(report, undefined, 2)}\n` : summary);

    return report.exitCode;
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  }
}

/** Dim: neither good nor bad. */
const STYLES = { passed: 'green', warning: 'yellow', failed: 'red', unknown: 'dim', skipped: 'dim' } as const;

/** One line of the table with its line break, coloured if `stream` and the environment allow it. */
export function checkLine({ status, title, detail }: DoctorCheck, stream: Writable): string {
  const sign = styleText(STYLES[status], CHECK_SIGNS[status], { stream });
  // The detail may quote a server, which isn't trusted: in a CI job it must not command the system.
  return `${sign} ${title.padEnd(TITLE_WIDTH)}  ${withoutServiceMessages(stripControl(detail))}\n`;
}

/** A line that names where to read about a failure; empty for a check that didn't fail. */
function entryLine({ title, code }: DoctorCheck): string {
  return code === undefined ? '' : `${title}: see ${code}\n`;
}
