import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as core from '@actions/core';
import { deadline, settledBefore } from '../../clock.ts';
import { defined } from '../../defined.ts';
import { withEntry } from '../../error-codes.ts';
import { clause, messageOf } from '../../outcome.ts';
import { plainText } from '../../report/text.ts';
import type { ArtifactUpload, UploadedArtifact } from '../../supervisor/host.ts';
import type { Context, Environment } from './inputs.ts';

/** GitHub allows 260 characters; what downloads it makes a folder of the name. */
const MAX_NAME = 200;
/** Characters of each part of a name of ours, so that the end, which tells it from others, is never cut. */
const MAX_PART = 75;
/** Uploads that are begun at most, each by another name where need be. */
const MOST_TRIES = 3;
/** Logs shrink well enough, and in a fraction of the time. */
const COMPRESSION_LEVEL = 1;
/** What the client says of a name that the workflow run has used. */
const TAKEN = /\(409\)|already exists/i;
const RESET = /ECONNRESET|socket hang up|ETIMEDOUT/;

/** A name for the artifact that is its own in a matrix, in a re-run and in a job that runs the action twice. */
export function artifactName(
  { name: given, deploymentId }: Pick<ArtifactUpload, 'name' | 'deploymentId'>,
  context: Context,
): string {
  const { runId, job, runAttempt } = context;
  const made = ['pulumi-runner', deploymentId ?? String(runId), job, String(runAttempt)];
  const name = given ?? [...made, randomSuffix()].map((part) => part.slice(0, MAX_PART)).join('-');
  return name
    .replace(/[\p{Cc}":<>|*?\\/]+/gu, '-')
    .slice(0, MAX_NAME)
    .toWellFormed();
}

function randomSuffix(): string {
  return randomBytes(3).toString('hex');
}

/** Why there is no artifact service for this job; undefined when there is one. */
function noArtifactService(environment: Environment, { serverUrl }: Context): string | undefined {
  const host = URL.canParse(serverUrl) ? new URL(serverUrl).hostname.toLowerCase() : '';
  if (host !== 'github.com' && !host.endsWith('.ghe.com') && !host.endsWith('.localhost'))
    return 'GitHub Enterprise Server takes none from this action (docs/recipes.md has the step that keeps it)';
  const { ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL } = environment;
  return ACTIONS_RUNTIME_TOKEN && ACTIONS_RESULTS_URL ? undefined : 'the runner offers no artifact service to this job';
}

/**
 * Uploads the run directory. Never throws: what goes wrong is a warning with the directory, no artifact service a notice. An upload that is given
 * up keeps its sockets, and they the process: the caller must exit.
 */
export async function uploadRunDirectory(
  upload: ArtifactUpload,
  environment: Environment,
  context: Context,
  warning: (text: string) => void,
): Promise<UploadedArtifact | undefined> {
  const { directory, deadlineMs, signal, last } = upload;
  const reason = noArtifactService(environment, context);
  if (reason !== undefined) {
    core.notice(`No artifact was uploaded: ${reason}. The run directory is ${directory} on this runner.`);
    return undefined;
  }
  const name = artifactName(upload, context);
  core.startGroup(`Artifact ${name}`);
  const late = new AbortController();
  const timer = deadline(deadlineMs, () => late.abort(new Error(`it took longer than ${deadlineMs / 1000} s`)));
  try {
    const sending = sendPatiently({ ...upload, name });
    const { id, name: sent } = await settledBefore(sending, AbortSignal.any([signal, late.signal])).finally(
      core.endGroup,
    );
    const { serverUrl, repo, runId } = context;
    const url = `${serverUrl}/${repo.owner}/${repo.repo}/actions/runs/${runId}/artifacts/${id}`;
    return { id: String(id), url, name: sent };
  } catch (error) {
    if (signal.aborted && !last) {
      core.info(
        `The step was stopped before the artifact ${name} was uploaded; the run lies in ${directory} on this runner.`,
      );
      return undefined;
    }
    const cause = signal.aborted ? 'the step was stopped' : clause(plainText(messageOf(error)));
    const sentence =
      `Failed to upload the artifact ${name} for this run: ${cause}. Logs and events of the run are not kept with the ` +
      `workflow run; they lie in ${directory} on this runner until the job ends.`;
    warning(withEntry(sentence, 'PRA-RECORD-01'));
    return undefined;
  } finally {
    timer.clear();
  }
}

/** The client repeats no reset connection; and a name may be taken, by another job of a matrix or by the run before a re-run. */
async function sendPatiently(upload: NamedUpload): ReturnType<typeof send> {
  let name = upload.name;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send({ ...upload, name });
    } catch (error) {
      const reason = messageOf(error);
      const taken = TAKEN.test(reason);
      if (upload.signal.aborted || tries === MOST_TRIES || !(taken || RESET.test(reason))) throw error;
      // From its creation on the name is taken, whatever became of the upload.
      if (taken || !/CreateArtifact/.test(reason)) name = `${upload.name}-${randomSuffix()}`;
      if (taken) core.notice(`The workflow run has an artifact ${upload.name} already: this one is called ${name}.`);
      else core.info('The artifact service reset the connection; trying once more.');
    }
  }
}

type NamedUpload = ArtifactUpload & { readonly name: string };

async function send({ directory, name, retentionDays }: NamedUpload) {
  // Imported here, where an optional part begins: the client takes 25 MB that no other part of the action needs.
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const files = await filesOf(directory);
  const { id } = await new DefaultArtifactClient().uploadArtifact(name, files, directory, {
    compressionLevel: COMPRESSION_LEVEL,
    ...defined({ retentionDays }),
  });
  if (id === undefined) throw new Error('GitHub gave it no number');
  return { id, name };
}

/** Plain files alone: a link could lead anywhere. */
async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
