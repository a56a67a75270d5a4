import { existsSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ORGANIZATION, POOL_ID, type Queued, startCloud, startDeployment } from './cloud.ts';
import { assertReachableFromContainers, containerAddress } from './container-address.ts';
import { PROGRAM_NAMES, type ProgramName } from './job.ts';
import { startProgramHost } from './program-host.ts';
import { failureProblems, idleProblems, successProblems } from './serve-checks.ts';
import { holdLock } from './state-lock.ts';

/*
 * The emulated Pulumi Cloud for a CI job that runs the action for real: serves until it is stopped, then checks what came.
 * --deployments is how many wait in the queue, 0 for none; with --failing, another update holds the locks of their states.
 * It writes `service-url`, `organization` and `runner-pool-id` to --outputs once it is ready. SIGINT, SIGTERM or the file
 * named by --stop-file stop it, and so does the end of its --minutes, when its parent is gone. Then it writes `ok`, or a
 * line for each problem, to --result, and exits with 0 or 1.
 */

const GITHUB_ISSUER = 'https://token.actions.githubusercontent.com';
const LOOK_EVERY_MS = 200;
const USAGE = `usage: serve.ts --repository OWNER/REPO --program ${PROGRAM_NAMES.join('|')} --image REFERENCE
  [--deployments 1] [--failing] [--minutes 60] [--outputs FILE] [--stop-file FILE] [--result FILE]
  [--issuer URL] [--jwks-url URL]`;

const { values } = parseArgs({
  options: {
    repository: { type: 'string' },
    program: { type: 'string' },
    image: { type: 'string' },
    deployments: { type: 'string', default: '1' },
    failing: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    outputs: { type: 'string' },
    'stop-file': { type: 'string' },
    result: { type: 'string' },
    issuer: { type: 'string', default: GITHUB_ISSUER },
    'jwks-url': { type: 'string' },
  },
});
const { repository, image, issuer, outputs, failing, 'stop-file': stopFile, 'jwks-url': jwksUrl } = values;
const program = PROGRAM_NAMES.find((name) => name === values.program);
const count = Number(values.deployments);
const minutes = Number(values.minutes);
if (
  repository === undefined ||
  image === undefined ||
  program === undefined ||
  !(Number.isInteger(count) && count >= 0) ||
  !(minutes > 0)
) {
  console.error(USAGE);
  process.exit(2);
}

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());
// The output's reader may be gone: --result has the verdict.
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
    const stack = `stack-${number}`;
    if (failing) await holdLock(host, stack);
    queued.push(await startDeployment(cloud, { program, image, host, stack }));
  }
  const ready = `service-url=${cloud.url}\norganization=${ORGANIZATION}\nrunner-pool-id=${POOL_ID}\n`;
  if (outputs !== undefined) await appendFile(outputs, ready);
  console.log(
    `${ready}${count} deployments are queued; ${stopFile === undefined ? 'SIGINT' : `SIGINT or ${stopFile}`} ends this.`,
  );
  const wasStopped = await untilStopped();
  // The result names them; the emulator need not throw for them when it stops.
  cloud.allow(/^/);
  return [
    ...(wasStopped ? [] : [`nobody stopped it within ${minutes} minutes`]),
    ...cloud.violations.map((violation) => `violation: ${violation}`),
    ...(count === 0 ? idleProblems(cloud) : []),
    ...queued.flatMap((one) => (failing ? failureProblems(one, host) : successProblems(one, host, program))),
  ];
}

/** Resolves to whether it was stopped, rather than its time over. */
async function untilStopped(): Promise<boolean> {
  const end = performance.now() + minutes * 60_000;
  while (!stopped.signal.aborted && !(stopFile !== undefined && existsSync(stopFile))) {
    if (performance.now() > end) return false;
    await delay(LOOK_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
  }
  return true;
}
