import { join } from 'node:path';
import { stripControl } from '../../base/log/plain-text.ts';
import { CHANGES, type Change, type ChangedResources, ChangeTally, summarize } from '../changed-resources.ts';
import { lastLines } from '../growing-lines.ts';

/** The end of each step's output that is searched. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_LINES = 20_000;
const MAX_LINE = 2_000;

/** Lines below an operation of `--diff` among which its URN stands. */
const URN_WITHIN = 4;

/** The CLI's title of an operation (backend.ActionLabel): `Updating (prod)`, `Previewing destroy (acme/prod):`. */
export const HEADING =
  /^(?:Previewing (update|destroy|refresh|import)|(Updating|Destroying|Refreshing|Importing)) \(\S.*\):?$/;

/** The engine's operation by its sign, and its words: planned, begun, done (pkg/v3/backend/display). */
const SIGNS: Readonly<Record<string, readonly [op: string, words: readonly [string, string, string]]>> = {
  '+ ': ['create', ['create', 'creating', 'created']],
  '~ ': ['update', ['update', 'updating', 'updated']],
  '- ': ['delete', ['delete', 'deleting', 'deleted']],
  '+-': ['replace', ['replace', 'replacing', 'replaced']],
  '++': ['create-replacement', ['create replacement', 'creating replacement', 'created replacement']],
  '--': ['delete-replaced', ['delete original', 'deleting original', 'deleted original']],
  '>>': ['read-replacement', ['read for replacement', 'reading for replacement', 'read for replacement']],
  '<<': ['discard-replaced', ['discard original', 'discarding original', 'discarded original']],
  '= ': ['import', ['import', 'importing', 'imported']],
  '=>': ['import-replacement', ['import replacement', 'importing replacement', 'imported replacement']],
};

const SIGN = /\+-|\+\+|--|>>|<<|=>|[+~=-] /.source;
const TYPE = /[^\s:]+:[^\s:]*:[^\s:]+/.source;
/** The tree before a resource's type, which begins with none of its characters: else a search would try each end of it. */
const TREE = /[│├└─ ]*(?![│├└─])/.source;
const PROGRESS = new RegExp(`^ (${SIGN}) ${TREE}(${TYPE}) +(\\S.*)$`, 'su');
/** The words of an update that is under way, which no preview prints. */
const PROGRESSED = / (?:creat|updat|delet|replac|import)(?:ing|ed)(?: |$)/;
const DIFF = new RegExp(`^ +(?:${SIGN})(${TYPE}): \\(([a-z-]+)\\)(?: |$)`, 'u');
const URN = /^ +\[urn=(urn:pulumi:[^\]]+)\]$/;
const DIAGNOSED = new RegExp(`^ {2}(${TYPE}) \\((.+)\\):$`, 'u');
const ERRORS = /(?:^|\s)\d+ errors?(?:[;,]|$)/;

/** Lines below `Resources:` that can be counts. */
const SUMMARY_LINES = 12;

/** A line of the summary: `    +-1 to replace`. */
const STATED = /^ {4}[+~=-]{1,2} ?(\d{1,9}) (?:to )?([a-z]+)$/;
const STATED_WORDS: Readonly<Record<Change, RegExp>> = {
  replace: /^replaced?$/,
  delete: /^deleted?$/,
  create: /^created?$/,
  update: /^updated?$/,
  import: /^import(?:ed)?$/,
};

/**
 * The changes of a job, from the ends of its steps' logs; undefined if no update printed any. They
 * are what the job claims. Throws what node:fs throws.
 */
export async function changesInLogs(
  directory: string,
  steps: readonly { readonly index: number; readonly log?: string | undefined }[],
): Promise<ChangedResources | undefined> {
  const updates: PrintedUpdate[] = [];
  for (const { index, log } of steps) {
    // Step 0 is the agent's preparation.
    if (index === 0 || log === undefined) continue;
    updates.push(...updatesIn(await lastLines(join(directory, log), MAX_LINES, MAX_BYTES)));
  }

  return together(updates);
}

/** The changes that Pulumi's CLI printed in these lines; undefined if no update did. */
export function changesInOutput(lines: readonly string[]): ChangedResources | undefined {
  return together(updatesIn(lines));
}

/** The last update of each kind counts; previews, only if there is nothing else. */
function together(updates: readonly PrintedUpdate[]): ChangedResources | undefined {
  const begun = updates.filter(({ hasBegun }) => hasBegun);
  const real = begun.filter(({ preview }) => !preview);
  const counted = real.length > 0 ? real : begun;
  if (counted.length === 0) return undefined;

  const last = new Map(counted.map((update) => [update.kind, update]));
  const all = [...last.values()].flatMap(({ tally, preview }) => tally.resources(preview));
  const unlisted: ChangedResources['counts'] = {};
  for (const update of last.values())
    for (const change of CHANGES) {
      const sum = (unlisted[change] ?? 0) + (update.unlisted[change] ?? 0);
      if (sum > 0) unlisted[change] = sum;
    }
  return summarize(all, { source: 'output', preview: real.length === 0, unlisted });
}

