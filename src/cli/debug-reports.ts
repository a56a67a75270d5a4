import type { Writable } from 'node:stream';
import type { Log } from '../agent/logging/agent-log.ts';
import { settledBefore } from '../clock.ts';
import type { JobApi, LogLines, StepStatus } from '../cloud/jobs.ts';
import type { JobDefinition } from '../cloud/wire.ts';
import { stripControl } from '../log/terminal-text.ts';

interface LocalReportsOptions {
  readonly job: JobDefinition;
  readonly log: Log;
  /** Gets the steps' lines, which are redacted by then. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** Called when the lines have no reader any more. */
  readonly onUnread: (reason: string) => void;
}

/** Takes the place of Pulumi Cloud's calls for a job: what would be reported to it is printed. */
export class LocalReports implements Pick<JobApi, 'definition' | 'stepStatus' | 'logs'> {
  readonly #options: LocalReportsOptions;
  /** The last line had no end. */
  #unfinished = false;

  constructor(options: LocalReportsOptions) {
    this.#options = options;
    // Every write says so again.
    options.stdout.on('error', () => options.onUnread('nobody reads the output any more'));
  }

  definition(): Promise<JobDefinition> {
    return Promise.resolve(this.#options.job);
  }

  async stepStatus(index: number, status: StepStatus, signal: AbortSignal): Promise<void> {
    const { job, log, stdout } = this.#options;
    // What comes next on a terminal begins a line of its own.
    if (this.#unfinished && stdout.isTTY === true) await this.#write('\n', signal);
    const name = stripControl(job.steps[index]?.name ?? '');
    const title = `Step ${index}${name === '' ? '' : ` "${name}"`}`;
    log(status === 'failed' ? 'error' : 'info', status === 'running' ? `${title}:` : `${title} ${status}.`);
  }

  async logs(index: number, { lines }: LogLines, signal: AbortSignal): Promise<'accepted'> {
    const { stdout, log } = this.#options;
    // Step 0 is the agent's own, and so are its words.
    if (index === 0) {
      for (const { l } of lines) log('info', l.trimEnd());
      return 'accepted';
    }
    const colours = stdout.isTTY === true;
    const shown = lines.map(({ l }) => {
      const [text, end] = l.endsWith('\n') ? [l.slice(0, -1), '\n'] : [l, ''];
      return `${stripControl(text, { colours })}${end}`;
    });
    await this.#write(shown.join(''), signal);
    return 'accepted';
  }

  /** Resolves when it is written, so that nothing overtakes the lines. */
  async #write(text: string, signal: AbortSignal): Promise<void> {
    if (text === '') return;
    this.#unfinished = !text.endsWith('\n');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.stdout.write(text, () => resolve());
    await settledBefore(promise, signal);
  }
}
