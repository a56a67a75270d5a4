import { rename, writeFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { withEntry } from '../../base/error-codes.ts';
import { plainText } from '../../base/log/plain-text.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import { codeOf, messageOf } from '../../base/outcome.ts';
import { type StackName, stackText } from '../../base/stack.ts';
import type { DeploymentApi } from '../deployment-api.ts';
import { type OutputValues, SIGNATURE } from '../deployment-wire.ts';

/** Bytes of the whole JSON: GitHub takes 1 MB of outputs from a job, counted in two bytes a character. */
export const MOST_OUTPUT_BYTES = 256 * 1024;

/** Tries while Pulumi Cloud calls outputs pending; the pause between them, and the time for all. */
const TRIES = 5;
const BETWEEN_MS = 2_000;
const ALL_MS = 20_000;

/** The most names in a sentence, and the characters of one. */
const MAX_NAMES = 10;
const MAX_NAME = 100;

interface StackOutputsOptions {
  /** Where the outputs go as JSON, by stack and name. Not into the record, which is an artifact that others can read. */
  readonly file: string;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** Reads a stack's outputs, never with a job's own token. */
export interface OutputsReader {
  readonly api: Pick<DeploymentApi, 'outputs'>;
  readonly notice: (message: string) => void;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** The plain outputs of the stacks whose deployments succeeded in this run. */
export class StackOutputs {
  readonly #options: StackOutputsOptions;
  readonly #stacks = new Map<string, OutputValues>();
  #wasTooLong = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: StackOutputsOptions) {
    this.#options = options;
  }

  /**
   * Reads a stack's outputs and writes all that were read. Call it while the job's secrets are still hidden. Never
   * rejects: what is missing is a notice.
   */
  async add(stack: StackName, { api, notice, signal }: OutputsReader): Promise<void> {
    const name = stackText(stack);
    try {
      const redact = (text: string) => this.#options.redactor.text(text);
      const end = AbortSignal.any([signal, AbortSignal.timeout(ALL_MS)]);
      const { open, secret } = withoutSecrets(await this.#read(stack, api, end));
      if (secret.length > 0) notice(leftOut(name, secret.map(redact), 'are secret or not plain JSON'));
      const { plain, masked } = this.#isTooLong(open)
        ? { plain: open, masked: [] }
        : withoutMasked(open, redact);
      if (masked.length > 0) notice(leftOut(name, masked.map(redact), 'hold a text that this run hides'));
      this.#stacks.set(name, plain);
      // Deployments elsewhere can end at the same time.
      this.#writing = this.#writing.then(() => this.#write(notice));
      await this.#writing;
    } catch (error) {
      const message = signal.aborted ? 'the agent was asked to stop' : messageOf(error);
      notice(withEntry(`The outputs of ${name} are unknown: ${message}`, codeOf(error)));
    }
  }

  async #read(stack: StackName, api: OutputsReader['api'], signal: AbortSignal): Promise<OutputValues> {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const outputs = await api.outputs(stack, signal);
      if (outputs !== undefined) return outputs;
      await this.#options.clock.sleep(BETWEEN_MS, signal);
    }
    throw new Error('Pulumi Cloud calls them pending.');
  }

  #isTooLong(value: object): boolean {
    return Buffer.byteLength(JSON.stringify(value)) > MOST_OUTPUT_BYTES;
  }

  /** Writes all outputs in one piece, as their reader may come at any time. Never rejects. */
  async #write(notice: (message: string) => void): Promise<void> {
    const { file } = this.#options;
    const all = Object.fromEntries([...this.#stacks].toSorted(([one], [other]) => (one < other ? -1 : 1)));
    const isTooLong = this.#isTooLong(all);
    if (isTooLong && !this.#wasTooLong)
      notice(`stack-outputs is empty: the outputs are longer than ${MOST_OUTPUT_BYTES / 1024} KiB.`);
    this.#wasTooLong = isTooLong;
    try {
      await writeFile(`${file}.new`, isTooLong ? '' : JSON.stringify(all), { mode: 0o600 });
      await rename(`${file}.new`, file);
    } catch (error) {
      notice(`The outputs of the stacks could not be written to ${file}: ${messageOf(error)}`);
    }
  }
}

/** Sorts out outputs with a secret at any depth, and others that JSON has no form for. */
function withoutSecrets(outputs: OutputValues) {
  const isSecret = ([, value]: readonly [string, unknown]) => JSON.stringify(value).includes(SIGNATURE);
  const { open = [], secret = [] } = Object.groupBy(Object.entries(outputs), (each) =>
    isSecret(each) ? 'secret' : 'open',
  );
  // Each name becomes an own property, whatever it is.
  return { open: Object.fromEntries(open), secret: secret.map(([name]) => name) };
}

/** Sorts out outputs that hold, escaped or not, what `redact` would change. */
function withoutMasked(outputs: OutputValues, redact: (text: string) => string) {
  const isMasked = (entry: readonly [string, unknown]) =>
    [JSON.stringify(entry), ...textsIn(entry)].some((text) => redact(text) !== text);
  const { plain = [], masked = [] } = Object.groupBy(Object.entries(outputs), (each) =>
    isMasked(each) ? 'masked' : 'plain',
  );
  return { plain: Object.fromEntries(plain), masked: masked.map(([name]) => name) };
}

/** The texts in a value, keys included. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const open = [value];
  for (let next = open.pop(); next !== undefined || open.length > 0; next = open.pop()) {
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null)
      for (const [key, each] of Object.entries(next)) {
        if (!Array.isArray(next)) texts.push(key);
        open.push(each);
      }
  }
  return texts;
}

/** `names` are redacted: they are cut here, and a part of a secret would no longer match. */
function leftOut(stack: string, names: readonly string[], why: string): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => plainText(name, MAX_NAME));
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `stack-outputs leaves out outputs of ${stack} that ${why}: ${shown.join(', ')}${rest}.`;
}
