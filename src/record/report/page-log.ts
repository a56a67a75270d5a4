import { join } from 'node:path';
import { plainText } from '../../base/log/plain-text.ts';
import { counted, duration } from '../../base/quantity.ts';
import type { ResourceStatement } from '../output/statement.ts';
import { isStepLog } from '../schema.ts';
import { failedWithCode, stepStatus } from './blocks.ts';
import { logData } from './log-data.ts';
import { escapeHtml } from './markup.ts';
import { PAGE } from './medium.ts';
import type { StepReport } from './report.ts';

/** Limits for all logs together and for each: a browser opens this much at once. */
const MAX_LOG_BYTES = 12 * 1024 * 1024;
const MAX_STEP_BYTES = 2 * 1024 * 1024;

const MAX_STEPS = 1_000;
const MAX_NAME = 60;
const MAX_TEXT = 300;

type LoggedStep = StepReport & { readonly log: string };

/** The steps with a log that the page shows. */
export function loggedSteps(steps: readonly StepReport[]): LoggedStep[] {
  return steps.slice(0, MAX_STEPS).filter(isLogged);
}

function isLogged(step: StepReport): step is LoggedStep {
  return isStepLog(step.log);
}

/**
 * The steps, a list of them beside, and their logs as data for the page's script. Nothing without steps. Throws what
 * node:fs throws.
 */
export async function* logSection(
  directory: string,
  steps: readonly StepReport[],
  statements: readonly ResourceStatement[],
): AsyncGenerator<string> {
  if (steps.length === 0) return;
  const shown = steps.slice(0, MAX_STEPS);
  const logged = loggedSteps(steps);
  const maxBytes = Math.min(MAX_STEP_BYTES, Math.floor(MAX_LOG_BYTES / Math.max(1, logged.length)));
  const changed = new Map(statements.map(({ index, changes }) => [index, changes]));

  yield `<section aria-label="Log"><h2>Log</h2><div class="log">${stepList(shown)}<div>`;
  if (logged.length > 0) yield tools(logged);

  for (const step of shown) {
    if (!isLogged(step)) {
      yield `<div class="step" id="step-${step.index}"><p>${title(step)}</p>${remarks(step)}</div>\n`;
      continue;
    }

    yield stepBox(step, changed.get(step.index));
    yield `<script type="application/json" id="log-${step.index}">`;
    yield await logData({
      path: join(directory, step.log),
      shownPath: step.log,
      lines: step.lines,
      maxBytes,
    });
    yield '</script>\n';
  }

  const rest = steps.length - shown.length;
  yield `${rest > 0 ? `<p>… and ${counted(rest, 'more step')}</p>` : ''}</div></div></section>\n`;
}

function stepList(steps: readonly StepReport[]): string {
  const items = steps.map(({ index, name, status, seconds }) => {
    const [sign, words] = stepStatus(status, PAGE);
    const time = seconds === undefined ? words : duration(seconds);
    const label = escapeHtml(plainText(name, MAX_NAME));
    return `<li><a href="#step-${index}">${sign}<span>${index} ${label}</span><small>${time}</small></a></li>`;
  });
  return `<nav aria-label="Steps"><ol>${items.join('')}</ol></nav>`;
}

function tools(steps: readonly LoggedStep[]): string {
  const options = steps.map(
    ({ index, name }) =>
      `<option value="${index}">${index} ${escapeHtml(plainText(name, MAX_NAME))}</option>`,
  );
  return (
    '<noscript><p>A script shows the logs; without it, see the folder steps next to this page.</p></noscript>' +
    '<div id="tools"><input id="search" type="search" placeholder="Search the logs" aria-label="Search the logs">' +
    `<select id="step" aria-label="Step"><option value="">All steps</option>${options.join('')}</select>` +
    '<output id="hits"></output></div>\n'
  );
}

function stepBox(step: LoggedStep, changes: string | undefined): string {
  const { index, name, status, log } = step;
  const label = escapeHtml(plainText(name, MAX_NAME));
  const [failed, isOpen] = status === 'failed' ? [' failed', ' open'] : ['', ''];

  return (
    `<details class="step${failed}" id="step-${index}" data-step="${index}"${isOpen}>` +
    `<summary>${title(step)}<b class="count"></b></summary>${remarks(step, changes)}` +
    `<p class="file"><a href="${log}">${log}</a><span class="buttons"></span></p>` +
    `<div class="lines" tabindex="0" role="group" aria-label="Log of ${label}"></div></details>`
  );
}

/** `2 pulumi update failed · exit code 255 · 1 min 3 s · 5021 lines`. */
function title(step: StepReport): string {
  const { index, name, status, seconds, lines } = step;
  const [sign, words] = stepStatus(status, PAGE);
  const figures = [
    words,
    ...(failedWithCode(step) ? [`exit code ${step.exitCode}`] : []),
    ...(seconds === undefined ? [] : [duration(seconds)]),
    ...(lines === undefined || status === 'not-started' ? [] : [counted(lines, 'line')]),
  ];
  return `${sign} <strong>${index} ${escapeHtml(plainText(name))}</strong> <small>${figures.join(' · ')}</small>`;
}

/** The facts that a step's title lacks: the reason for its failure, and the changes that its output states. */
function remarks({ reason, exitCode }: StepReport, changes?: string): string {
  const sentences = [
    ...(reason === undefined || reason === `exit code ${exitCode}` ? [] : [reason]),
    ...(changes === undefined ? [] : [`Resources, according to its output: ${changes}`]),
  ];
  return sentences.map((text) => `<p>${escapeHtml(plainText(text, MAX_TEXT))}</p>`).join('');
}
