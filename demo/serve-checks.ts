import type { PulumiCloud } from '../test/emulators/pulumi-cloud/server.ts';
import { type Check, checkDeployment, checkPrinted, checkSecrets, checkState } from './checks.ts';
import type { Queued } from './cloud.ts';
import { NEVER_PRINTED, PRINTED_SECRETS, PROGRAMS, type ProgramName } from './job.ts';
import type { ProgramHost } from './program-host.ts';
import { HOLDER } from './state-lock.ts';

/** The problems of a deployment that should have succeeded, a line each. */
export function successProblems(queued: Queued, host: ProgramHost, program: ProgramName): string[] {
  const { stack, steps } = queued.deployment;
  return problemsOf(stack, [
    checkDeployment(queued.deployment),
    checkPrinted(steps, PRINTED_SECRETS, NEVER_PRINTED),
    checkState(host.state(stack), host.locked(stack), PROGRAMS[program]),
    leaks(queued),
  ]);
}

/** The problems of a deployment that should have failed because another update held its state's lock. */
export function failureProblems(queued: Queued, host: ProgramHost): string[] {
  const { stack, status, endReason, steps } = queued.deployment;
  const failed = steps.findIndex((step) => step.status === 'failed');
  const wrong = steps.flatMap(({ index, name, statusHistory }) => {
    const history = statusHistory.map((change) => change.status).join(', ');
    const expected = index < failed ? 'running, succeeded' : index === failed ? 'running, failed' : '';
    return history === expected ? [] : [`step ${index} "${name}" was reported as: ${history || 'nothing'}`];
  });
  const told = steps[failed]?.lines.some(({ l }) => l.includes(HOLDER)) ?? false;
  const ended = status === 'failed' && endReason === 'steps';
  const held = host.locked(stack)?.Who === HOLDER;
  const check: Check = {
    title: 'One step failed, and none after it began',
    problems: [
      ...(ended ? [] : [`the deployment is ${status} (${endReason})`]),
      ...(failed < 0 ? ['no step failed'] : wrong),
      ...(told ? [] : ['the failed step’s log does not say who holds the lock']),
      ...(held ? [] : ['the lock was taken from its holder']),
      ...(host.state(stack) === undefined ? [] : ['the state was changed']),
    ],
  };
  return problemsOf(stack, [check, leaks(queued)]);
}

/** The problems of a run without work: an agent should have polled. */
export function idleProblems({ requests }: Pick<PulumiCloud, 'requests'>): string[] {
  const asked = requests.some(({ path, status }) => path === '/api/deployments/poll' && status === 204);
  return asked ? [] : ['nobody asked for work'];
}

function leaks({ deployment, secrets }: Queued): Check {
  const places = deployment.steps.map(({ index, lines }) => ({
    name: `step ${index}'s log`,
    text: lines.map(({ l }) => l).join(''),
  }));
  return checkSecrets(secrets, places);
}

function problemsOf(stack: string, checks: readonly Check[]): string[] {
  return checks.flatMap((check) => check.problems.map((problem) => `${stack}: ${problem}`));
}
