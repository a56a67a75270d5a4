import { randomBytes } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { GitHub } from '../test/emulators/github/github.ts';
import type { PhaseResult } from '../test/emulators/github/phase.ts';
import type { OrphanProcess } from '../test/emulators/github/process-tree.ts';
import { ORGANIZATION, POOL_ID } from './cloud.ts';
import { containersWith, inspection } from './docker-objects.ts';
import { readFolder } from './files.ts';
import { eachConsoleLine, marginRenderer } from './live-console.ts';

/** Milliseconds until the deployment's first step: an image may have to be pulled. */
const FIRST_STEP_MS = 300_000;

/** What a service without TLS takes where its address isn't loopback. */
const INSECURE = { PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: 'true' };

const CONSOLE_DOMAIN = 'app.pulumi.com';

/** Makes links lead to Pulumi Cloud's console, because the emulated service has none. */
export const CONSOLE = { PULUMI_CONSOLE_DOMAIN: CONSOLE_DOMAIN };

/** A text with the console's links as users of Pulumi Cloud see them: the agent takes their scheme from the emulated service. */
export function withConsoleLinks(text: string): string {
  return text.replaceAll(`http://${CONSOLE_DOMAIN}/`, `https://${CONSOLE_DOMAIN}/`);
}

export interface JobRunOptions {
  readonly github: GitHub;
  /** The folder with `action.yml`. */
  readonly actionDirectory: string;
  readonly serviceUrl: string;
  /** True if jobs reach the service too, at an address that isn't this machine's loopback. */
  readonly isServiceReachable: boolean;
  /** False for an image that only this machine has. */
  readonly pullImage: boolean;
  /** The label of everything that the run creates in Docker. */
  readonly label: string;
  /** An empty folder, the job's `TMPDIR`. */
  readonly temporaryDirectory: string;
  /** The engine's address unless it is the usual one. */
  readonly dockerHost: string | undefined;
  readonly write: (line: string) => void;
  /** Cancels the CI job. */
  readonly signal: AbortSignal;
}

/** What a CI job with the action has left behind. */
export interface JobRun {
  readonly main: PhaseResult;
  readonly post: PhaseResult | undefined;
  /** Processes of the CI job that outlived post. */
  readonly orphans: readonly OrphanProcess[];
  /** The job's container as inspected during the deployment's first step. */
  readonly container: { readonly id: string; readonly inspection: string } | undefined;
  /** The files left in the CI job's temporary folders, by path. */
  readonly remains: ReadonlyMap<string, Buffer>;
  /** Secret values that the CI job was given. */
  readonly secrets: readonly string[];
}

/** Runs a CI job as GitHub's runner does, with the README's quickstart as its only step, and shows its console live. */
export async function runJob(options: JobRunOptions): Promise<JobRun> {
  const { github, actionDirectory, temporaryDirectory, dockerHost, write, signal } = options;
  const accessKey = `AKIA${randomBytes(12).toString('hex').toUpperCase()}`;
  const inputs = {
    organization: ORGANIZATION,
    'runner-pool-id': POOL_ID,
    'env-forward-allowlist': 'AWS_REGION AWS_ACCESS_KEY_ID',
    'service-url': options.serviceUrl,
    ...(!options.pullImage && { 'pull-image': 'false' }),
  };
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: accessKey,
    TMPDIR: temporaryDirectory,
    ...CONSOLE,
    ...(options.isServiceReachable && INSECURE),
    ...(dockerHost !== undefined && { DOCKER_HOST: dockerHost }),
  };
  showStep(inputs, options.isServiceReachable, write);

  const runner = await github.newJob(actionDirectory, inputs, env, { secrets: [accessKey] });
  const render = marginRenderer('  │ ');
  const show = (line: string): void => {
    const rendered = render(line);
    if (rendered !== undefined) write(rendered);
  };
  const phase = await runner.startMain();
  const cancel = (): void => void phase.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const container = watchContainer(
    phase.waitForConsole(/^##\[group\]Step 1:/u, FIRST_STEP_MS).catch(() => undefined),
    options.label,
  );
  try {
    await eachConsoleLine(phase, show);
    const main = await phase.exited;
    write('  ├ post');
    const postPhase = await runner.startPost();
    if (postPhase !== undefined) await eachConsoleLine(postPhase, show);
    const post = await postPhase?.exited;
    const { 'run-directory': runDirectory = '' } = main.outputs;
    return {
      main,
      post,
      orphans: await runner.cleanUpOrphans(),
      container: await container,
      remains: new Map([
        ...(await readFolder(temporaryDirectory)),
        // The run directory is in a separate folder inside the runner's temporary folder.
        ...(runDirectory === '' ? [] : await readFolder(resolve(dirname(dirname(runDirectory))))),
      ]),
      secrets: [accessKey],
    };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Inspects the job's container while it runs. */
async function watchContainer(running: Promise<unknown>, label: string): Promise<JobRun['container']> {
  if ((await running) === undefined) return undefined;
  const [id] = await containersWith(label);
  // A short job may already be over.
  return id === undefined ? undefined : { id, inspection: await inspection(id).catch(() => '') };
}

function showStep(
  inputs: Readonly<Record<string, string>>,
  isServiceReachable: boolean,
  write: (line: string) => void,
): void {
  write('  - uses: org/pulumi-runner-action@<commit> # v1.0.0');
  write('    with:');
  for (const [name, value] of Object.entries(inputs)) write(`      ${name}: ${JSON.stringify(value)}`);
  write('    env:');
  write('      AWS_REGION: eu-west-1');
  write('      AWS_ACCESS_KEY_ID: … # an earlier step sets it, as in the README');
  write(`      PULUMI_CONSOLE_DOMAIN: ${CONSOLE_DOMAIN} # the emulated Pulumi Cloud has no console`);
  if (isServiceReachable) {
    for (const [name, value] of Object.entries(INSECURE))
      write(`      ${name}: '${value}' # the emulated Pulumi Cloud has no TLS`);
  }
  write('  ┌ main');
}
