import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type RunResult, runResultSchema } from '../../../src/record/schema.ts';

/** The command as the npm package installs it. */
const COMMAND = join(import.meta.dirname, '../../../bin/pulumi-runner-agent.cjs');

/** A command that a CI job runs. */
export interface CiCommand {
  readonly child: ChildProcess;
  /** Resolves once its console shows `pattern`; fails if it ends first. */
  shows(pattern: RegExp | string, timeout?: number): Promise<void>;
  /** Its console, standard error included. */
  readonly ended: Promise<{ readonly code: number | null; readonly console: string }>;
}

export interface CiJobOptions {
  /** Holds the checkout and the home directory. */
  readonly directory: string;
  /** The only variables besides PATH, HOME and TMPDIR. */
  readonly environment: Readonly<Record<string, string>>;
  /** The program and its first arguments; Node.js and the npm package's command when absent. */
  readonly command?: readonly string[];
  /** A label, as `key=value`, for each object that `ci` makes. */
  readonly label: string;
}

/** A job of a CI system that runs our command in an otherwise empty environment. */
export class CiJob {
  readonly checkout: string;
  readonly temporary: string;
  readonly options: CiJobOptions;

  private constructor(options: CiJobOptions) {
    this.options = options;
    this.checkout = join(options.directory, 'checkout');
    this.temporary = join(options.directory, 'tmp');
  }

  static async open(options: CiJobOptions): Promise<CiJob> {
    const job = new CiJob(options);
    for (const folder of [job.checkout, job.temporary, join(options.directory, 'home')])
      await mkdir(folder, { recursive: true });
    return job;
  }

  /** Starts the command in a process group of its own, as a shell with job control does. */
  start(...words: readonly string[]): CiCommand {
    const { command = [process.execPath, COMMAND], directory, environment, label } = this.options;
    const labelled = words[0] === 'ci' ? [...words, '--label', label] : words;
    const [program = '', ...first] = command;
    const env = { PATH: process.env['PATH'], HOME: join(directory, 'home'), TMPDIR: this.temporary };
    const child = spawn(program, [...first, ...labelled], {
      cwd: this.checkout,
      env: { ...env, ...environment },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    const ended = new Promise<Awaited<CiCommand['ended']>>((resolve) =>
      child.once('close', (code) => resolve({ code, console: text })),
    );
    return {
      child,
      ended,
      shows: async (pattern, timeout = 60_000) => {
        const shown = () => {
          if (child.exitCode !== null && !new RegExp(pattern, 'm').test(text))
            throw new Error(`it ended with ${child.exitCode}: ${text}`);
          return text;
        };
        await expect.poll(shown, { timeout, interval: 50 }).toMatch(new RegExp(pattern, 'm'));
      },
    };
  }

  /** Runs the command to its end. */
  run(...words: readonly string[]): CiCommand['ended'] {
    return this.start(...words).ended;
  }

  /** The result in the record. */
  result(): RunResult {
    return runResultSchema.parse(JSON.parse(this.record('run.json')));
  }

  /** The text of a file of the record. */
  record(...path: readonly string[]): string {
    return readFileSync(join(this.checkout, 'pulumi-runner', ...path), 'utf8');
  }

  /** The files and folders left in the temporary folder. */
  leftovers(): string[] {
    return existsSync(this.temporary) ? readdirSync(this.temporary) : [];
  }
}
