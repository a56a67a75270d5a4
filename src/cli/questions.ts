import { createInterface, type Interface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { secret } from '../config/kind.ts';
import { readValue } from '../config/load.ts';
import { definitionOf, type KeyName } from '../config/schema.ts';
import { OutcomeError } from '../outcome.ts';

type Settings = Readonly<Record<string, string>>;

interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  /** What a relative path is relative to. */
  readonly workingDirectory: string;
}

/**
 * Asks for what the settings leave open, and nothing when they say enough. Returns them with the answers.
 * Throws OutcomeError `interrupted` when the user leaves (Ctrl-C, Ctrl-D).
 */
export async function ask(given: Settings, terminal: Terminal): Promise<Settings> {
  if (isEnough(given)) return given;
  const dialogue = new Dialogue(terminal);
  try {
    const settings: Record<string, string> = { ...given };
    const fill = async (key: KeyName, question: string, preset?: string) => {
      settings[key] ??= await dialogue.setting(key, question, preset);
    };
    if (settings['token'] === undefined && (settings['oidc_token_file'] !== undefined || (await dialogue.usesOidc()))) {
      await fill('organization_name', 'Pulumi organization');
      await fill('runner_pool_id', 'ID of the runner pool');
      await fill('oidc_token_file', 'File with the ID token, kept fresh by your CI');
    } else {
      await fill('token', 'Token of the runner pool (not shown)');
    }
    await fill('service_url', 'API of Pulumi Cloud', definitionOf('service_url').default);
    return settings;
  } finally {
    dialogue.close();
  }
}

function isEnough({ token, oidc_token_file: file, organization_name: name, runner_pool_id: pool }: Settings): boolean {
  return token !== undefined || (file !== undefined && name !== undefined && pool !== undefined);
}

/** Questions on a terminal. */
class Dialogue {
  readonly #readline: Interface;
  readonly #output: Writable;
  readonly #workingDirectory: string;
  readonly #left = new AbortController();
  #hidden = false;

  constructor({ input, output, workingDirectory }: Terminal) {
    this.#output = output;
    this.#workingDirectory = workingDirectory;
    // What readline would echo goes through here, so that it can be kept back; without a history no key brings a token up.
    const echo = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (!this.#hidden) output.write(chunk);
        done();
      },
    });
    this.#readline = createInterface({ input, output: echo, terminal: true, historySize: 0 });
    this.#readline.on('SIGINT', () => this.#left.abort());
    this.#readline.on('close', () => this.#left.abort());
  }

  close(): void {
    this.#readline.close();
  }

  async usesOidc(): Promise<boolean> {
    this.#output.write(
      'How does the agent sign in?\n  1  with the ID token of a CI job (OIDC)\n  2  with a pool token\n',
    );
    for (;;) {
      const answer = (await this.#answer('Choice [1]: ', false)).trim() || '1';
      if (answer === '1' || answer === '2') return answer === '1';
      this.#output.write('Please answer 1 or 2.\n');
    }
  }

  /** Asks until the answer can be the value of `key`. */
  async setting(key: KeyName, question: string, preset?: string): Promise<string> {
    const { kind } = definitionOf(key);
    for (;;) {
      const hidden = kind === secret;
      const prompt = `${question}${preset === undefined ? '' : ` [${preset}]`}: `;
      const text = (await this.#answer(prompt, hidden)).trim() || (preset ?? '');
      const { problems } = text === '' ? { problems: [] } : readValue(kind, text, this.#workingDirectory);
      if (problems === undefined) return text;
      const [problem] = problems;
      this.#output.write(problem === undefined ? 'An answer is needed.\n' : `That ${problem.clause}.\n`);
    }
  }

  async #answer(prompt: string, hidden: boolean): Promise<string> {
    this.#output.write(prompt);
    this.#hidden = hidden;
    try {
      return await this.#readline.question('', { signal: this.#left.signal });
    } catch (cause) {
      if (!this.#left.signal.aborted) throw cause;
      this.#output.write('\n');
      throw new OutcomeError('interrupted', 'The configuration was not finished, so nothing was written.', { cause });
    } finally {
      if (hidden) this.#output.write('\n');
      this.#hidden = false;
    }
  }
}
