import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { systemClock } from '../../clock.ts';
import { exitCodeOf } from '../../outcome.ts';
import type { TriggerReport } from '../../record/plan-report.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../cli.ts';
import type { Surroundings } from '../configuration.ts';
import { withSession } from '../organization-session.ts';
import { loadReader } from './advice.ts';
import { outcomeOf, queueWork } from './queue-work.ts';

export interface TriggerSources extends Surroundings {
  readonly command: Extract<Command, { name: 'trigger' }>;
  /** Emits the signals; its stdout gets the report. */
  readonly process: EventEmitter & { readonly stdout: Writable };
}

/** `pulumi-runner-agent trigger`: starts deployments and leaves them to whoever serves their pool. Returns the exit code. Throws OutcomeError. */
export async function trigger({ command, process, ...surroundings }: TriggerSources): Promise<number> {
  return withSession({ ...surroundings, flags: command, purpose: 'trigger', process }, async (session) => {
    const clock = systemClock;
    const load = loadReader(session.api, { ...session, clock });
    const starts = await queueWork({ ...session, clock, load, random: Math.random });
    const { outcome, message } = outcomeOf(starts);
    const exitCode = exitCodeOf(outcome);
    const report: TriggerReport = {
      schema: 1,
      version: VERSION,
      outcome,
      exitCode,
      message: session.redact(message),
      started: [...starts.started],
      failed: starts.failed.map((each) => ({ ...each, message: session.redact(each.message) })),
    };
    if (command.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    session.log(exitCode === 0 ? 'info' : 'error', message);
    return exitCode;
  });
}
