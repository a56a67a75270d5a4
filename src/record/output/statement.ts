import { join } from 'node:path';
import { stripControl } from '../../base/log/plain-text.ts';
import { lastLines } from '../growing-lines.ts';

/** The statement is near the end of the output; a step may print a little after it. */
const MAX_BYTES = 256 * 1024;
const MAX_LINES = 5_000;
const MAX_PARTS = 12;

/** The statement about resources in one step's output, such as `3 created, 1 updated`. */
export interface ResourceStatement {
  readonly index: number;
  readonly name: string;
  readonly changes: string;
}

/**
 * The last statement of each step that makes one, from the ends of the steps' files. Throws what
 * node:fs throws.
 */
export async function resourceStatements(
  directory: string,
  steps: readonly { readonly index: number; readonly name: string; readonly log?: string | undefined }[],
): Promise<ResourceStatement[]> {
  const statements: ResourceStatement[] = [];
  for (const { index, name, log } of steps) {
    // Step 0 is the agent's preparation.
    if (index === 0 || log === undefined) continue;
    const changes = statedChanges(await lastLines(join(directory, log), MAX_LINES, MAX_BYTES));
    if (changes !== undefined) statements.push({ index, name, changes });
  }

  return statements;
}

/**
 * The last statement on resources: Pulumi's block (renderSummaryEvent), or OpenTofu's and
 * Terraform's sentence.
 */
export function statedChanges(lines: readonly string[]): string | undefined {
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = plainLine(lines[at]);
    const sentence = /^(?:Apply complete! Resources|Destroy complete! Resources|Plan): (.+)\.$/.exec(
      line,
    )?.[1];
    const parts = sentence === undefined ? pulumiParts(line, lines, at) : sentence.split(', ').filter(isPart);
    if (parts.length > 0) return parts.slice(0, MAX_PARTS).join(', ');
  }
  return undefined;
}

/** The counts in a statement such as `3 to create, 5 unchanged`, by word. */
export function changeCounts(changes: string): Record<string, number> {
  const counts = changes.split(', ').map((part) => /^(\d+) (?:to )?(.+)$/.exec(part) ?? []);
  return Object.fromEntries(counts.map(([, count = '0', word = '']) => [word, Number(count)]));
}

/**
 * `    + 3 created`, `    +-1 replaced`, `    4 changes. 5 unchanged` or just `    5 unchanged`
 * below `Resources:`.
 */
function pulumiParts(line: string, lines: readonly string[], at: number): string[] {
  if (line !== 'Resources:') return [];
  const parts: string[] = [];
  for (const below of lines.slice(at + 1, at + 1 + MAX_PARTS)) {
    const entry = /^ {4}(?:[^\p{L}\p{N}\s]{1,2} ?)?(\d+ [^.]+)(?:\. (\d+ unchanged))?$/u.exec(
      plainLine(below),
    );
    const pieces = [entry?.[1], entry?.[2]].filter((piece) => piece !== undefined);
    if (pieces.length === 0) break;
    parts.push(...pieces.filter((piece) => isPart(piece) && !/^\d+ changes?$/.test(piece)));
  }

  return parts;
}

/** A count and a few words: nothing else gets from the output into the summary. */
function isPart(part: string): boolean {
  return /^\d{1,9} (?:to )?[a-z]+(?:[ -][a-z]+){0,3}$/.test(part);
}

function plainLine(line: string | undefined): string {
  return stripControl(line ?? '')
    .slice(0, 500)
    .trimEnd();
}
