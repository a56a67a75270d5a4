import type { ChangedResources } from '../changed-resources.ts';
import type { DriftResult } from '../deployment.ts';
import { changeCounts } from '../output/statement.ts';

/** The most parts of a sentence about drift. */
const MAX_PARTS = 12;

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

/** How the words of a drift run read in a sentence. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ['update', 'changed'],
  ['delete', 'deleted'],
  ['create', 'new'],
  ['replace', 'replaced'],
]);

/** `2 changed, 1 deleted` after `before`: what drifted. Empty if Pulumi Cloud doesn't report it. */
export function driftedText({ driftRun }: DriftResult, before = ''): string {
  const counts = Object.entries(driftRun?.changes ?? {}).slice(0, MAX_PARTS);
  const parts = counts.map(([kind, count]) => `${count} ${DIFFERENCES.get(kind) ?? kind}`);
  return parts.length === 0 ? '' : before + parts.join(', ');
}

/** `1 replaced, 4 created, 1 failed, according to its output`: with no source, it is Pulumi Cloud. */
export function resourcesText(resources: ChangedResources): string {
  const { counts, failed = 0, unfinished = 0, preview, source } = resources;
  const done = changeText(counts, { planned: preview });
  const bad = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unfinished > 0 ? [`${unfinished} unfinished`] : []),
  ];
  const parts = [...(done === undefined ? [] : [done]), ...bad];
  const text = parts.length === 0 ? 'no changes' : parts.join(', ');
  return source === 'output' ? `${text}, according to its output` : text;
}