function updatesIn(lines: readonly string[]): PrintedUpdate[] {
  const updates: PrintedUpdate[] = [];
  const plain = lines.map((line) => stripControl(line).slice(0, MAX_LINE).trimEnd());

  for (const [at, line] of plain.entries()) {
    const [heading, previewing, doing] = HEADING.exec(line) ?? [];
    if (heading !== undefined)
      updates.push(new PrintedUpdate(previewing ?? doing ?? '', previewing !== undefined));
    // The start of a long output is missing, and with it the heading.
    else if (updates.length === 0 && PROGRESS.test(line))
      updates.push(new PrintedUpdate('', !PROGRESSED.test(line)));

    updates.at(-1)?.line(line, plain.slice(at + 1, at + 1 + URN_WITHIN));
  }

  return updates;
}

/** What one update, or one preview, printed. */
class PrintedUpdate {
  readonly kind: string;
  readonly preview: boolean;
  readonly tally = new ChangeTally();
  readonly #unlisted: ChangedResources['counts'] = {};
  #summaryLines = 0;
  #isDiff = false;
  #hasEnded = false;
  /** The type and name of the resource that the diagnostics are about. */
  #diagnosed: readonly string[] | undefined;

  constructor(kind: string, preview: boolean) {
    this.kind = kind;
    this.preview = preview;
  }

  /** False if it printed only its heading: it met the lock of another update, for example. */
  get hasBegun(): boolean {
    return this.#hasEnded || !this.tally.isEmpty;
  }

  /** Counts in its summary of changes that are not among the lines. */
  get unlisted(): ChangedResources['counts'] {
    return this.#unlisted;
  }

  /** Takes a line, and shows it the next few. */
  line(line: string, next: readonly string[]): void {
    if (this.#hasEnded) {
      this.#summaryLines += 1;
      if (this.#summaryLines <= SUMMARY_LINES) this.#summary(line);
      return;
    }

    if (line === 'Resources:') {
      this.#hasEnded = true;
      // With `--diff` the CLI doesn't print the end of each.
      if (this.#isDiff) this.tally.endAll();
      return;
    }

    this.#progress(line);
    this.#diff(line, next);
    this.#diagnostic(line);
  }

  /** `    + 3 created` below `Resources:`. */
  #summary(line: string): void {
    const [, number, words = ''] = STATED.exec(line) ?? [];
    const change = CHANGES.find((each) => STATED_WORDS[each].test(words));
    if (number === undefined || change === undefined) return;
    // The start of a long output is missing, and --suppress-progress leaves out all of it.
    const rest = Number(number) - this.tally.count(change);
    if (rest > 0) this.#unlisted[change] ??= rest;
  }

  /** ` +  aws:s3/bucket:Bucket logs created (2s) `: each state of a resource is a line. */
  #progress(line: string): void {
    const [, sign = '', type = '', rest = ''] = PROGRESS.exec(line) ?? [];
    const [op, words] = SIGNS[sign] ?? [];
    if (op === undefined || words === undefined) return;

    // A name can hold blanks, so the words after it decide where it ends.
    const states = [...words, '[a-z]+ failed'].join('|');
    const pattern = new RegExp(
      `^(.+?) ((?:\\*\\*)?)(${states})(?: \\([\\d.hms]+\\))?(?:\\*\\*)?(?: (.*))?$`,
      'su',
    );
    const [, name, stars, state, after = ''] = pattern.exec(rest) ?? [];
    if (name === undefined || state === undefined) return;

    const step = { op, type, name };
    const [, , done] = words;
    this.tally.begun(step);
    if (stars === '**' || (this.preview && ERRORS.test(after))) this.tally.failed(step);
    // A preview prints the same word when it begins and when it ends.
    else if (this.preview || state === done) this.tally.done(step);
  }

  /** `    + aws:s3/bucket:Bucket: (create)`, and below it `[urn=…]`. */
  #diff(line: string, next: readonly string[]): void {
    const [, type, op] = DIFF.exec(line) ?? [];
    if (type === undefined || op === undefined) return;
    const urn = next.map((each) => URN.exec(each)?.[1]).find((each) => each !== undefined);
    if (urn === undefined) return;

    this.#isDiff = true;
    this.tally.begun({ op, type, name: nameIn(urn) });
  }

  /** `  aws:s3/bucket:Bucket (logs):`, and below it `    error: …`. */
  #diagnostic(line: string): void {
    const heading = DIAGNOSED.exec(line);
    if (heading !== null) this.#diagnosed = heading.slice(1);
    else if (line !== '' && !line.startsWith('    ')) this.#diagnosed = undefined;

    const [type, name] = this.#diagnosed ?? [];
    if (type !== undefined && name !== undefined && line.startsWith('    error: '))
      this.tally.failedAt(type, name);
  }
}

/** `urn:pulumi:STACK::PROJECT::TYPE::NAME`; a name can hold `::`. */
export function nameIn(urn: string): string {
  return urn.split('::').slice(3).join('::');
}
