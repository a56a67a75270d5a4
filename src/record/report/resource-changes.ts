import { join } from 'node:path';
import { stripControl } from '../../base/log/plain-text.ts';
import type { OwnDeployment } from '../deployment.ts';
import { lastLines } from '../growing-lines.ts';
import type { StepReport } from './report.ts';

/** The statement is near the end of the output; a step may print a little after it. */
const MAX_BYTES = 256 * 1024;
const MAX_LINES = 5_000;
const MAX_PARTS = 12;

/** The statement about resources in one step's output, such as `3 created, 1 updated`. */
export interface ResourceChanges {
  readonly index: number;
  readonly name: string;
  readonly changes: string;
}

/**
 * The last statement of each step that makes one, from the ends of the steps' files. Throws what
 * node:fs throws.
 */
export async function resourceChanges(
  directory: string,
  steps: readonly StepReport[],
): Promise<ResourceChanges[]> {
  const found: ResourceChanges[] = [];
  for (const { index, name, log } of steps) {
    // Step 0 is the agent's preparation.
    if (index === 0 || log === undefined) continue;
    const changes = statedChanges(await lastLines(join(directory, log), MAX_LINES, MAX_BYTES));
    if (changes !== undefined) found.push({ index, name, changes });
  }

  return found;
}

/**
 * The last statement on resources: Pulumi's block (renderSummaryEvent), or OpenTofu's and
 * Terraform's sentence.
 */
export function statedChanges(lines: readonly string[]): string | undefined {
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = plainLine(lines[at]);
    const stated = /^(?:Apply complete! Resources|Destroy complete! Resources|Plan): (.+)\.$/.exec(line)?.[1];
    const parts = stated === undefined ? pulumiParts(line, lines, at) : stated.split(', ').filter(isPart);
    if (parts.length > 0) return parts.slice(0, MAX_PARTS).join(', ');
  }
  return undefined;
}

/** Words for each change in the order of their display, the past participle after the verb. */
const VERBS: readonly (readonly [verb: string, done: string, words: RegExp])[] = [
  ['replace', 'replaced', /^(?:replace|replaced)$/],
  ['delete', 'deleted', /^(?:delete|deleted|destroy|destroyed)$/],
  ['create', 'created', /^(?:create|created|add|added)$/],
  ['update', 'updated', /^(?:update|updated|change|changed)$/],
  ['import', 'imported', /^(?:import|imported)$/],
];

/** Counts of resource changes as `1 deleted, 4 created`, or `4 to create`. Undefined if there are none. */
export function changeText(
  counts: Readonly<Record<string, number>>,
  { planned }: { readonly planned: boolean },
): string | undefined {
  const entries = Object.entries(counts);
  if (entries.length === 0) return undefined;
  const parts = VERBS.flatMap(([verb, done, words]) => {
    const sum = entries.reduce((total, [word, count]) => total + (words.test(word) ? count : 0), 0);
    return sum === 0 ? [] : [`${sum} ${planned ? `to ${verb}` : done}`];
  });
  return parts.length === 0 ? 'no changes' : parts.join(', ');
}

/** True if an operation only plans, by its name in Pulumi Deployments. */
export function onlyPlans(operation: string | undefined): boolean {
  return operation === 'preview' || operation === 'detect-drift';
}

/** A statement such as `3 to create, 5 unchanged` in the same words, without what is unchanged. */
export function statedText(changes: string): string | undefined {
  if (changes === '') return undefined;
  return changeText(changeCounts(changes), { planned: / to /.test(changes) });
}

/** Whether resources differ from the state of their stack, and how. */
export type DriftFacts = Pick<OwnDeployment, 'drift' | 'driftRun'>;

/** How the words of a drift run read in a sentence. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ['update', 'changed'],
  ['delete', 'deleted'],
  ['create', 'new'],
  ['replace', 'replaced'],
]);

/** `2 changed, 1 deleted` after `before`: what drifted. Empty if Pulumi Cloud doesn't report it. */
export function driftedText({ driftRun }: DriftFacts, before = ''): string {
  const counts = Object.entries(driftRun?.changes ?? {}).slice(0, MAX_PARTS);
  const parts = counts.map(([kind, count]) => `${count} ${DIFFERENCES.get(kind) ?? kind}`);
  return parts.length === 0 ? '' : before + parts.join(', ');
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
