import { z } from 'zod';

/** Operations in the order of their display: a reader wants to see replacements and deletions first. */
export const CHANGES = ['replace', 'delete', 'create', 'update', 'import'] as const;

export type Change = (typeof CHANGES)[number];

/** The most resources that are named; the counts are of all. */
export const NAMED_RESOURCES = 200;

/** The most resources that are told apart; a service or an output that names more is cut there. */
const MOST_RESOURCES = 20_000;
const MAX_NAME = 300;

const changedResourceSchema = z.object({
  operation: z.enum(CHANGES),
  /** Not `type`, which the record takes for its own word and doesn't redact. */
  resourceType: z.string(),
  name: z.string(),
  /** `unfinished`: it began, and nothing says that it ended. */
  state: z.enum(['planned', 'done', 'failed', 'unfinished']),
});

export type ChangedResource = z.infer<typeof changedResourceSchema>;

/** The resources that a deployment changed, or would change. */
export const changedResourcesSchema = z.object({
  /**
   * Who says so: Pulumi Cloud's record, or the output of the job, which is what the job claims.
   */
  source: z.enum(['pulumi-cloud', 'output']),
  /** Nothing was changed: they are the plan of a preview. */
  preview: z.boolean(),
  /** Failed and unfinished ones first, then replacements and deletions; the first 200. */
  resources: z.array(changedResourceSchema),
  /** All that were done, or planned by a preview, by operation. */
  counts: z.partialRecord(z.enum(CHANGES), z.number().int()),
  /** How many failed or did not end. Absent for none. */
  failed: z.number().int().optional(),
  unfinished: z.number().int().optional(),
});

export type ChangedResources = z.infer<typeof changedResourcesSchema>;

/** An operation of Pulumi's engine (apitype.OpType) that changes a resource, as a reader counts it. */
const CHANGE_OF: ReadonlyMap<string, Change> = new Map([
  ['create', 'create'],
  ['update', 'update'],
  ['delete', 'delete'],
  ['import', 'import'],
  ['replace', 'replace'],
  ['create-replacement', 'replace'],
  ['delete-replaced', 'replace'],
  ['read-replacement', 'replace'],
  ['import-replacement', 'replace'],
  ['discard-replaced', 'replace'],
]);

/** The steps that make up one replacement, besides `replace`, which ends it. */
const HALVES: readonly (readonly string[])[] = [
  ['create-replacement', 'read-replacement', 'import-replacement'],
  ['delete-replaced', 'discard-replaced'],
];

interface Progress {
  readonly change: Change;
  readonly type: string;
  readonly name: string;
  readonly begun: Set<string>;
  readonly done: Set<string>;
  failed: boolean;
}

/** One step of an update: an operation of Pulumi's engine on one resource. */
export interface ChangeStep {
  readonly op: string;
  readonly type: string;
  readonly name: string;
  /** Tells resources of one type and name apart; their URN where that is known. */
  readonly urn?: string | undefined;
}

/** Counts the steps of one update by resource: a replacement's three steps are one change. */
export class ChangeTally {
  readonly #all = new Map<string, Progress>();
  /** Types and names of resources that failed, whatever their change was. */
  readonly #failed = new Set<string>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** How many resources underwent this change, whether it ended well or not. */
  count(change: Change): number {
    return [...this.#all.values()].filter((progress) => progress.change === change).length;
  }

  begun(step: ChangeStep): void {
    this.#of(step)?.begun.add(step.op);
  }

  done(step: ChangeStep): void {
    this.#of(step)?.done.add(step.op);
  }

  failed(step: ChangeStep): void {
    const progress = this.#of(step);
    if (progress !== undefined) progress.failed = true;
  }

  /** Marks each change of this resource as failed, whatever it was. */
  failedAt(type: string, name: string): void {
    if (this.#failed.size < MOST_RESOURCES) this.#failed.add(`${type} ${name}`);
  }

  /** Takes every begun step for done: the output doesn't tell the end of each. */
  endAll(): void {
    for (const { begun, done } of this.#all.values()) for (const op of begun) done.add(op);
  }

  /** The resources in the order in which they were met. Those that a preview saw to their end are planned. */
  resources(preview: boolean): ChangedResource[] {
    return [...this.#all.values()].map((progress) => {
      const { change: operation, type, name } = progress;
      const failed = progress.failed || this.#failed.has(`${type} ${name}`);
      const good = preview ? 'planned' : 'done';
      const state = failed ? 'failed' : hasEnded(progress) ? good : 'unfinished';
      return { operation, resourceType: type, name, state };
    });
  }

  #of({ op, type, name, urn }: ChangeStep): Progress | undefined {
    const change = CHANGE_OF.get(op);
    if (change === undefined) return undefined;

    const key = `${change} ${urn ?? `${type} ${name}`}`;
    const progress = this.#all.get(key);
    if (progress !== undefined || this.#all.size >= MOST_RESOURCES) return progress;

    const fresh = { change, type, name, begun: new Set<string>(), done: new Set<string>(), failed: false };
    this.#all.set(key, fresh);
    return fresh;
  }
}

function hasEnded({ change, begun, done }: Progress): boolean {
  if ([...begun].some((op) => !done.has(op))) return false;
  return (
    change !== 'replace' || done.has('replace') || HALVES.every((half) => half.some((op) => done.has(op)))
  );
}

/** Resources as they are recorded: counted, and the first ones by name. */
export function summarize(
  all: readonly ChangedResource[],
  {
    source,
    preview,
    unlisted = {},
    redact = (text) => text,
  }: Pick<ChangedResources, 'source' | 'preview'> & {
    /** Counts of what is not among them. */
    readonly unlisted?: ChangedResources['counts'] | undefined;
    /** Hides secrets in names that are not redacted yet: before they are cut, as a part of one would no longer match. */
    readonly redact?: ((text: string) => string) | undefined;
  },
): ChangedResources {
  const ends = (end: ChangedResource['state']) => all.filter(({ state }) => state === end);
  const [failed, unfinished] = [ends('failed'), ends('unfinished')];
  const rank = ({ operation }: ChangedResource) => CHANGES.indexOf(operation);
  const good = [...ends('planned'), ...ends('done')].toSorted((one, other) => rank(one) - rank(other));
  const counts: ChangedResources['counts'] = { ...unlisted };
  for (const { operation } of good) counts[operation] = (counts[operation] ?? 0) + 1;
  const short = (text: string) => redact(text).slice(0, MAX_NAME);
  const listed = [...failed, ...unfinished, ...good]
    .slice(0, NAMED_RESOURCES)
    .map((each) => ({ ...each, resourceType: short(each.resourceType), name: short(each.name) }));

  return {
    source,
    preview,
    resources: listed,
    counts,
    failed: failed.length || undefined,
    unfinished: unfinished.length || undefined,
  };
}
