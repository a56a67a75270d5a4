import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as core from '@actions/core';
import { clause, messageOf } from '../../outcome.ts';
import { plainText } from '../console-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface UploadedArtifact {
  readonly id: string;
  readonly url: string;
  readonly name: string;
}

export interface ArtifactUpload {
  readonly runDirectory: string;
  readonly name: string;
  /** Undefined: the repository's default. */
  readonly retentionDays?: number;
  readonly environment: Environment;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** No other phase comes that could upload it when the signal aborts. */
  readonly last?: boolean;
}

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
  given: string | undefined,
  deploymentId: string | undefined,
  environment: Environment,
): string {
  const { GITHUB_RUN_ID, GITHUB_JOB = 'job', GITHUB_RUN_ATTEMPT = '1' } = environment;
  const made = ['pulumi-runner', deploymentId ?? GITHUB_RUN_ID ?? 'run', GITHUB_JOB, GITHUB_RUN_ATTEMPT];
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
export function noArtifactService(environment: Environment): string | undefined {
  const { ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL, GITHUB_SERVER_URL = 'https://github.com' } = environment;
  const host = URL.canParse(GITHUB_SERVER_URL) ? new URL(GITHUB_SERVER_URL).hostname.toLowerCase() : '';
  if (host !== 'github.com' && !host.endsWith('.ghe.com') && !host.endsWith('.localhost')) {
    return 'GitHub Enterprise Server does not take artifacts of this kind';
  }
  if (!ACTIONS_RUNTIME_TOKEN || !ACTIONS_RESULTS_URL) return 'the runner offers no artifact service to this job';
  return undefined;
}

/**
 * Uploads the run directory. Never throws: whatever goes wrong is a warning that says where the run directory lies, or a
 * notice when there is no artifact service at all. An upload that stalls is given up at its deadline, but its sockets
 * keep the process alive: the caller must exit explicitly.
 */
export async function uploadRunDirectory(upload: ArtifactUpload): Promise<UploadedArtifact | undefined> {
  const { runDirectory, name, environment } = upload;
  const reason = noArtifactService(environment);
  if (reason !== undefined) {
    core.notice(`No artifact was uploaded: ${reason}. The run directory is ${runDirectory} on this runner.`);
    return undefined;
  }
  core.startGroup(`Artifact ${name}`);
  try {
    const { id, name: sent } = await beforeDeadline(sendPatiently(upload), upload);
    core.endGroup();
    const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY = '', GITHUB_RUN_ID = '' } = environment;
    const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/artifacts/${id}`;
    return { id: String(id), url, name: sent };
  } catch (error) {
    core.endGroup();
    if (upload.signal.aborted && !upload.last) {
      core.info(
        `The step was stopped before the artifact ${name} was uploaded; the run lies in ${runDirectory} on this runner.`,
      );
      return undefined;
    }
    const cause = clause(plainText(messageOf(error)));
    core.warning(
      `Failed to upload the artifact ${name} for this run: ${cause}. Logs and events of the run are not kept with the ` +
        `workflow run; they lie in ${runDirectory} on this runner until the job ends.`,
    );
    return undefined;
  }
}

/**
 * A reset connection is not repeated by the client, be it the first call or the last of an upload that was all there. A name
 * may be taken where `artifact-name` gives the same one to every job of a matrix, or to a re-run.
 */
async function sendPatiently(upload: ArtifactUpload): Promise<SentArtifact> {
  let name = upload.name;
  let wasReset = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await send({ ...upload, name });
    } catch (error) {
      const reason = messageOf(error);
      const taken = TAKEN.test(reason);
      const reset = !taken && RESET.test(reason);
      if (upload.signal.aborted || tries === MOST_TRIES || !(taken || reset)) throw error;
      // From its creation on the name is taken, whatever became of the upload.
      if (taken || !/CreateArtifact/.test(reason)) name = `${upload.name}-${randomSuffix()}`;
      if (reset) core.info('The artifact service reset the connection; trying once more.');
      else if (!wasReset)
        core.notice(`The workflow run has an artifact ${upload.name} already: this one is called ${name}.`);
      wasReset ||= reset;
    }
  }
}

interface SentArtifact {
  readonly id: number;
  readonly name: string;
}

async function send({ runDirectory, name, retentionDays }: ArtifactUpload): Promise<SentArtifact> {
  // Imported here, where an optional part begins: the client takes 25 MB that no other part of the action needs.
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const files = await filesOf(runDirectory);
  const { id } = await new DefaultArtifactClient().uploadArtifact(name, files, runDirectory, {
    compressionLevel: COMPRESSION_LEVEL,
    ...(retentionDays !== undefined && { retentionDays }),
  });
  if (id === undefined) throw new Error('GitHub gave it no number');
  return { id, name };
}

/** Plain files alone: a link could lead anywhere. */
async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function beforeDeadline<T>(work: Promise<T>, { deadlineMs, signal }: ArtifactUpload): Promise<T> {
  work.catch(() => undefined); // it may fail after nobody waits for it any more
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it took longer than ${deadlineMs / 1000} s`)), deadlineMs);
  const onAbort = (): void => reject(new Error('the step was stopped'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
