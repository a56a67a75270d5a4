import { endSentence } from '../agent/runs/end.ts';
import { exitCodeOf, type Verdict } from '../base/outcome.ts';
import { VERSION } from '../base/version.ts';
import { type Starts, startConfigured, startsVerdict } from '../cloud/deployments/start-deployments.ts';
import type { TriggerReport } from '../record/plan-report.ts';
import type { CommandSources } from './command-line.ts';
import { type Session, withSession } from './session.ts';

/**
 * Starts deployments and leaves them to the agents of their pool. Returns the exit code. Throws
 * OutcomeError.
 */
export function trigger(sources: CommandSources<'trigger'>): Promise<number> {
  const { command, process } = sources;
  return withSession({ ...sources, purpose: 'trigger' }, async (session) => {
    const starts = await startConfigured(session);
    const report = reportOf(starts, startsVerdict(starts), session.redact);
    if (command.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    session.log(report.exitCode === 0 ? 'info' : 'error', endSentence(report));
    return report.exitCode;
  });
}

/** The report of `trigger` and `plan` about the deployments that they started. */
export function reportOf(starts: Starts, verdict: Verdict, redact: Session['redact']): TriggerReport {
  const { message, ...end } = verdict;
  return {
    schema: 1,
    version: VERSION,
    ...end,
    exitCode: exitCodeOf(end.outcome),
    message: redact(message),
    started: [...starts.started],
    failed: starts.failed.map((each) => ({ ...each, message: redact(each.message) })),
  };
}
