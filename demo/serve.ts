import { existsSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkDeployment, checkPrinted, checkSecrets, checkState } from './checks.ts';
import { ORGANIZATION, POOL_ID, type Queued, startCloud, startDeployment } from './cloud.ts';
import { assertReachableFromContainers, containerAddress } from './container-address.ts';
import { NEVER_PRINTED, PRINTED_SECRETS, PROGRAM_NAMES, PROGRAMS, type ProgramName } from './job.ts';
import { startProgramHost } from './program-host.ts';

/*
 * The emulated Pulumi Cloud for a CI job that runs the action for real: serves until it is stopped, then checks what came.
 * It writes `service-url`, `organization` and `runner-pool-id` to --outputs once it is ready. SIGINT, SIGTERM or the file
 * named by --stop-file stop it; then it writes `ok`, or a line for each problem, to --result, and exits with 0 or 1.
 */

const GITHUB_ISSUER = 'https://token.actions.githubusercontent.com';
const LOOK_EVERY_MS = 200;
const USAGE = `usage: serve.ts --repository OWNER/REPO --program ${PROGRAM_NAMES.join('|')} --image REFERENCE
  [--deployments 1] [--outputs FILE] [--stop-file FILE] [--result FILE] [--issuer URL] [--jwks-url URL]`;

const { values } = parseArgs({
  options: {
    repository: { type: 'string' },
    program: { type: 'string' },
    image: { type: 'string' },
    deployments: { type: 'string', default: '1' },
    outputs: { type: 'string' },
    'stop-file': { type: 'string' },
    result: { type: 'string' },
    issuer: { type: 'string', default: GITHUB_ISSUER },
    'jwks-url': { type: 'string' },
  },
});
const { repository, image, issuer, outputs, 'stop-file': stopFile, 'jwks-url': jwksUrl } = values;
const program = PROGRAM_NAMES.find((name) => name === values.program);
const count = Number(values.deployments);
if (
  repository === undefined ||
  image === undefined ||
  program === undefined ||
  !(Number.isInteger(count) && count > 0)
) {
  console.error(USAGE);
  process.exit(2);
}

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());
// Whoever read the output may be gone: --result has the verdict.
process.stdout.on('error', () => {});
const problems = await serve(program, image, repository).catch((error: unknown) => [String(error)]);
const verdict = problems.length === 0 ? 'ok' : problems.join('\n');
console.log(verdict);
if (values.result !== undefined) await writeFile(values.result, `${verdict}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns what went wrong, a line for each problem. */
async function serve(program: ProgramName, image: string, repository: string): Promise<string[]> {
  await using started = new AsyncDisposableStack();
  const host = await startProgramHost(await containerAddress());
  started.defer(() => host.stop());
  await assertReachableFromContainers(host.probeUrl, image);
  const cloud = await startCloud({
    issuer,
    jwksUrl: jwksUrl ?? `${issuer}/.well-known/jwks`,
    // The claim of this name is the same with subjects of the old and of the immutable form.
    rules: { repository },
  });
  started.defer(() => cloud.stop());
  const queued: Queued[] = [];
  for (let number = 1; number <= count; number += 1) {
    // A stack runs one deployment at a time; those of several stacks may run side by side.
    queued.push(await startDeployment(cloud, { program, image, host, stack: `stack-${number}` }));
  }
  const ready = `service-url=${cloud.url}\norganization=${ORGANIZATION}\nrunner-pool-id=${POOL_ID}\n`;
  if (outputs !== undefined) await appendFile(outputs, ready);
  console.log(
    `${ready}${count} deployments are queued; ${stopFile === undefined ? 'SIGINT' : `SIGINT or ${stopFile}`} ends this.`,
  );
  await untilStopped();

  return [
    ...cloud.violations.map((violation) => `violation: ${violation}`),
    ...queued.flatMap(({ deployment, secrets }) => {
      const { stack, steps } = deployment;
      const logs = steps.map(({ index, lines }) => ({
        name: `step ${index}'s log`,
        text: lines.map(({ l }) => l).join(''),
      }));
      return [
        checkDeployment(deployment),
        checkPrinted(steps, PRINTED_SECRETS, NEVER_PRINTED),
        checkState(host.state(stack), host.locked(stack), PROGRAMS[program]),
        checkSecrets(secrets, logs),
      ].flatMap((check) => check.problems.map((problem) => `${stack}: ${problem}`));
    }),
  ];
}

async function untilStopped(): Promise<void> {
  while (!stopped.signal.aborted && !(stopFile !== undefined && existsSync(stopFile))) {
    await delay(LOOK_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
  }
}
