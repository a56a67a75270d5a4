import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as core from '@actions/core';
import { DeadlineError, within } from '../../../base/deadline.ts';
import { defined } from '../../../base/defined.ts';
import type { Environment } from '../../../base/environment.ts';
import { withEntry } from '../../../base/error-codes.ts';
import { plainText } from '../../../base/log/plain-text.ts';
import { clause, messageOf } from '../../../base/outcome.ts';
import type { Identity } from '../../../base/stack.ts';
import type { ArtifactUpload, UploadedArtifact } from '../../host.ts';
import { type Context, runPage } from './context.ts';

/** GitHub allows 260 characters, but downloads turn the name into a folder. */
const MAX_NAME = 200;

/** Characters of a job's ID; GitHub refuses a workflow with a longer one. */
const MAX_JOB = 100;

/** Attempts at one upload, under another name if necessary. */
const MAX_TRIES = 3;

/** Logs compress well enough at this level, in a fraction of the time. */
const COMPRESSION_LEVEL = 1;

/** The client's message for a name that the workflow run has used. */
const TAKEN = /\(409\)|already exists/i;
const RESET = /ECONNRESET|socket hang up|ETIMEDOUT/;

/**
 * A name for the artifact that is unique in a matrix, in a re-run and in a job that runs the action
 * twice.
 */
export function artifactName(
  {
    name,
    identity,
    deploymentId,
  }: {
    readonly name?: string | undefined;
    readonly identity?: Identity | undefined;
    readonly deploymentId?: string | undefined;
  },
  context: Context,
): string {
  const subject =
    identity && [identity.project, identity.stack, identity.version].filter((part) => part !== undefined);
  return (name ?? uniqueName(subject ?? [deploymentId ?? context.runId], context))
    .replace(/[\p{Cc}":<>|*?\\/]+/gu, '-')
    .slice(0, MAX_NAME)
    .toWellFormed();
}

/** The end makes it unique, and is never cut. */
function uniqueName(subject: readonly (string | number)[], { job, runAttempt }: Context): string {
  const end = ['', job.slice(0, MAX_JOB), runAttempt, randomSuffix()].join('-');
  return `${['pulumi-runner', ...subject].join('-').slice(0, MAX_NAME - end.length)}${end}`;
}

function randomSuffix(): string {
  return randomBytes(3).toString('hex');
}

/** Why this job has no artifact service; undefined if it has one. */
function noArtifactService(environment: Environment, { serverUrl }: Context): string | undefined {
  const host = URL.canParse(serverUrl) ? new URL(serverUrl).hostname.toLowerCase() : '';
  if (host !== 'github.com' && !host.endsWith('.ghe.com') && !host.endsWith('.localhost'))
    return 'GitHub Enterprise Server accepts none from this action (docs/recipes.md has a step that keeps the files)';
  const { ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL } = environment;
  return ACTIONS_RUNTIME_TOKEN && ACTIONS_RESULTS_URL
    ? undefined
    : 'the runner offers no artifact service to this job';
}

/**
 * Uploads the run directory. Never throws: a failure is a warning that names the directory, a
 * missing artifact service a notice. An abandoned upload keeps its sockets open, and they keep the
 * process alive: the caller must exit.
 */
export async function uploadRunDirectory(
  upload: ArtifactUpload,
  environment: Environment,
  context: Context,
  warning: (text: string) => void,
): Promise<UploadedArtifact | undefined> {
  const { directory, retentionDays, deadlineMs, signal, last } = upload;
  const reason = noArtifactService(environment, context);

  if (reason !== undefined) {
    core.notice(`No artifact was uploaded: ${reason}. The run directory is ${directory} on this runner.`);
    return undefined;
  }

  const name = artifactName(upload, context);
  core.startGroup(`Artifact ${name}`);

  try {
    const artifact = await within(deadlineMs, signal, () =>
      sendWithRetries({ name, directory, retentionDays, signal }),
    ).finally(core.endGroup);
    const { id } = artifact;
    if (artifact.wasTaken)
      core.notice(`The workflow run already has an artifact ${name}: this one is called ${artifact.name}.`);
    return { id: String(id), url: `${runPage(context)}/artifacts/${id}`, name: artifact.name };
  } catch (error) {
    if (signal.aborted && !last) {
      core.info(
        `The step was stopped before the artifact ${name} was uploaded; the run directory is ${directory} on this runner.`,
      );
      return undefined;
    }

    const failure =
      error instanceof DeadlineError
        ? `it took longer than ${deadlineMs / 1000} s`
        : clause(plainText(messageOf(error)));

    const cause = signal.aborted ? 'the step was stopped' : failure;
    const sentence =
      `Failed to upload the artifact ${name} for this run: ${cause}. The run's logs and events are not kept with the ` +
      `workflow run; they are in ${directory} on this runner until the job ends.`;

    warning(withEntry(sentence, 'PRA-RECORD-01'));

    return undefined;
  }
}

/**
 * Retries where the client doesn't: after a reset connection, and for a name that another matrix job or
 * an earlier attempt has taken.
 */
async function sendWithRetries({
  name: firstName,
  directory,
  retentionDays,
  signal,
}: {
  readonly name: string;
  readonly directory: string;
  readonly retentionDays: number | undefined;
  readonly signal: AbortSignal;
}) {
  let [name, wasTaken] = [firstName, false];
  for (let tries = 1; ; tries += 1) {
    try {
      return { ...(await send(name, directory, retentionDays)), wasTaken };
    } catch (error) {
      const reason = messageOf(error);
      const isTaken = TAKEN.test(reason);
      if (signal.aborted || tries === MAX_TRIES || !(isTaken || RESET.test(reason))) throw error;

      // Once created, the artifact holds its name even if the upload failed.
      if (isTaken || !/CreateArtifact/.test(reason)) name = `${firstName}-${randomSuffix()}`;
      if (isTaken) wasTaken = true;
      else core.info('The artifact service reset the connection; trying again.');
    }
  }
}

async function send(name: string, directory: string, retentionDays: number | undefined) {
  // Imported on demand: nothing else in the action needs the 25 MB that the client takes.
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const files = await filesOf(directory);

  const { id } = await new DefaultArtifactClient().uploadArtifact(name, files, directory, {
    compressionLevel: COMPRESSION_LEVEL,
    ...defined({ retentionDays }),
  });

  if (id === undefined) throw new Error('GitHub returned no ID for it');

  return { id, name };
}

/** Regular files only: a symbolic link could lead anywhere. */
async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
