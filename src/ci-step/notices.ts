import { plainText } from '../base/log/plain-text.ts';
import { counted } from '../base/quantity.ts';
import { stackText } from '../base/stack.ts';
import { driftedText } from '../record/report/change-text.ts';
import { receiptOf } from '../record/report/receipt.ts';
import { provenStackOf, type RunReport, stackOf } from '../record/report/report.ts';
import { isLocked, lockText } from '../record/stack-lock.ts';
import type { Host } from './host.ts';

/** Shows the facts that need attention: drift, a stack's lock, undelivered lines. */
export function showNotices(host: Host, report: RunReport): void {
  const { deployments = [] } = report;

  const others = [report, ...(report.jobs ?? []).map((job) => job.report)]
    .filter((each) => each.deployments === undefined)
    .map(({ drift, driftRun, identity, deploymentUrl }) => ({
      drift,
      driftRun,
      stack: identity && stackText(identity),
      consoleUrl: deploymentUrl,
    }));

  for (const each of [...deployments, ...others].filter((result) => result.drift === true)) {
    const { stack, consoleUrl, driftRun } = each;
    const run = driftRun?.id === undefined ? [] : [`drift run ${driftRun.id}`];
    const facts = [driftedText(each), ...run].filter((fact) => fact !== '').join('; ');
    const drift = `The resources of ${stack} differ from its state${facts === '' ? '' : ` (${facts})`}`;
    host.notice(plainText(consoleUrl ? `${drift}: ${consoleUrl}` : drift), 'Drift');
  }

  for (const each of report.jobs?.map((job) => job.report) ?? [report]) {
    const stack = stackOf(each) ?? `deployment ${each.deploymentId}`;

    if (each.lock !== undefined) {
      const text = plainText(lockText(each.lock, provenStackOf(each)), 2_000);
      const title = each.lock.state === 'unknown' ? 'A stack may be locked' : 'A stack is locked';
      if (isLocked(each.lock)) host.notice(text, title);
      else host.info(text);
    }

    const { undelivered = 0 } = receiptOf(each) ?? {};
    if (undelivered > 0)
      host.notice(
        plainText(
          `${counted(undelivered, 'line')} of ${stack} did not reach Pulumi Cloud: see the artifact.`,
        ),
        'Log',
      );
  }
}
