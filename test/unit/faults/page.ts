import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Call, EVERY_CALL, endForGood, faults, LASTING } from './table.ts';

/** `vitest run --project unit test/unit/faults -u` writes its tables anew, from what the runs did. */
export const RELIABILITY_PAGE = join(import.meta.dirname, '../../../docs/reliability.md');

/** How runs ended, by fault and call. */
export type Ends = Map<string, ReadonlyMap<Call, string | undefined>>;

/** The page as it stands, with the tables as the runs ended; a fault that was not run stands as it is expected to end. */
export async function pageWith(ends: { readonly once?: Ends; readonly always?: Ends }): Promise<string> {
  const once = faults('').map((fault) => [fault.name, (call: Call) => fault.ends?.[call] ?? 'succeeded'] as const);
  const always = LASTING.map(([name, failure]) => [name, (call: Call) => endForGood(failure, call)] as const);
  let page = await readFile(RELIABILITY_PAGE, 'utf8');
  for (const [how, rows] of Object.entries({ once, always })) {
    const seen = ends[how as keyof typeof ends];
    const table = tableOf(
      rows.map(([name, expected]) => [name, (call) => seen?.get(name)?.get(call) ?? expected(call)]),
    );
    const between = new RegExp(`(<!-- ${how} -->)[^]*(<!-- /${how} -->)`);
    page = page.replace(between, (_, start: string, end: string) => `${start}\n${table}\n${end}`);
  }
  return page;
}

function tableOf(rows: readonly (readonly [string, (call: Call) => string])[]): string {
  const columns = Map.groupBy(EVERY_CALL, columnOf);
  const cells = rows.map(([name, end]) => [
    name,
    ...[...columns.values()].map((calls) =>
      [...new Set(calls.map((call) => (end(call) === 'succeeded' ? '✓' : `\`${end(call)}\``)))].join(' or '),
    ),
  ]);
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  return [line(['', ...columns.keys()]), `|${'---|'.repeat(columns.size + 1)}`, ...cells.map(line)].join('\n');
}

/** Calls of one kind share a column. */
function columnOf(call: Call): string {
  if (call.startsWith('greeting')) return 'greeting';
  if (call.endsWith('status')) return 'status';
  if (call.endsWith('lines')) return 'lines';
  return call === 'look for a cancel' ? 'look' : call;
}
