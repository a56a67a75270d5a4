import type { OwnDeployment } from '../deployment.ts';
import { changeCounts } from '../output/statement.ts';
import { isForeign, type JobReport, type RunReport } from './report.ts';

/** The operations as Pulumi names them, by the words of its CLI's, OpenTofu's and Terraform's statements. */
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['created', 'create'],
  ['add', 'create'],
  ['added', 'create'],
  ['updated', 'update'],
  ['change', 'update'],
  ['changed', 'update'],
  ['replaced', 'replace'],
  ['deleted', 'delete'],
  ['destroy', 'delete'],
  ['destroyed', 'delete'],
  ['imported', 'import'],
  ['unchanged', 'same'],
]);

/**
 * Resources by what the run's own deployments did to them, or its only job: as Pulumi Cloud counts them, else as the
 * job's own output states. Undefined unless that is known of each that ran.
 */
export function runChanges(report: RunReport): Record<string, number> | undefined {
  const { deployments, jobs } = report;
  if (deployments === undefined) return stated(report);

  const own = jobs?.filter((job) => !isForeign(job)) ?? [{ directory: '', report }];
  const ran = deployments.filter(
    ({ deploymentId, outcome }) => deploymentId !== undefined && outcome !== 'skipped',
  );
  const counts = ran.map((each) => countsOf(each, own));
  return counts.length === 0 || counts.includes(undefined) ? undefined : sumOf(counts);
}

function countsOf(
  { changes, directory }: OwnDeployment,
  jobs: readonly JobReport[],
): Record<string, number> | undefined {
  if (changes !== undefined) return changes;
  const job = jobs.find((each) => each.directory === directory) ?? (jobs.length === 1 ? jobs[0] : undefined);
  return stated(job?.report);
}

function stated(report: RunReport | undefined): Record<string, number> | undefined {
  const last = report?.statements?.at(-1);
  if (last === undefined) return undefined;
  return sumOf(
    Object.entries(changeCounts(last.changes)).map(([word, count]) => ({
      [OPERATIONS.get(word) ?? word]: count,
    })),
  );
}

function sumOf(all: readonly (Readonly<Record<string, number>> | undefined)[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all)
    for (const [operation, count] of Object.entries(counts ?? {}))
      sums.set(operation, (sums.get(operation) ?? 0) + count);
  return Object.fromEntries(sums);
}
