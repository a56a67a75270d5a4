import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plainText } from '../../base/log/plain-text.ts';
import { NAMED_RESOURCES } from '../changed-resources.ts';
import {
  deploymentTable,
  headlineBlock,
  lockBlocks,
  messageBlock,
  resourceBlocks,
  workText,
} from './blocks.ts';
import { factsOf, type RunFacts } from './facts.ts';
import { escapeHtml, link, list } from './markup.ts';
import { PAGE, signOf } from './medium.ts';
import { technicalDetails } from './page-details.ts';
import { loggedSteps, logSection } from './page-log.ts';
import { SCRIPT } from './page-script.ts';
import { STYLE } from './page-style.ts';
import type { RunReport } from './report.ts';
import { timelineOf } from './timeline.ts';
import { timelinePicture } from './timeline-picture.ts';

/** The page's name in the run directory. */
export const PAGE_FILE = 'report.html';

const MAX_DEPLOYMENTS = 1_000;
const MAX_NOTICES = 100;
const MAX_LOCKS = 100;
const MAX_NAME = 200;

/**
 * Writes report.html into the run directory: one file that needs no network. Holds one log in
 * memory at a time. A log that is too large is cut, with a pointer to its file. `troubleshooting` is
 * the address of TROUBLESHOOTING.md, if known. Throws what node:fs throws, and when `signal` aborts.
 */
export async function writeReportPage(
  directory: string,
  report: RunReport,
  signal: AbortSignal,
  troubleshooting?: string,
): Promise<void> {
  const path = join(directory, PAGE_FILE);
  const part = `${path}.part`;
  await using file = await open(part, 'w', 0o600);

  try {
    for await (const piece of pageOf(directory, report, troubleshooting)) {
      signal.throwIfAborted();
      await file.write(piece);
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** After a failure a reader wants the log first; after a success, the changes. */
async function* pageOf(
  directory: string,
  report: RunReport,
  troubleshooting: string | undefined,
): AsyncGenerator<string> {
  const facts = factsOf(report);
  const logged = loggedSteps(facts.steps);
  const hasFailed = report.outcome !== 'succeeded';
  const log = () => logSection(directory, facts.steps, facts.statements);

  yield head(report, facts, troubleshooting);
  yield section('Deployments', deploymentTable(facts.deployments, MAX_DEPLOYMENTS, PAGE));
  if (hasFailed) yield* log();
  yield section('Resources', resourceBlocks(facts.resources, NAMED_RESOURCES, PAGE).join(''));
  if (!hasFailed) yield* log();

  const timeline = timelineOf(report);
  yield section('Timeline', timeline === undefined ? '' : timelinePicture(timeline));
  yield section('Notices', list(report.notices, MAX_NOTICES));
  yield await technicalDetails(directory, report, facts.details);
  yield `</main>${logged.length > 0 ? `<script>${SCRIPT}</script>` : ''}</body></html>\n`;
}

function section(title: string, content: string): string {
  return content === '' ? '' : `<section aria-label="${title}"><h2>${title}</h2>${content}</section>\n`;
}

function head(
  report: RunReport,
  { headline, locks, details }: RunFacts,
  troubleshooting: string | undefined,
): string {
  const [script, style] = [hash(SCRIPT), hash(STYLE)];
  const policy = `default-src 'none'; script-src '${script}'; style-src '${style}'; base-uri 'none'; form-action 'none'`;

  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">` +
    `<title>${headlineBlock({ ...headline, address: undefined })}</title><style>${STYLE}</style></head>\n<body><main>` +
    `<header class="${signOf(report.outcome)}">${titleOf(headline)}${messageBlock(report, troubleshooting)}` +
    `${lockBlocks(locks, MAX_LOCKS, PAGE).join('')}<p class="quiet">${sentencesOf(details).join(' · ')}</p></header>\n`
  );
}

function titleOf({ outcome, subject, address, facts }: RunFacts['headline']): string {
  const shown = (text: string) => escapeHtml(plainText(text, MAX_NAME));
  const others = facts.filter((fact) => fact !== outcome).map((fact) => `<li>${shown(fact)}</li>`);
  const items = `<li class="outcome">${PAGE.signs[signOf(outcome)]}${outcome}</li>${others.join('')}`;
  return `<h1>${link(shown(subject), address)}</h1><ul class="facts">${items}</ul>`;
}

function sentencesOf({ deployment, startedAt, isElsewhere, isUnreported }: RunFacts['details']): string[] {
  const sentences: string[] = [];
  if (deployment !== undefined) sentences.push(workText(deployment));
  if (startedAt !== undefined)
    sentences.push(`Began ${new Date(startedAt).toISOString().replace(/T(.*)\..*/, ' $1 UTC')}`);
  if (isElsewhere) sentences.push('Another agent ran it; this is what Pulumi Cloud reports');
  if (isUnreported) sentences.push('Pulumi Cloud did not accept the last status');
  return sentences;
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
