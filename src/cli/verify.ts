import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { plainText } from '../base/log/plain-text.ts';
import { withoutServiceMessages } from '../base/log/service-messages.ts';
import { OutcomeError } from '../base/outcome.ts';
import { counted } from '../base/quantity.ts';
import { RUN_FILES } from '../record/schema.ts';
import { verifyRecord } from '../record/verification.ts';
import type { CommandSources } from './command-line.ts';

/** The type of a statement whose predicate is a run.json, as in docs/receipt.md. */
const PREDICATE_TYPE = 'https://github.com/org/pulumi-runner-action/run/v1';

/** Characters of a path or a problem. */
const MAX_TEXT = 500;

/**
 * `pulumi-runner-agent verify RUN_DIRECTORY`: compares the logs with the digests in run.json, and
 * says what it can't verify. Returns 0, or 1 if a file is missing, unknown, or has no digest or
 * another one. Throws OutcomeError `config-error` for a folder without a record.
 */
export async function verify({
  command: { directory },
  workingDirectory,
  process: { stdout },
}: CommandSources<'verify'>): Promise<number> {
  const folder = resolve(workingDirectory, directory);
  if (!existsSync(join(folder, RUN_FILES.result))) {
    const what = existsSync(folder) ? `${directory} has no ${RUN_FILES.result}` : `there is no ${directory}`;
    const message = `Failed to read the record for verify: ${what}. Name a run directory, such as an unpacked artifact.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-RECORD-16' });
  }

  const { files, unpinned, sha256 } = await verifyRecord(folder);
  // Names of an artifact's files, which in a CI job must not command the system.
  const shown = (text: string) => withoutServiceMessages(plainText(text, MAX_TEXT));

  for (const { path, problem } of files)
    stdout.write(problem === undefined ? `✔ ${shown(path)}\n` : `✘ ${shown(path)} ${shown(problem)}\n`);

  for (const path of unpinned) stdout.write(`– ${shown(path)} is never pinned: no digest says what it was\n`);

  const bad = files.filter(({ problem }) => problem !== undefined).length;
  const all = counted(files.length, 'file');
  stdout.write(bad === 0 ? `\n${all} as recorded.\n` : `\n${bad} of ${all} not as recorded.\n`);
  if (sha256 !== undefined) stdout.write(limits(shown(join(directory, RUN_FILES.result)), sha256));

  return bad === 0 ? 0 : 1;
}

/** The limits of what was verified, and the command that goes beyond them. */
function limits(file: string, sha256: string): string {
  return `
No signature was verified: only its attestation proves that ${file} is the file that was written.
Its SHA-256 is ${sha256}.
  gh attestation verify ${file} --repo OWNER/REPO --predicate-type ${PREDICATE_TYPE} \\
    --cert-identity https://github.com/OWNER/REPO/.github/workflows/FILE.yml@refs/heads/main
`;
}
