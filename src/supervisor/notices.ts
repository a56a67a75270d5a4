import { plainText } from '../log/plain-text.ts';
import { counted, duration } from '../quantity.ts';
import type { OwnDeployment } from '../record/deployment.ts';
import { receiptOf } from '../report/receipt.ts';
import type { RunReport, StepReport } from '../report/report.ts';
import { changeFigures, driftedText } from '../report/resource-changes.ts';
import { stackText } from '../stack.ts';
import type { Host } from './host.ts';

/** A shell's exit code for a program killed by SIGKILL. */
const KILLED = 137;

/**
 * Shows how deployments ended and what needs attention: drift, a stack that may be locked,
 * undelivered lines.
 */
export function sayNotices(host: Host, report: RunReport): void {
  const { deployments = [] } = report;
  for (const deployment of deployments) host.info(plainText(endOf(deployment), 2_000));

  const others = [report, ...(report.jobs ?? []).map((job) => job.report)]
    .filter((each) => each.deployments === undefined)
    .map(({ drift, driftRun, identity, deploymentUrl }) => ({
      drift,
      driftRun,
      stack: identity && stackText(identity),
      consoleUrl: deploymentUrl,
    }));

  for (const each of [...deployments, ...others].filter(({ drift }) => drift === true)) {
    const { stack, consoleUrl, driftRun } = each;
    const run = driftRun?.id === undefined ? [] : [`drift run ${driftRun.id}`];
    const facts = [driftedText(each), ...run].filter((fact) => fact !== '').join('; ');
    const found = `The resources of ${stack} differ from its state${facts === '' ? '' : ` (${facts})`}`;
    host.notice(plainText(consoleUrl ? `${found}: ${consoleUrl}` : found), 'Drift');
  }

  for (const each of report.jobs?.map((job) => job.report) ?? [report]) {
    const named = each.identity && stackText(each.identity);
    const stack = each.deployments?.[0]?.stack ?? named ?? `deployment ${each.deploymentId}`;
    const ended = each.elsewhere ? undefined : each.steps.find(wasEndedByForce);

    if (ended !== undefined) {
      const advice = 'Make sure that nothing is still working on it, then unlock it with `pulumi cancel`';
      host.notice(
        plainText(`${ended.name} of ${stack} was ended by force. ${advice}.`),
        'A stack may be locked',
      );
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

/** `acme/network/prod: update succeeded here in 10 s, +5 ~0 −0`. */
function endOf({ stack, operation, outcome, state, ranHere, seconds, changes = {} }: OwnDeployment): string {
  const time = seconds === undefined ? '' : ` in ${duration(seconds)}`;
  const figures = changeFigures(changes);
  const where = ranHere ? ' here' : seconds === undefined ? '' : ' elsewhere';
  return `${stack}: ${operation} ${outcome ?? state}${where}${time}${figures === undefined ? '' : `, ${figures}`}`;
}

/**
 * The step was killed, and with it any engine that held the stack's lock. Step 0 is the agent's
 * preparation.
 */
function wasEndedByForce({ index, status, exitCode, endedByForce }: StepReport): boolean {
  if (index === 0 || status === 'succeeded' || status === 'not-started') return false;
  return status === 'running' || exitCode === KILLED || endedByForce === true;
}
