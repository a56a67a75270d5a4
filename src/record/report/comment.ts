import type { OwnDeployment } from '../deployment.ts';
import { deploymentTable, glanceOf, isForeign } from './glance.ts';
import { code, entryLink, link } from './markup.ts';
import type { RunReport } from './report.ts';
import { type ResourceChanges, resourceChanges } from './resource-changes.ts';
import { lockLines, resourceBlocks, statedBeside } from './resource-list.ts';
import { type ShownRun, type StepTail, tailBlock, tailsOf } from './summary.ts';

/** Characters of a comment's body, below GitHub's limit of 65,536. */
export const MAX_COMMENT = 60_000;

/** How much is shown of a run; the first size that fits counts. */
const SIZES = [
  { rows: 100, lines: 20 },
  { rows: 30, lines: 10 },
  { rows: 10, lines: 5 },
  { rows: 3, lines: 0 },
] as const;

const MAX_MESSAGE_LINES = 10;

/** Characters of a line of the message. */
const MAX_LINE = 500;

/** True if the run started a deployment itself: only then is its result for a comment. */
export function startedAny({ deployments = [] }: RunReport): boolean {
  return deployments.some(({ deploymentId }) => deploymentId !== undefined);
}

/** The stacks and operations that a comment is about: `acme/web/dev preview`, one a line. */
export function commentSubject({ deployments = [] }: RunReport): string {
  const names = deployments.map(({ stack, operation }: OwnDeployment) => `${stack} ${operation}`);
  return [...new Set(names)].toSorted().join('\n');
}

/**
 * The comment on a run that started deployments, with the last lines and resource changes from its
 * directory. Throws what node:fs throws.
 */
export async function runComment(source: ShownRun & { readonly runDirectory: string }): Promise<string> {
  const { report, runDirectory } = source;
  const tails = await tailsOf(report, runDirectory);
  const changes = await resourceChanges(runDirectory, report.steps);
  return renderComment(source, tails, changes);
}

/**
 * The comment as GitHub-flavoured Markdown, about the run's own deployments alone, not about a
 * job that it claimed by chance. Every untrusted text is code on one line of an
 * HTML block: unlike in a summary, GitHub would turn names, numbers and addresses anywhere else into
 * mentions and links.
 */
function renderComment(
  { report, artifact, troubleshooting }: ShownRun,
  tails: readonly StepTail[],
  changes: readonly ResourceChanges[],
): string {
  const own = withoutForeign(report);
  const { sign, subject, address, facts } = glanceOf(own, changes);
  const headline = [`${sign} ${link(code(subject), address)}`, ...facts.map((fact) => code(fact))];
  const stated = statedBeside(own, changes).map(
    ({ name, changes: figures }) => `<li>${code(name)}: ${code(figures)}</li>`,
  );

  const bodies = SIZES.map(({ rows, lines }) =>
    [
      `<h3>${headline.join(' · ')}</h3>`,
      own.outcome === 'succeeded' ? '' : message(own, troubleshooting),
      ...lockLines(own, rows, code),
      deploymentTable(own, rows),
      ...resourceBlocks(own, rows * 2),
      stated.length === 0 ? '' : `<ul>${stated.slice(0, rows).join('')}</ul>`,
      ...tails.map(({ step, lines: tail }, index) =>
        tailBlock({ step, lines: lines === 0 ? [] : tail.slice(-lines) }, index),
      ),
      artifact === undefined ? '' : `<p>Logs and report: ${link(code(artifact.name), artifact.url)}</p>`,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  );

  return bodies.find((body) => body.length <= MAX_COMMENT) ?? '';
}

function withoutForeign({ jobs, ...report }: RunReport): RunReport {
  if (jobs === undefined) return report;
  return { ...report, jobs: jobs.filter((job) => !isForeign(job)) };
}

function message({ message: text, code: errorCode }: RunReport, page: string | undefined): string {
  const lines = text.split('\n').slice(0, MAX_MESSAGE_LINES);
  return `<p>${lines.map((line) => code(line, MAX_LINE)).join('<br>')}${entryLink(errorCode, page)}</p>`;
}
