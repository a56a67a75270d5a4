import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CI_IDENTITIES } from '../../../base/ci-identities.ts';
import { NEVER } from '../../../base/clock.ts';
import type { Environment } from '../../../base/environment.ts';
import { outputLine } from '../../../base/log/plain-text.ts';
import type { CiJob, CiPhase, CiSystem, Dialect } from '../ci-system.ts';
import { idTokenFromProgram } from '../id-token-sources.ts';
import { runShortCommand } from '../short-command.ts';
import { consoleLine, consoleText } from './log-headers.ts';

/** Seconds between SIGTERM and SIGKILL unless the agent's settings say otherwise. */
const GRACE_SECONDS = 9;

/** The end of that time, which main keeps for itself. */
const LAST_MS = 2_000;

/** For a command of the agent, which itself tries again for longer; less once main must leave. */
const COMMAND_MS = 20_000;
const LEAVING_MS = 2_000;

/** Bytes of an annotation: the agent refuses more than 1 MiB. */
const ANNOTATION_BYTES = 1024 * 1024;

/** Shorter secrets would hide ordinary words: the agent's own limit for variables. */
const MIN_SECRET_LENGTH = 6;

/** The outputs that become meta-data of the build. */
const META_DATA = [
  ...['outcome', 'error-code', 'error', 'changes'],
  ...['deployment-id', 'stack-version', 'console-url'],
];

/** Keeps the agent's log out of the messages of its errors. */
const QUIET = ['--log-level', 'error', '--no-color'];

/**
 * Buildkite: a step shows and sets everything through `buildkite-agent`, which is on the PATH of each
 * job.
 */
export const buildkite: CiSystem = {
  name: 'Buildkite',
  detects: ({ BUILDKITE, BUILDKITE_JOB_ID }) => BUILDKITE === 'true' && Boolean(BUILDKITE_JOB_ID),
  job,
  dialect,
};

function job(environment: Environment): CiJob {
  const {
    BUILDKITE_JOB_ID: id = '',
    BUILDKITE_ORGANIZATION_SLUG: organization = '',
    BUILDKITE_PIPELINE_SLUG: pipeline = '',
    BUILDKITE_BUILD_NUMBER: number = '',
    BUILDKITE_SIGNAL_GRACE_PERIOD_SECONDS: grace = '',
  } = environment;
  const seconds = /^\d+$/.test(grace) ? Number(grace) : GRACE_SECONDS;
  const windowMs = Math.max(seconds * 1000 - LAST_MS, 1_000);

  return {
    // A retry is another job.
    id,
    // The agent runs no hook for a job whose main took all of its time.
    cancelWindow: { mode: 'stay', jobMs: windowMs, mainMs: windowMs },
    credentials: CI_IDENTITIES.buildkite,
    labels: {
      'pulumi-runner.ci-run': `${organization}/${pipeline}/builds/${number}`,
      'pulumi-runner.ci-job': id,
    },
  };
}

function dialect({
  environment,
  stdout,
  workingDirectory,
  cancelled,
  stateDirectory,
  job: { id },
}: CiPhase): Dialect {
  const { BUILDKITE_STEP_KEY: key = '' } = environment;
  const summaries: string[] = [];
  let secrets: string[] = [];

  const runAgent = async (
    args: readonly string[],
    deadlineMs: number,
    signal: AbortSignal,
    inputFile?: string,
  ): Promise<void> => {
    const command = ['buildkite-agent', ...args, ...QUIET] as const;
    await runShortCommand(command, { environment, signal, deadlineMs, inputFile });
  };
  const runAgentWithInput = async (args: readonly string[], input: string) => {
    const inputFile = join(stateDirectory, `input-${randomUUID()}`);
    await writeFile(inputFile, input, { mode: 0o600 });
    const deadlineMs = cancelled.aborted ? LEAVING_MS : COMMAND_MS;
    await runAgent(args, deadlineMs, NEVER, inputFile).finally(() => rm(inputFile, { force: true }));
  };
  const header = (text: string) => void stdout.write(`${text}\n`);

  const annotate = async (outcome: string): Promise<void> => {
    if (summaries.length === 0) return;
    const style = STYLES[outcome] ?? 'error';
    const context = `pulumi-runner:${(key || id).slice(0, 80)}`;
    await runAgentWithInput(['annotate', '--context', context, '--style', style], annotationOf(summaries));
  };

  const setMetaData = async ([name, value]: readonly [string, string]): Promise<void> => {
    const prefix = key === '' ? 'pulumi-runner' : `pulumi-runner:${key}`;
    await runAgentWithInput(['meta-data', 'set', `${prefix}:${name}`], value);
  };

  const hide = async (): Promise<void> => {
    const input = JSON.stringify(Object.fromEntries(secrets.entries()));
    secrets = [];
    // This process hides them in its own output anyway.
    await runAgentWithInput(['redactor', 'add', '--format', 'json'], input).catch(() => undefined);
  };

  // Ends the agent's own group of the command, which is folded.
  header('+++ Pulumi');

  return {
    consoleText,
    consoleLine,
    group: (title) => header(`--- ${outputLine(title)}`),
    endGroup: () => header('+++ Pulumi'),
    mask: (secret) => {
      if (secret.length < MIN_SECRET_LENGTH) return;
      if (secrets.push(secret) === 1) queueMicrotask(() => void hide());
    },
    addSummary: async (markdown) => void summaries.push(markdown),
    upload: async ({ directory, deadlineMs, signal }) =>
      await runAgent(
        ['artifact', 'upload', `${relative(workingDirectory, directory)}/**/*`],
        deadlineMs,
        signal,
      ),
    deliver: async (outputs) => {
      const metaData = META_DATA.flatMap((name) => {
        const value = outputs.get(name)?.trim() ?? '';
        return value === '' ? [] : [[name, value] as const];
      });
      const results = await Promise.allSettled([
        annotate(outputs.get('outcome') ?? ''),
        ...metaData.map(setMetaData),
      ]);
      for (const each of results) if (each.status === 'rejected') throw each.reason;
    },
    requestIdToken: idTokenFromProgram(
      (audience) => ['buildkite-agent', 'oidc', 'request-token', '--audience', audience, ...QUIET],
      'buildkite-agent oidc request-token',
      environment,
    ),
  };
}

const STYLES: Readonly<Record<string, string>> = {
  succeeded: 'success',
  'no-work': 'info',
  skipped: 'warning',
  interrupted: 'warning',
};

/** The Markdown of an annotation, cut where it would be too long. */
export function annotationOf(summaries: readonly string[]): string {
  const text = summaries.join('\n');
  const bytes = Buffer.from(text);
  if (bytes.length <= ANNOTATION_BYTES) return text;
  const pointer = '\n\nThe rest is in the artifact report.html.';
  const start = bytes.subarray(0, ANNOTATION_BYTES - Buffer.byteLength(pointer));
  // Not in the middle of a line, which could be a row of a table or a character.
  return `${start.subarray(0, start.lastIndexOf('\n')).toString()}${pointer}`;
}
