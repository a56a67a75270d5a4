import { endSentence } from '../agent/runs/end.ts';
import { failureOf, messageOf, OutcomeError } from '../base/outcome.ts';
import {
  CHOOSE_POOL,
  heldSentence,
  misplaced,
  misplacedSentence,
  planSize,
  readLoad,
  readQueue,
} from '../cloud/deployments/queue.ts';
import { startConfigured, startsVerdict } from '../cloud/deployments/start-deployments.ts';
import type { PlanReport } from '../record/plan-report.ts';
import type { CommandSources } from './command-line.ts';
import { type Session, withSession } from './session.ts';
import { reportOf } from './trigger.ts';

/**
 * Prints as JSON how many jobs the queue needs, even on failure. Returns the exit code. Throws like
 * `trigger`.
 */
export async function plan(sources: CommandSources<'plan'>): Promise<number> {
  const print = (report: PlanReport) => sources.process.stdout.write(`${JSON.stringify(report)}\n`);
  try {
    return await withSession({ ...sources, purpose: 'plan' }, async (session) => {
      const report = await planOf(session);
      print(report);
      for (const notice of report.notices) session.log('warning', notice);
      session.log(report.exitCode === 0 ? 'info' : 'error', endSentence(report));
      return report.exitCode;
    });
  } catch (error) {
    const end =
      error instanceof OutcomeError
        ? failureOf(error)
        : ({ outcome: 'failed', message: messageOf(error) } as const);
    const report = reportOf({ started: [], failed: [] }, end, (text) => text);
    print({ ...report, queued: 0, count: 0, matrix: { include: [] }, notices: [] });
    throw error;
  }
}

async function planOf(session: Session): Promise<PlanReport> {
  const { api, clock, redact, signal } = session;
  const { organizationName: organization = '', runnerPoolId: poolId = '', planMax: max } = session.config;
  const starts = await startConfigured(session);
  const { queued: expected, ...load } = (await readLoad(api, organization, session)) ?? {};
  const queue = await readQueue({ organization, poolId, expected }, api, { now: () => clock.now(), signal });

  // The listed ones, and those just started that aren't listed yet.
  const unlisted = starts.started.filter(({ deploymentId }) => !queue.listed.has(deploymentId));
  const queued = queue.waiting.length + unlisted.length;
  const { count, reason } = planSize({ queued, max, ...load });
  const theirs = misplaced(starts.started, queue.listed, poolId);

  const notices = [
    theirs.length > 0 && misplacedSentence(theirs, poolId, CHOOSE_POOL),
    heldSentence(queue),
    queue.complete ? undefined : 'The list of deployments is so long that the oldest were not read.',
    reason && `${count} of ${queued} get a job now: ${reason}.`,
  ];

  const end = startsVerdict(starts);
  const planned = end.outcome === 'succeeded' && { message: sentence(queued, count, poolId) };

  return {
    ...reportOf(starts, { ...end, ...planned }, redact),
    queued,
    count,
    matrix: { include: Array.from({ length: count }, (_, index) => ({ index })) },
    notices: notices.filter((notice) => typeof notice === 'string').map(redact),
  };
}

function sentence(queued: number, count: number, poolId: string): string {
  if (queued === 0) return `No deployment waits for pool ${poolId}.`;
  const waiting = queued === 1 ? 'One deployment waits' : `${queued} deployments wait`;
  return `${waiting} for pool ${poolId}: ${count === 1 ? 'one job is' : `${count} jobs are`} planned.`;
}
