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
 * An emulated Pulumi Cloud for a CI job that runs the action for real: serves until stopped, then checks what happened.
 * It queues --deployments deployments; with --failing, another update holds the locks of their states. Once ready, it
 * writes `service-url`, `organization` and `runner-pool-id` to --outputs. SIGINT, SIGTERM or the file --stop-file stop
 * it; so does the end of --minutes, in case its parent is gone. It then writes `ok`, or a line for each problem, to
 * --result, and exits with 0 or 1.
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
// The reader of stdout may be gone; --result has the verdict.
process.stdout.on('error', () => {});
const problems = await serve(program, image, repository).catch((error: unknown) => [String(error)]);
const verdict = problems.length === 0 ? 'ok' : problems.join('\n');
console.log(verdict);
if (values.result !== undefined) await writeFile(values.result, `${verdict}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns the problems, a line each. */
async function serve(program: ProgramName, image: string, repository: string): Promise<string[]> {
  await using started = new AsyncDisposableStack();
  const host = await startProgramHost(await containerAddress());
  started.defer(() => host.stop());
  await assertReachableFromContainers(host.probeUrl, image);
  const cloud = await startCloud({
    issuer,
    jwksUrl: jwksUrl ?? `${issuer}/.well-known/jwks`,
    // Unlike `sub`, whose form may be the old or the immutable one, this claim is always the same.
    rules: { repository },
  });
  started.defer(() => cloud.stop());
  const queued: Queued[] = [];
  for (let number = 1; number <= count; number += 1) {
    // A stack runs one deployment at a time, so each deployment gets a stack.
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
  // The result names the violations, so the emulator need not throw them when it stops.
  cloud.allow(/^/);
  return [
    ...(wasStopped ? [] : [`nobody stopped it within ${minutes} minutes`]),
    ...cloud.violations.map((violation) => `violation: ${violation}`),
    ...(count === 0 ? idleProblems(cloud) : []),
    ...queued.flatMap((one) => (failing ? failureProblems(one, host) : successProblems(one, host, program))),
  ];
}

/** Resolves to true when stopped, to false when the time is over. */
async function untilStopped(): Promise<boolean> {
  const end = performance.now() + minutes * 60_000;
  while (!stopped.signal.aborted && !(stopFile !== undefined && existsSync(stopFile))) {
    if (performance.now() > end) return false;
    await delay(LOOK_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
  }
  return true;
}
