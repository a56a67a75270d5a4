import { createHash } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plainText } from '../../base/log/plain-text.ts';
import { byteCount, counted, duration } from '../../base/quantity.ts';
import { NAMED_RESOURCES } from '../changed-resources.ts';
import { lastLines } from '../growing-lines.ts';
import { resourceStatements } from '../output/statement.ts';
import { readable } from '../reader.ts';
import { healthSnapshotSchema, RUN_FILES, STEP_LOG } from '../schema.ts';
import {
  deploymentTable,
  headlineBlock,
  lockBlocks,
  messageBlock,
  resourceBlocks,
  STEP_STATUS,
  stepTable,
  workText,
} from './blocks.ts';
import { factsOf, type RunFacts } from './facts.ts';
import { logData } from './log-data.ts';
import { code, escapeHtml, list, namesText, titledTable } from './markup.ts';
import { SCRIPT, STYLE } from './page-script.ts';
import { receiptBlock } from './receipt.ts';
import type { RunReport, StepReport } from './report.ts';
import { timelineOf } from './timeline.ts';
import { timelinePicture } from './timeline-picture.ts';

/** The page's name in the run directory. */
export const PAGE_FILE = 'report.html';

/** Limits for all logs together and for each: a browser opens this much at once. */
const MAX_LOG_BYTES = 12 * 1024 * 1024;
const MAX_STEP_BYTES = 2 * 1024 * 1024;
const MAX_STEPS = 1_000;
const MAX_NOTICES = 100;
const MAX_LOCKS = 100;
const MAX_SNAPSHOTS = 500;
const MAX_SNAPSHOT_BYTES = 256 * 1024;

const shownSnapshot = healthSnapshotSchema.omit({ lastActivity: true });

type LoggedStep = StepReport & { readonly log: string };

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

async function* pageOf(
  directory: string,
  report: RunReport,
  troubleshooting: string | undefined,
): AsyncGenerator<string> {
  const steps = report.steps.slice(0, MAX_STEPS).filter(isLogged);
  const facts = factsOf(report, await resourceStatements(directory, steps));

  yield head(report, facts, troubleshooting);

  const deployments = deploymentTable(facts.deployments, MAX_STEPS, true);
  if (deployments !== '') yield wide('Deployments', deployments);
  const resources = resourceBlocks(facts.resources, NAMED_RESOURCES);
  if (resources.length > 0) yield wide('Resources', resources.join(''));
  if (report.steps.length > 0)
    yield wide('Steps', stepTable(report.steps, facts.statements, MAX_STEPS, true));

  const timeline = timelineOf(report);
  if (timeline !== undefined) yield `<h2>Timeline</h2>${timelinePicture(timeline)}`;
  if (report.notices.length > 0) yield `<h2>Notices</h2>${list(report.notices, MAX_NOTICES)}`;
  if (steps.length > 0) yield `<h2>Log</h2>${tools(steps)}`;

  const maxBytes = Math.min(MAX_STEP_BYTES, Math.floor(MAX_LOG_BYTES / Math.max(1, steps.length)));
  for (const step of steps) {
    yield stepBox(step);
    yield `<script type="application/json" id="log-${step.index}">`;

    yield await logData({
      path: join(directory, step.log),
      shownPath: step.log,
      lines: step.lines,
      maxBytes,
    });

    yield '</script>\n';
  }

  const receipt = receiptBlock(report, { digests: true });
  if (receipt !== '') yield `<h2>Receipt</h2>${receipt}`;

  const health = await healthBlock(directory);
  if (health !== '') yield `<h2>Health</h2>${health}`;

  const present = await readdir(directory);
  const records = [RUN_FILES.result, RUN_FILES.events, RUN_FILES.health, RUN_FILES.log];
  const files = records.filter((name) => present.includes(name));

  yield `<h2>Files next to this page</h2><p>${files.map((name) => `<a href="${name}">${name}</a>`).join(' · ')}</p>`;
  yield `</main>${steps.length > 0 ? `<script>${SCRIPT}</script>` : ''}</body></html>\n`;
}

