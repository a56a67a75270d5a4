import type { Writable } from 'node:stream';
import type { JobApi, LogBatch } from '../cloud/jobs.ts';
import type { JobDefinition } from '../cloud/wire.ts';
import { stripControl } from '../log/terminal-text.ts';
import type { Log } from './agent-log.ts';

interface LocalReportsOptions {
  readonly job: JobDefinition;
  readonly log: Log;
  /** Gets the steps' lines, which are redacted by then. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** Nobody reads the lines any more. */
  readonly onUnread: (reason: string) => void;
}

/** Stands where Pulumi Cloud's calls for a job are: what would be told to it is told to whoever started the command. */
export class LocalReports implements Pick<JobApi, 'definition' | 'stepStatus' | 'logs'> {
  readonly #options: LocalReportsOptions;

  constructor(options: LocalReportsOptions) {
    this.#options = options;
    options.stdout.once('error', () => options.onUnread('nobody reads the output any more'));
  }

  definition(): Promise<JobDefinition> {
    return Promise.resolve(this.#options.job);
  }

  stepStatus(index: number, status: 'running' | 'succeeded' | 'failed'): Promise<void> {
    const { job, log } = this.#options;
    const name = stripControl(job.steps[index]?.name ?? '');
    const title = `Step ${index}${name === '' ? '' : ` "${name}"`}`;
    log(status === 'failed' ? 'error' : 'info', status === 'running' ? `${title}:` : `${title} ${status}.`);
    return Promise.resolve();
  }

  async logs(_: number, { lines }: LogBatch): Promise<'accepted'> {
    const { stdout } = this.#options;
    const colours = stdout.isTTY === true;
    const shown = lines.map(
      ({ l }) => `${stripControl(l.replace(/\n$/, ''), { colours })}${l.endsWith('\n') ? '\n' : ''}`,
    );
    // Waited for, so that a reader who takes his time slows the step down, and nothing else overtakes the lines.
    await new Promise<void>((resolve) => stdout.write(shown.join(''), () => resolve()));
    return 'accepted';
  }
}
