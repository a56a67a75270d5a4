import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { systemClock } from '../../clock.ts';
import { exitCodeOf, messageOf, OutcomeError } from '../../outcome.ts';
import type { PlanReport } from '../../record/plan-report.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../cli.ts';
import type { Surroundings } from '../configuration.ts';
import { type Session, withSession } from '../organization-session.ts';
import { loadReader } from '../trigger/advice.ts';
import { elsewhere } from '../trigger/elsewhere.ts';
import { outcomeOf, queueWork } from '../trigger/queue-work.ts';
import type { Starts } from '../trigger/start-deployments.ts';
import { type Queue, readQueue } from './queue.ts';
import { planSize } from './size.ts';

export interface PlanSources extends Surroundings {
  readonly command: Extract<Command, { name: 'plan' }>;
  /** Emits the signals; its stdout gets the report. */
  readonly process: EventEmitter & { readonly stdout: Writable };
}

const NOTHING: Pick<PlanReport, 'started' | 'failed' | 'queued' | 'count' | 'matrix' | 'notices'> = {
  started: [],
  failed: [],
  queued: 0,
  count: 0,
  matrix: { include: [] },
  notices: [],
};

/**
 * `pulumi-runner-agent plan`: says how many jobs the pool's queue has work for, after starting the deployments that are asked for.
 * Prints one report as JSON, also of a failure. Returns the exit code. Throws what `trigger` throws.
 */
export async function plan({ command, process, ...surroundings }: PlanSources): Promise<number> {
  const print = (report: PlanReport) => process.stdout.write(`${JSON.stringify(report)}\n`);
  try {
    return await withSession({ ...surroundings, flags: command, purpose: 'plan', process }, async (session) => {
      const report = await planOf(session);
      print(report);
      for (const notice of report.notices) session.log('warning', notice);
      session.log(report.exitCode === 0 ? 'info' : 'error', report.message);
      return report.exitCode;
    });
  } catch (error) {
    const outcome = error instanceof OutcomeError ? error.outcome : 'failed';
    const message = messageOf(error);
    print({ schema: 1, version: VERSION, outcome, exitCode: exitCodeOf(outcome), message, ...NOTHING });
    throw error;
  }
}

async function planOf({ api, config, log, redact, signal }: Session): Promise<PlanReport> {
  const { organizationName: organization = '', runnerPoolId: poolId = '', planMax: max } = config;
  const clock = systemClock;
  const readLoad = loadReader(api, { clock, log, signal });
  const starts = await queueWork({ api, config, clock, log, load: readLoad, random: Math.random, signal });
  const load = await readLoad(organization);
  const expected = load?.queued;
  const queue = await readQueue({ organization, poolId, expected }, api, { now: () => clock.now(), signal });
  const queued = queuedFor(starts, queue);
  const others = elsewhere(starts.started, queue.listed, poolId);
  const { paused, concurrency, busy } = load ?? {};
  const size = planSize({ queued, max, concurrency, busy, ...(paused === undefined ? {} : { paused }) });
  const notices = [
    ...(others === undefined ? [] : [others]),
    ...(queue.complete ? [] : ['The list of deployments is so long that the oldest were not looked at.']),
    ...(size.reason === undefined ? [] : [`${size.count} of ${queued} get a job now: ${size.reason}.`]),
  ];
  const end = outcomeOf(starts);
  const message = end.outcome === 'succeeded' ? sentence(queued, size.count, poolId) : end.message;
  return {
    schema: 1,
    version: VERSION,
    outcome: end.outcome,
    exitCode: exitCodeOf(end.outcome),
    message: redact(message),
    started: [...starts.started],
    failed: starts.failed.map((each) => ({ ...each, message: redact(each.message) })),
    queued,
    count: size.count,
    matrix: { include: Array.from({ length: size.count }, (_, index) => ({ index })) },
    notices: notices.map(redact),
  };
}

function sentence(queued: number, count: number, poolId: string): string {
  if (queued === 0) return `No deployment waits for pool ${poolId}.`;
  const waiting = queued === 1 ? 'One deployment waits' : `${queued} deployments wait`;
  return `${waiting} for pool ${poolId}: ${count === 1 ? 'one job is' : `${count} jobs are`} planned.`;
}

/** How many wait for the pool: those that are listed, and those that were just started and aren't listed yet. */
function queuedFor({ started }: Starts, { listed, waiting }: Queue): number {
  return waiting.length + started.filter(({ deploymentId }) => !listed.has(deploymentId)).length;
}
