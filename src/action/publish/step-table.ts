import { plainText } from '../console-text.ts';
import { duration } from '../quantity-text.ts';
import type { StepReport } from '../report.ts';
import { code, escapeHtml, titledTable } from './markup.ts';
import type { ResourceChanges } from './resource-changes.ts';
import { STEP_STATUS } from './titles.ts';

const MAX_TEXT = 300;

interface StepTableOptions {
  readonly maxRows: number;
  /** The steps' names lead to the steps on the same page. */
  readonly linked?: boolean;
}

/** What became of each step; columns without anything in them are left out, and so is a table without steps. */
export function stepTable(
  steps: readonly StepReport[],
  changes: readonly ResourceChanges[],
  { maxRows, linked = false }: StepTableOptions,
): string {
  const changed = new Map(changes.map((change) => [change.index, change.changes]));
  const resources = changed.size > 0 ? ['Resources, as its output says'] : [];
  const reasons = steps.some(({ reason }) => reason !== undefined) ? ['Reason'] : [];
  const titles = ['Step', 'Status', 'Duration', 'Lines', 'Exit code', ...resources, ...reasons];
  const rows = steps.map((step) => {
    const name = `${step.index} ${code(step.name)}`;
    return [
      linked && step.log !== undefined ? `<a href="#step-${step.index}">${name}</a>` : name,
      STEP_STATUS[step.status],
      step.seconds === undefined ? '' : duration(step.seconds),
      step.lines === undefined ? '' : String(step.lines),
      step.exitCode === undefined ? '' : String(step.exitCode),
      ...resources.map(() => escapeHtml(plainText(changed.get(step.index) ?? '', MAX_TEXT))),
      ...reasons.map(() => escapeHtml(plainText(step.reason ?? '', MAX_TEXT))),
    ];
  });
  return titledTable(titles, rows, { maxRows, what: 'steps' });
}
