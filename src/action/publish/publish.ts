import * as core from '@actions/core';
import { messageOf } from '../../outcome.ts';
import { plainText } from '../console-text.ts';
import type { PublishingInputs } from '../inputs.ts';
import { writeReportPage } from '../page/page.ts';
import type { RunReport } from '../report.ts';
import { artifactName, type UploadedArtifact, uploadRunDirectory } from './artifact.ts';
import { type SummaryFile, writeSummary } from './summary.ts';

export interface Publication {
  readonly report: RunReport;
  readonly runDirectory: string;
  readonly inputs: PublishingInputs;
  /** The step turns red. */
  readonly red: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly artifactDeadlineMs: number;
  /** Has this process trust what the agent trusts. Never rejects. */
  readonly trustMore: () => void;
  readonly signal: AbortSignal;
  /** What an earlier phase uploaded: it isn't uploaded again. */
  readonly uploaded?: UploadedArtifact | undefined;
  /** No other phase comes behind this one: what it leaves out when the signal aborts is lost. */
  readonly last?: boolean;
}

/**
 * Writes the report page, uploads the artifact and writes the summary. Never throws: what can't be published is a warning,
 * and the run's outcome stays what it is. When the signal aborts the artifact is given up, and the summary left to the phase
 * behind this one, if there is one.
 */
export async function publish(publication: Publication): Promise<UploadedArtifact | undefined> {
  const { report, runDirectory, environment, signal, last = false, uploaded } = publication;
  const artifact = uploaded ?? (await pageAndArtifact(publication));
  if (last || !signal.aborted) await publishSummary(environment, { report, runDirectory, artifact });
  return artifact;
}

async function pageAndArtifact(publication: Publication): Promise<UploadedArtifact | undefined> {
  const { report, runDirectory, inputs, red, environment, artifactDeadlineMs: deadlineMs, signal } = publication;
  const { last = false } = publication;
  const wanted = inputs.uploadArtifact === 'always' || (inputs.uploadArtifact === 'on-failure' && red);
  const { artifactRetentionDays: retentionDays } = inputs;
  await publishPage(runDirectory, report, signal);
  // It takes 50 ms, where nothing waits for them any more.
  if (wanted && environment['ACTIONS_RESULTS_URL']?.startsWith('https:') === true) publication.trustMore();
  return wanted
    ? await uploadRunDirectory({
        runDirectory,
        name: artifactName(inputs.artifactName, report.deploymentId, environment),
        ...(retentionDays !== undefined && { retentionDays }),
        environment,
        deadlineMs,
        signal,
        last,
      })
    : undefined;
}

/** Writes report.html into the run directory. Never throws: what stands in the way is a warning. */
async function publishPage(directory: string, report: RunReport, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  try {
    await writeReportPage({ directory, report, signal });
  } catch (error) {
    if (signal.aborted) return;
    const cause = plainText(messageOf(error));
    core.warning(`Failed to write report.html for this run: ${cause}. The files beside it have the same facts.`);
  }
}

/** Writes the summary. Never throws: what stands in the way is a warning. */
export async function publishSummary(
  { GITHUB_STEP_SUMMARY: file }: Publication['environment'],
  summary: Omit<SummaryFile, 'file'>,
): Promise<void> {
  try {
    if (!file) throw new Error('the runner offers no file for it');
    await writeSummary({ file, ...summary });
  } catch (error) {
    const cause = plainText(messageOf(error));
    core.warning(`Failed to write the summary for this step: ${cause}. The console has the same facts.`);
  }
}
