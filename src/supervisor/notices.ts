import { counted } from '../quantity.ts';
import type { OwnDeployment } from '../record/deployment.ts';
import { receiptOf } from '../report/receipt.ts';
import type { RunReport, StepReport } from '../report/report.ts';
import { changeFigures } from '../report/resource-changes.ts';
import { duration, plainText } from '../report/text.ts';
import type { Host } from './host.ts';

/** Exit code of a shell's child that SIGKILL ended. */
const KILLED = 137;

/** Says how each deployment of the run ended, with notices of what to look at: drift, a stack that may be locked, lines not delivered. */
export function sayNotices(host: Host, report: RunReport): void {
  const { deployments = [] } = report;
  for (const deployment of deployments) host.info(plainText(endOf(deployment), 2_000));
  for (const { stack, consoleUrl } of deployments.filter((each) => each.drift === true))
    host.notice(
      plainText(`The resources of ${stack} differ from its state${consoleUrl ? `: ${consoleUrl}` : ''}`),
      'Drift',
    );
  for (const each of report.jobs?.map((job) => job.report) ?? [report]) {
    const stack = each.deployments?.[0]?.stack ?? `deployment ${each.deploymentId}`;
    const ended = each.elsewhere ? undefined : each.steps.find(wasEndedByForce);
    if (ended !== undefined) {
      const advice = 'Look that nothing works on it any more; then `pulumi cancel` frees it';
      host.notice(plainText(`${ended.name} of ${stack} was ended by force. ${advice}.`), 'A stack may be locked');
    }
    const { undelivered = 0 } = receiptOf(each) ?? {};
    if (undelivered > 0)
      host.notice(
        plainText(`${counted(undelivered, 'line')} of ${stack} did not reach Pulumi Cloud: see the artifact.`),
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

/** The step was cut off at its work, and with it the engine that holds the stack's lock. Step 0 is the agent's own. */
function wasEndedByForce({ index, status, exitCode, reason = '' }: StepReport): boolean {
  if (index === 0 || status === 'succeeded' || status === 'not-started') return false;
  return status === 'running' || exitCode === KILLED || /did not end, so its container was removed/.test(reason);
}
