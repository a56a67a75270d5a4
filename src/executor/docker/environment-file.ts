import { DeadlineError } from '../deadline.ts';
import { ContainerError } from '../executor.ts';
import { readFile } from './container-files.ts';
import type { Engine } from './engine.ts';
import { refusedWith } from './errors.ts';
import type { Keeper } from './keeper.ts';

const LIMIT = 1024 ** 2;
/** The type bits of Go's os.FileMode, which the engine's stat header holds: none for a regular file. */
const MODE_TYPE = 0x8f28_0000;

interface Stat {
  readonly size: number;
  readonly mode: number;
  readonly mtime: string;
}

/**
 * Reads the file that hands variables from step to step, as cheaply as it allows: the keeper knows in half a millisecond that
 * there is nothing to read, the engine in two that it didn't change, and only then an archive is fetched (some 40 ms on older
 * engines). The archive is made outside of the container's processes and follows no link, so nothing in there can make it
 * hang or point it elsewhere.
 */
export class EnvironmentFile {
  readonly #engine: Engine;
  readonly #container: string;
  readonly #path: string;
  #read: { readonly stat: Stat; readonly text: string } | undefined;

  constructor(engine: Engine, container: string, path: string) {
    this.#engine = engine;
    this.#container = container;
    this.#path = path;
  }

  /** The text; empty when there is no file. Throws ContainerError when it can't be taken. */
  async read(keeper: Keeper, signal: AbortSignal): Promise<string> {
    if (!(await this.#hasContent(keeper, signal))) return '';
    const stat = await this.#stat(signal);
    if (stat === undefined) return '';
    const last = this.#read?.stat;
    if (last !== undefined && last.size === stat.size && last.mtime === stat.mtime && last.mode === stat.mode) {
      return this.#read?.text ?? '';
    }
    if (stat.size > LIMIT) throw this.#unreadable(`it has ${stat.size} bytes`, 'Keep it under 1 MiB.');
    if ((stat.mode & MODE_TYPE) !== 0) throw this.#unreadable('it is not a regular file', 'Only append lines to it.');
    const found = await readFile(this.#engine, this.#container, { path: this.#path, limit: LIMIT, signal });
    if (found === undefined) return '';
    // It may have become something else since: the archive tells what it really holds.
    if (found.kind !== 'file')
      throw this.#unreadable('it is not a regular file of at most 1 MiB', 'Only append lines to it.');
    this.#read = { stat, text: found.text };
    return found.text;
  }

  async #hasContent(keeper: Keeper, signal: AbortSignal): Promise<boolean> {
    try {
      return (await keeper.state(signal)).environmentChanged;
    } catch (error) {
      // A keeper that a step has stopped says nothing; the engine does.
      if (error instanceof DeadlineError) return true;
      throw error;
    }
  }

  async #stat(signal: AbortSignal): Promise<Stat | undefined> {
    try {
      const header = await this.#engine.call(
        async (docker, abortSignal) => {
          const answer = await docker.getContainer(this.#container).infoArchive({ path: this.#path, abortSignal });
          answer.resume();
          return String(answer.headers['x-docker-container-path-stat'] ?? '');
        },
        { signal },
      );
      const stat: Partial<Record<keyof Stat, unknown>> = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
      return { size: Number(stat.size), mode: Number(stat.mode), mtime: String(stat.mtime) };
    } catch (error) {
      if (refusedWith(error, 404)) return undefined;
      throw error;
    }
  }

  #unreadable(cause: string, advice: string): ContainerError {
    return new ContainerError(
      `Failed to read the environment file for the next step: ${this.#path}: ${cause}. ${advice}`,
    );
  }
}
