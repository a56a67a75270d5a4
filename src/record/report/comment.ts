import type { OwnDeployment } from '../deployment.ts';
import {
  deploymentTable,
  headlineBlock,
  lockBlocks,
  messageBlock,
  resourceBlocks,
  tailBlock,
} from './blocks.ts';
import { factsOf, type StepTail, tailsOf } from './facts.ts';
import { code } from './markup.ts';
import { MARKDOWN } from './medium.ts';
import { isForeign, type RunReport } from './report.ts';
import { artifactLine, type ShownRun } from './summary.ts';

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
 * The comment on a run that started deployments, with the last lines of failed steps from its
 * directory. Throws what node:fs throws.
 */
export async function runComment(source: ShownRun & { readonly runDirectory: string }): Promise<string> {
  return renderComment(source, await tailsOf(source.report, source.runDirectory));
}

/**
 * The comment as GitHub-flavoured Markdown, about the run's own deployments alone, not about a
 * job that it claimed by chance. Every untrusted text is code on one line of an
 * HTML block: unlike in a summary, GitHub would turn names, numbers and addresses anywhere else into
 * mentions and links.
 */
function renderComment({ report, artifact, troubleshooting }: ShownRun, tails: readonly StepTail[]): string {
  const own = withoutForeign(report);
  const facts = factsOf(own);
  const items = facts.statements.map(({ name, changes }) => `<li>${code(name)}: ${code(changes)}</li>`);
  const message = { maxLines: MAX_MESSAGE_LINES, markup: (line: string) => code(line, MAX_LINE) };

  const bodies = SIZES.map(({ rows, lines }) =>
    [
      `<h3>${headlineBlock(facts.headline, code)}</h3>`,
      own.outcome === 'succeeded' ? '' : messageBlock(own, troubleshooting, message),
      ...lockBlocks(facts.locks, rows, MARKDOWN, code),
      deploymentTable(facts.deployments, rows, MARKDOWN),
      ...resourceBlocks(facts.resources, rows * 2, MARKDOWN),
      items.length === 0 ? '' : `<ul>${items.slice(0, rows).join('')}</ul>`,
      ...tails.map(({ step, lines: tail }, index) =>
        tailBlock({ step, lines: lines === 0 ? [] : tail.slice(-lines) }, index),
      ),
      artifactLine(artifact),
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
