import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parsedJson } from '../base/json.ts';
import { plainText } from '../base/log/plain-text.ts';
import { Redactor } from '../base/log/redactor.ts';
import type { Host } from './host.ts';

const stacks = z.custom<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
  (value) => typeof value === 'object' && value !== null,
);

/**
 * The outputs of the stacks that the engine left in a file, as one JSON object by stack and name. Outputs that hold one
 * of the `secrets` that this step hides are left out too, as GitHub empties an output with one. Empty without a file.
 * Never rejects.
 */
export async function readStackOutputs(
  host: Pick<Host, 'info'>,
  file: string,
  secrets: readonly string[],
): Promise<string> {
  const { data } = stacks.safeParse(parsedJson(await readFile(file, 'utf8').catch(() => '')));
  if (data === undefined) return '';

  const redactor = new Redactor();
  redactor.add(secrets);
  const redact = (text: string) => redactor.text(text);
  const isPlain = (text: string) => redact(text) === text;

  const kept = Object.entries(data).map(([stack, outputs]) => {
    const plain = Object.entries(outputs).filter((each) => isPlain(JSON.stringify(each)));
    const names = Object.keys(outputs).filter((name) => !plain.some(([each]) => each === name));
    if (names.length > 0) {
      // Before it is cut: a part of a secret would no longer match.
      const shown = redact(names.join(', '));
      host.info(
        plainText(
          `stack-outputs leaves out outputs of ${stack} that hold a text that this step hides: ${shown}.`,
        ),
      );
    }
    return [stack, Object.fromEntries(plain)];
  });
  return JSON.stringify(Object.fromEntries(kept));
}
