import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { counted } from '../src/base/quantity.ts';
import { readResult } from '../src/record/reader.ts';
import { startGitHub } from '../test/emulators/github/github.ts';
import type { PulumiCloud } from '../test/emulators/pulumi-cloud/server.ts';
import {
  type Check,
  checkDeployment,
  checkLogs,
  checkOutputs,
  checkPrinted,
  checkSecrets,
  checkState,
  createdBy,
} from './checks.ts';
import { ORGANIZATION, PROJECT, startCloud, startDeployment } from './cloud.ts';
import { assertReachableFromContainers, containerAddress } from './container-address.ts';
import { objectsWith } from './docker-objects.ts';
import { size, writeFolder } from './files.ts';
import { NEVER_PRINTED, PRINTED_SECRETS, PROGRAMS, type ProgramName } from './job.ts';
import { type JobRun, runJob, withConsoleLinks } from './job-run.ts';
import { type ProgramHost, startProgramHost } from './program-host.ts';
import { checkArtifact, checkLeftovers, placesOf } from './run-checks.ts';

const REPOSITORY = `${ORGANIZATION}/infrastructure`;
const REF = 'refs/heads/main';
const STACK = 'demo';

export interface StoryOptions {
  readonly program: ProgramName;
  readonly image: string;
  readonly pullImage: boolean;
  readonly actionDirectory: string;
  /** Replaced if it exists. */
  readonly artifactDirectory: string;
  /** Where to write the CI job's summary, in Markdown; its folder is created if missing. */
  readonly summaryFile: string;
  readonly dockerHost: string | undefined;
  readonly write: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Takes a deployment from queued to finished, surrounded by emulated services, and narrates it.
 * @returns whether all checks passed
 * @throws an error that keeps the demo from running at all
 */
export async function tellStory(options: StoryOptions): Promise<boolean> {
  const { program, image, artifactDirectory, summaryFile } = options;
  const began = performance.now();
  await using started = new AsyncDisposableStack();
  const write = (line: string): void => options.write(withConsoleLinks(line));
  const title = (text: string): void => write(`\n== ${text}`);

  title('Services');
  const runId = String(randomInt(10 ** 10, 10 ** 11));
  const github = await startGitHub({ repository: REPOSITORY, ref: REF, runId });
  started.defer(() => github.stop());
  const rules = { sub: `repo:${REPOSITORY}:ref:${REF}` };
  const address = await containerAddress();
  const { keepsState } = PROGRAMS[program];
  const isServiceReachable = keepsState === 'in Pulumi Cloud';
  const cloud = await startCloud({
    issuer: github.issuer.url,
    jwksUrl: github.issuer.jwksUri,
    rules,
    ...(isServiceReachable && { host: address.bindAddress }),
  });
  started.defer(() => cloud.stop());
  const host = await startProgramHost(address);
  started.defer(() => host.stop());
  await assertReachableFromContainers(host.probeUrl, image);
  write(`Pulumi Cloud (emulated)    ${cloud.url}: organization ${ORGANIZATION}, one pool, one OIDC policy`);
  write(
    `GitHub (emulated)          ID tokens by ${github.issuer.url}; artifacts at ${github.artifacts.url}, kept in Azurite`,
  );
  write(`Git and state, for the job ${host.gitUrl}, commit ${host.commit.slice(0, 12)}`);

  title('Deployment');
  const { deployment, secrets } = await startDeployment(cloud, { program, image, host, stack: STACK });
  write(`Queued by POST /api/stacks/${ORGANIZATION}/${PROJECT}/${STACK}/deployments: ${deployment.id}`);
  write(`It deploys ${PROGRAMS[program].title}, in ${image}.`);

  title("The CI job's step");
  const temporaryDirectory = await mkdtemp(join(tmpdir(), 'demo-job-'));
  started.defer(() => rm(temporaryDirectory, { recursive: true, force: true }));
  const label = `pulumi-runner.ci-run=${REPOSITORY}/actions/runs/${runId}`;
  const job = await runJob({
    ...options,
    write,
    github,
    serviceUrl: cloud.url,
    isServiceReachable,
    label,
    temporaryDirectory,
  });
  const { outputs } = job.main;

  title('What the step left');
  const { 'run-directory': runDirectory = '' } = outputs;
  const result = runDirectory === '' ? undefined : await readResult(runDirectory);
  write(`Outcome: ${outputs['outcome'] || 'none'}. ${result?.message ?? ''}`);
  for (const [name, value] of Object.entries(outputs)) write(`  ${name.padEnd(15)}${value}`);
  // The output may lack it: what post uploads comes too late for an output.
  const artifact = github.artifacts.list().find(({ finalized }) => finalized);
  const files =
    artifact === undefined ? new Map<string, Buffer>() : await github.artifacts.download(artifact.name);
  await writeFolder(artifactDirectory, files);
  await mkdir(dirname(summaryFile), { recursive: true });
  await writeFile(summaryFile, withConsoleLinks(job.main.summary || (job.post?.summary ?? '')));
  write(`The job's summary, as GitHub is given it: ${summaryFile}`);
  write(`Artifact, downloaded back and unzipped (open its report.html in a browser): ${artifactDirectory}`);
  // The zip file's order is that in which the files were read.
  for (const name of [...files.keys()].toSorted())
    write(`  ${size(files.get(name)?.length ?? 0).padStart(9)}  ${name}`);
  write('Steps in Pulumi Cloud:');
  for (const { index, name, status, lines } of deployment.steps) {
    write(`  ${index} ${name.padEnd(24)}${status.padEnd(12)}${counted(lines.length, 'line')}`);
  }
  const state = isServiceReachable ? stateInCloud(cloud) : stateOnHost(host);
  showState(state, program, write);

  title('Checks');
  const places = placesOf(job, files, deployment);
  const everySecret = [...secrets, ...job.secrets, ...cloud.issuedTokens, ...longMasks(job)];
  const violations = [
    ...cloud.violations.map((violation) => `Pulumi Cloud: ${violation}`),
    ...github.violations().map(({ rule, detail }) => `GitHub: ${rule}: ${detail}`),
  ];
  // A check names the violations, so the emulators need not throw them when they stop.
  cloud.allow(/^/);
  github.allow(...github.violations().map(({ rule }) => rule));
  const checks: Check[] = [
    checkOutputs(outputs, job.main.conclusion, deployment, String(artifact?.id)),
    checkDeployment(deployment),
    await checkArtifact(files, runDirectory),
    result === undefined
      ? { title: 'The run has a result', problems: ['there is none'] }
      : checkLogs(result, files, deployment.steps),
    checkPrinted(deployment.steps, PRINTED_SECRETS, NEVER_PRINTED),
    checkSecrets(everySecret, places),
    checkState(state.text, state.lock, PROGRAMS[program]),
    checkLeftovers(job, await objectsWith(label)),
    { title: 'Neither emulator saw what its original would not accept', problems: violations },
  ];
  for (const check of checks) {
    write(`${check.problems.length === 0 ? '✓' : '✗'} ${check.title}`);
    for (const problem of check.problems) write(`    ${problem}`);
  }
  const isRight = checks.every(({ problems }) => problems.length === 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  write(
    isRight ? `\nThe demo went well, in ${seconds} s.` : '\nThe demo went wrong: see the lines with ✗ above.',
  );
  return isRight;
}

/** The masked tokens. Leaves out short masked values, which texts may contain by chance. */
function longMasks(job: JobRun): string[] {
  return [...job.main.reading.masks, ...(job.post?.reading.masks ?? [])].filter((mask) => mask.length >= 16);
}

/** The state that the deployment left, and how it came about. */
interface KeptState {
  /** The backend, for people. */
  readonly place: string;
  readonly text: string | undefined;
  readonly lock: object | undefined;
  readonly writes: number;
  readonly locks: number;
}

function stateInCloud(cloud: PulumiCloud): KeptState {
  const stack = cloud.stacks.find({ project: PROJECT, stack: STACK });
  const updates = stack?.updates ?? [];
  const { id, kind } = stack?.active ?? {};
  return {
    place: `${cloud.url}/api/stacks/${ORGANIZATION}/${PROJECT}/${STACK}/export`,
    text: stack === undefined ? undefined : JSON.stringify(stack.state),
    lock: stack?.active && { id, kind },
    writes: updates.reduce((sum, { checkpoints }) => sum + checkpoints, 0),
    locks: updates.filter(({ dryRun }) => !dryRun).length,
  };
}

function stateOnHost(host: ProgramHost): KeptState {
  return {
    place: host.stateUrlOf(STACK),
    text: host.state(STACK),
    lock: host.locked(STACK),
    ...host.counts(STACK),
  };
}

function showState(
  { place, text, writes, locks }: KeptState,
  program: ProgramName,
  write: (line: string) => void,
): void {
  if (text === undefined) {
    write('State: none was written');
    return;
  }
  write(`State, read back from ${place}: ${size(Buffer.byteLength(text))}`);
  write(
    `  written ${counted(writes, 'time')}, its lock taken ${counted(locks, 'time')}; there are ${createdBy(PROGRAMS[program], text).join(', ') || 'none'}`,
  );
}
