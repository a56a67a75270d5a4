import * as core from '@actions/core';
import { defined } from '../defined.ts';
import { withEntry } from '../error-codes.ts';
import { codeOf, messageOf, OutcomeError } from '../outcome.ts';
import { uncolouredLine } from './console-text.ts';
import type { ActionInputs } from './inputs.ts';
import { setArtifactOutputs, setRunOutputs } from './publish/outputs.ts';
import { publishSummary } from './publish/publish.ts';
import type { RunReport } from './report.ts';

type OnNoWork = ActionInputs['onNoWork'];

/** True when the step must turn red. */
export function isRed({ outcome }: RunReport, onNoWork: OnNoWork): boolean {
  return outcome === 'no-work' ? onNoWork === 'fail' : outcome !== 'succeeded';
}

/** Says how the run ended, in its one sentence, of an error with the address of its entry, and returns the step's exit code. */
export function conclude(report: RunReport, onNoWork: OnNoWork): number {
  const sentence = shown(report.message);
  if (isRed(report, onNoWork)) {
    core.setFailed(withEntry(sentence, report.code));
    return 1;
  }
  if (report.outcome === 'no-work' && onNoWork === 'warn') core.warning(sentence);
  else core.info(sentence);
  return 0;
}

/** Ends a step whose run can't begin or can't be followed: outputs, summary and one sentence. Returns the exit code. */
export async function refuse(
  error: unknown,
  runDirectory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const outcome = error instanceof OutcomeError ? error.outcome : 'failed';
  const cause = messageOf(error);
  const message = error instanceof OutcomeError ? cause : `Failed to run the action for this job: ${cause}.`;
  const report: RunReport = {
    outcome,
    message,
    ...defined({ code: codeOf(error) }),
    forwarded: [],
    notices: [],
    steps: [],
  };
  try {
    setRunOutputs(report, runDirectory);
    setArtifactOutputs(undefined);
  } catch {
    // Without GitHub's files there is still the sentence below.
  }
  await publishSummary(environment, { report, runDirectory });
  return conclude(report, 'fail');
}

/** The message without what a console would act on; its own line breaks stay, an annotation can show them. */
function shown(message: string): string {
  return message.split('\n').map(uncolouredLine).join('\n');
}
