import { readFile } from 'node:fs/promises';
import { plainText } from '../base/log/plain-text.ts';
import { withoutServiceMessages } from '../base/log/service-messages.ts';
import { clause, messageOf, OutcomeError } from '../base/outcome.ts';
import { compareWire } from '../pulumi-agent/recorder/wire-comparison.ts';
import type { CommandSources } from './command-line.ts';

/** Characters of a difference. */
const MAX_TEXT = 1_000;

/**
 * `pulumi-runner-agent wire compare FILE`: compares a recorded conversation of Pulumi's agent with
 * what our agent would send and read. Returns 0, or 1 if they differ. Throws OutcomeError
 * `config-error` for a file that isn't a recording.
 */
export async function wire({
  command: { file },
  process: { stdout },
}: CommandSources<'wire'>): Promise<number> {
  const comparison = await readFile(file, 'utf8')
    .then(compareWire)
    .catch((cause: unknown) => {
      const message = `Failed to read the recording ${file}: ${clause(messageOf(cause))}. Name the wire.ndjson of a run with engine_record.`;
      throw new OutcomeError('config-error', message, { code: 'PRA-ENGINE-12', cause });
    });

  const { calls, kinds, differences } = comparison;

  stdout.write(`${calls} calls:\n`);
  for (const [kind, count] of kinds) stdout.write(`  ${count} × ${kind}\n`);

  stdout.write(
    differences.length === 0
      ? '\nOur agent would send and read the same.\n'
      : `\n${differences.length} differences:\n`,
  );

  // It can name keys of a body, which a job can send.
  for (const difference of differences)
    stdout.write(`- ${withoutServiceMessages(plainText(difference, MAX_TEXT))}\n`);

  return differences.length === 0 ? 0 : 1;
}