function head(
  report: RunReport,
  { headline, locks, details }: RunFacts,
  troubleshooting: string | undefined,
): string {
  const { deployment, startedAt, image, forwarded } = details;
  const [script, style] = [hash(SCRIPT), hash(STYLE)];
  const policy = `default-src 'none'; script-src '${script}'; style-src '${style}'; base-uri 'none'; form-action 'none'`;
  const sentences: string[] = [];

  if (deployment !== undefined) sentences.push(workText(deployment));
  if (startedAt !== undefined)
    sentences.push(`Began ${new Date(startedAt).toISOString().replace(/T(.*)\..*/, ' $1 UTC')}`);
  if (details.isElsewhere) sentences.push('Another agent ran it; this is what Pulumi Cloud reports');
  if (details.isUnreported) sentences.push('Pulumi Cloud did not accept the last status');
  if (image !== undefined) sentences.push(`Image ${code(image, 500)}`);
  if (forwarded.length > 0) sentences.push(`Forwarded variables ${namesText(forwarded)}`);

  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">` +
    `<title>${headlineBlock({ ...headline, address: undefined })}</title><style>${STYLE}</style></head>\n<body><main>` +
    `<header class="${report.outcome}"><h1>${headlineBlock(headline)}</h1>${messageBlock(report, troubleshooting)}${lockBlocks(locks, MAX_LOCKS).join('')}` +
    `<p class="facts">${sentences.join(' · ')}</p></header>`
  );
}

/** A table may be wider than the window, so it scrolls on its own, with the keyboard too. */
function wide(title: string, table: string): string {
  return `<h2>${title}</h2><div class="wide" tabindex="0" role="group" aria-label="${title}">${table}</div>`;
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function tools(steps: readonly LoggedStep[]): string {
  const options = steps.map(
    ({ index, name }) => `<option value="${index}">${index} ${escapeHtml(plainText(name, 60))}</option>`,
  );
  return (
    '<noscript><p>A script shows the logs; without it, see the folder steps next to this page.</p></noscript>' +
    '<div id="tools"><input id="search" type="search" placeholder="Search the logs" aria-label="Search the logs">' +
    `<select id="step" aria-label="Step"><option value="">All steps</option>${options.join('')}</select>` +
    '<output id="hits"></output></div>\n'
  );
}

function stepBox({ index, name, status, seconds, lines, log }: LoggedStep): string {
  const [time, size] = [
    seconds !== undefined && duration(seconds),
    lines !== undefined && counted(lines, 'line'),
  ];

  const figures = [STEP_STATUS[status], time, size].filter((figure) => figure !== false).join(' · ');
  const failed = status === 'failed';

  return (
    `<details class="step${failed ? ' failed' : ''}" id="step-${index}" data-step="${index}"${failed ? ' open' : ''}>` +
    `<summary>${index} ${code(name)} <small>${figures}</small><b class="count"></b></summary><a href="${log}">${log}</a>` +
    `<div class="lines" tabindex="0" role="group" aria-label="Log of ${escapeHtml(plainText(name, 60))}"></div></details>`
  );
}

/** The path comes from a file, so only the form that the agent writes is accepted. */
function isLogged(step: StepReport): step is LoggedStep {
  return step.log !== undefined && STEP_LOG.test(step.log);
}

/** The latest health snapshots as a table; empty without any. Throws what node:fs throws. */
export async function healthBlock(directory: string): Promise<string> {
  const lines = await lastLines(join(directory, RUN_FILES.health), MAX_SNAPSHOTS, MAX_SNAPSHOT_BYTES);
  const snapshots = readable(lines, (line) => shownSnapshot.parse(JSON.parse(line)));
  if (snapshots.length === 0) return '';

  const healthy = snapshots.filter(({ status }) => status === 'healthy').length;
  const memory = byteCount(Math.max(...snapshots.map(({ rssBytes }) => rssBytes)));
  const sentence = `The agent was healthy in ${healthy} of ${snapshots.length} snapshots; peak memory: ${memory}.`;

  const rows = snapshots.map(({ t, status, state, rssBytes }) => [
    ...[t, status, state].map((text) => escapeHtml(plainText(text, 40))),
    byteCount(rssBytes),
  ]);

  const limits = { maxRows: MAX_SNAPSHOTS, noun: 'snapshots' };
  const figures = titledTable(['Time', 'Status', 'State', 'Memory'], rows, limits);
  const open = healthy < snapshots.length ? ' open' : '';

  return `<p>${sentence}</p><details${open}><summary>Snapshots</summary>${figures}</details>`;
}
