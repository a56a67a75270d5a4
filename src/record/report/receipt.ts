import { byteCount, counted } from '../../base/quantity.ts';
import { code, titledTable } from './markup.ts';
import type { Medium } from './medium.ts';
import type { RunReport, StepReport } from './report.ts';

const MAX_ROWS = 100;

/** How many log lines of the steps that began reached Pulumi Cloud. */
type Receipt = NonNullable<ReturnType<typeof receiptOf>>;

/**
 * The sums over all steps. Undefined for a run without a result: how many lines Pulumi Cloud took
 * is not known.
 */
export function receiptOf(report: RunReport) {
  const steps = report.elsewhere ? [] : report.steps.filter(({ startedAt }) => startedAt !== undefined);
  if (steps.length === 0 || steps.some(({ cloud }) => cloud === undefined)) return undefined;
  const sum = (figure: (step: StepReport) => number | undefined): number =>
    steps.reduce((total, step) => total + (figure(step) ?? 0), 0);
  return {
    steps,
    lines: sum(({ lines }) => lines),
    bytes: sum(({ bytes }) => bytes),
    sent: sum(({ cloud }) => cloud?.sent),
    undelivered: sum(({ cloud }) => cloud?.undelivered),
    // Lines that are in no file either.
    lost: sum(({ lost }) => lost),
  };
}

/** The receipt in one sentence: `20 lines (2 KiB): 17 delivered to Pulumi Cloud, 3 not delivered`. */
export function receiptSentence({ lines, bytes, sent, undelivered, lost }: Receipt): string {
  const isWhole = undelivered === 0 && sent >= lines;
  const delivered = `${isWhole ? ', all' : `: ${sent}`} delivered to Pulumi Cloud`;
  const missing = undelivered > 0 ? `, ${undelivered} not delivered` : '';
  const gone = lost > 0 ? `; ${counted(lost, 'line')} lost: the disk could not hold them` : '';
  return `${counted(lines, 'line')} (${byteCount(bytes)})${delivered}${missing}${gone}`;
}

/**
 * The receipt with figures by step, unfolded if lines are missing. Lost lines have a column only if
 * there are any. The page adds the SHA-256 of each log, which run.json has too.
 */
export function receiptBlock(receipt: Receipt | undefined, { isPage }: Medium): string {
  if (receipt === undefined) return '';

  const { lost } = receipt;
  const titles = [
    ...['Step', 'Lines', 'Size', 'Delivered', 'Not delivered'],
    ...(lost > 0 ? ['Lost'] : []),
    'Calls',
    ...(isPage ? ['SHA-256 of the file'] : []),
  ];

  const rows = receipt.steps.map(({ index, name, lines = 0, bytes = 0, cloud, sha256, lost: none = 0 }) => [
    `${index} ${code(name)}`,
    String(lines),
    byteCount(bytes),
    String(cloud?.sent ?? ''),
    String(cloud?.undelivered ?? ''),
    ...(lost > 0 ? [String(none)] : []),
    calls(cloud),
    ...(isPage ? [sha256 === undefined ? '' : code(sha256, 64)] : []),
  ]);

  const figures = titledTable(titles, rows, { maxRows: MAX_ROWS, noun: 'steps', labelled: isPage });
  const open = isIncomplete(receipt) ? ' open' : '';

  return `<details${open}><summary>Log receipt: ${receiptSentence(receipt)}</summary>${figures}</details>`;
}

/** True if lines are missing, in Pulumi Cloud or in a file. */
export function isIncomplete({ undelivered, lost }: Receipt): boolean {
  return undelivered + lost > 0;
}

/** The calls that sent the lines: `12, 3 failed, 3 repeated`. Empty if the record has no count. */
function calls({
  batches,
  retries = 0,
  failures = 0,
}: Partial<NonNullable<StepReport['cloud']>> = {}): string {
  if (batches === undefined) return '';
  const parts = [batches, failures > 0 && `${failures} failed`, retries > 0 && `${retries} repeated`];
  return parts.filter((part) => part !== false).join(', ');
}
