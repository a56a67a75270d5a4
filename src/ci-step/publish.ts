import { join } from 'node:path';
import { withEntry } from '../base/error-codes.ts';
import { plainText } from '../base/log/plain-text.ts';
import { messageOf } from '../base/outcome.ts';
import { commentSubject, runComment, startedAny } from '../record/report/comment.ts';
import { writeReportPage } from '../record/report/page.ts';
import type { RunReport } from '../record/report/report.ts';
import { runSummary } from '../record/report/summary.ts';
import type { Host, UploadedArtifact } from './host.ts';
import type { ArtifactSettings } from './settings.ts';

interface Publication {
  readonly report: RunReport;
  readonly runDirectory: string;
  readonly artifact: ArtifactSettings;
  readonly isRed: boolean;
  readonly uploadDeadlineMs: number;
  /** No phase follows this one: anything that it skips when the CI job is cancelled is lost. */
  readonly last: boolean;
}

/**
 * Writes the report page, uploads the artifact unless an earlier phase did, and writes the summary.
 * Never throws: a failure is a warning and does not change the outcome. When the CI job is cancelled,
 * the artifact is abandoned and the summary left to the next phase, if there is one.
 */
export async function publish(
  host: Host,
  publication: Publication,
  earlierArtifact?: UploadedArtifact,
): Promise<UploadedArtifact | undefined> {
  const { report, runDirectory, last } = publication;
  const { troubleshooting, mermaid } = host;
  const artifact = earlierArtifact ?? (await publishFiles(host, publication));
  const source = { report, runDirectory, artifact, troubleshooting, mermaid };

  // First: a cancel that comes meanwhile leaves the summary to the next phase, too.
  if (!host.cancelled.aborted) await addComment(host, source);
  if (last || !host.cancelled.aborted) await addSummary(host, () => runSummary(source));

  return artifact;
}

async function publishFiles(
  host: Host,
  { report, runDirectory, artifact, isRed, uploadDeadlineMs, last }: Publication,
): Promise<UploadedArtifact | undefined> {
  const { troubleshooting, cancelled: signal } = host;

  try {
    for (const { directory, report: each } of [{ directory: '', report }, ...(report.jobs ?? [])]) {
      if (signal.aborted) break;
      await writeReportPage(join(runDirectory, directory), each, signal, troubleshooting);
    }
  } catch (error) {
    const sentence = `Failed to write report.html for this run: ${plainText(messageOf(error))}. The files beside it have the same facts.`;
    if (!signal.aborted) host.warning(withEntry(sentence, 'PRA-RECORD-03'));
  }

  const { upload, name, retentionDays } = artifact;
  if (upload === 'never' || (upload === 'on-failure' && !isRed)) return undefined;
  const isSingle = report.jobs === undefined || report.jobs.length === 1;

  return await host.upload({
    directory: runDirectory,
    name,
    // Of several deployments none names the artifact.
    deploymentId: isSingle ? report.deploymentId : undefined,
    identity: report.identity,
    retentionDays,
    deadlineMs: uploadDeadlineMs,
    signal,
    last,
  });
}

/**
 * Comments on the deployments that the step started, if that is asked for. Never throws: a failure
 * is a warning.
 */
async function addComment(host: Host, source: Parameters<typeof runComment>[0]): Promise<void> {
  const { report } = source;
  if (host.comment === undefined || !startedAny(report)) return;

  try {
    const markdown = await runComment(source);
    await host.comment({ subject: commentSubject(report), markdown, signal: host.cancelled });
  } catch (error) {
    const sentence = `Failed to comment on the pull request for this run: ${plainText(messageOf(error))}. The job's summary has the same facts.`;
    host.warning(withEntry(sentence, 'PRA-RECORD-15'));
  }
}

/** Adds the result of `render` to the job's summary. Never throws: a failure is a warning. */
export async function addSummary(host: Host, render: () => string | Promise<string>): Promise<void> {
  try {
    await host.addSummary(await render());
  } catch (error) {
    const sentence = `Failed to write the summary for this step: ${plainText(messageOf(error))}. The console has the same facts.`;
    host.warning(withEntry(sentence, 'PRA-RECORD-02'));
  }
}
