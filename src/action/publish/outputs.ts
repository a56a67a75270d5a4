import * as core from '@actions/core';
import type { RunReport } from '../report.ts';
import type { UploadedArtifact } from './artifact.ts';

/** Sets the step's outputs. Throws when GitHub's output file is missing. */
export function setRunOutputs(report: RunReport, runDirectory: string): void {
  const seconds = (value: number | undefined): string =>
    value === undefined ? '' : String(Math.round(value * 10) / 10);
  core.setOutput('outcome', report.outcome);
  core.setOutput('reported', report.reported === undefined ? '' : String(report.reported));
  core.setOutput('deployment-id', report.deploymentId ?? '');
  core.setOutput('run-id', report.runId ?? '');
  core.setOutput('job-id', report.jobId ?? '');
  core.setOutput('console-url', report.deploymentUrl ?? report.consoleUrl ?? '');
  core.setOutput('wait-seconds', seconds(report.waitSeconds));
  core.setOutput('run-seconds', seconds(report.runSeconds));
  core.setOutput('run-directory', runDirectory);
  core.setOutput('health-url', report.healthUrl ?? '');
}

/** Sets the outputs that name the artifact. Throws when GitHub's output file is missing. */
export function setArtifactOutputs(artifact: UploadedArtifact | undefined): void {
  core.setOutput('artifact-id', artifact?.id ?? '');
  core.setOutput('artifact-url', artifact?.url ?? '');
}
