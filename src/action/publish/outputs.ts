import * as core from '@actions/core';
import type { RecordEvent } from '../../record/schema.ts';
import type { RunReport } from '../report.ts';
import type { UploadedArtifact } from './artifact.ts';

/**
 * Sets the outputs that an event makes known: a step that the CI job ends has them for the steps behind it. Never throws: the
 * run's end sets all of them again.
 */
export function setKnownOutputs(event: RecordEvent): void {
  try {
    if (event.type === 'health-listening') core.setOutput('health-url', event.url);
    if (event.type !== 'claimed') return;
    core.setOutput('deployment-id', event.deploymentId);
    core.setOutput('run-id', event.runId);
    core.setOutput('job-id', event.jobId);
    core.setOutput('console-url', event.deploymentUrl ?? event.consoleUrl ?? '');
    core.setOutput('wait-seconds', seconds(event.waitSeconds));
  } catch {
    // told at the end
  }
}

/** Sets the step's outputs. Throws when GitHub's output file is missing. */
export function setRunOutputs(report: RunReport, runDirectory: string): void {
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

function seconds(value: number | undefined): string {
  return value === undefined ? '' : String(Math.round(value * 10) / 10);
}
