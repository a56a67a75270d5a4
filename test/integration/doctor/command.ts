import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import {
  type DoctorCheck,
  type DoctorReport,
  doctorReportSchema,
} from '../../../src/record/doctor-report.ts';
import { temporaryDirectory as folder } from '../../support/run/temporary-directory.ts';

const AGENT = join(import.meta.dirname, '../../../src/cli/index.ts');

export { folder };

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** HOME and current directory; a fresh folder when absent. */
  readonly home?: string;
  readonly input?: string;
  /** The network namespace to run in. */
  readonly namespace?: string;
}

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the agent from its sources; `printed` waits for text on its stdout. Killed when the running test is over. */
export async function start(args: readonly string[], options: CommandOptions = {}) {
  const home = options.home ?? (await folder());
  const inside = options.namespace === undefined ? [] : ['ip', 'netns', 'exec', options.namespace];
  const [program = '', ...words] = [...inside, process.execPath, AGENT, ...args];
  const child = spawn(program, words, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, ...options.environment },
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += String(chunk);
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts }));
  const printed = (text: string) => expect.poll(() => texts.stdout, { timeout: 60_000 }).toContain(text);
  return { child, ended, printed };
}

/** Runs the agent until it exits. */
export async function run(args: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> {
  return (await start(args, options)).ended;
}

export interface Diagnosis extends DoctorReport {
  /** The check with this ID. */
  of(id: string): DoctorCheck;
  /** The IDs of the checks with this status. */
  having(status: DoctorCheck['status']): string[];
}

/** Runs `doctor --json` in this process and reads what it prints. */
export async function diagnose(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  options: Omit<CommandOptions, 'environment'> = {},
): Promise<Diagnosis> {
  const { code, stdout, stderr } = await here(['doctor', '--json', ...args], { ...options, environment });
  if (stderr !== '' || stdout === '') throw new Error(`doctor said: ${stdout}${stderr}`);
  const report = doctorReportSchema.strict().parse(JSON.parse(stdout));
  if (report.exitCode !== code) throw new Error(`doctor ended with ${code}, not with ${report.exitCode}`);
  return {
    ...report,
    of: (id) => {
      const found = report.checks.find((check) => check.id === id);
      if (found === undefined) throw new Error(`there is no check ${id} in ${stdout}`);
      return found;
    },
    having: (status) => report.checks.filter((check) => check.status === status).map(({ id }) => id),
  };
}

/** Writes a file to a fresh folder and returns its path. */
export async function fileWith(text: string, name = 'file'): Promise<string> {
  const path = join(await folder(), name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** Runs a command in this process, which is faster than starting another. */
export async function here(argv: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> {
  const home = options.home ?? (await folder());
  const texts = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
  const stdin = Readable.from([Buffer.from(options.input ?? '')]);
  const streams = { stdin, stdout: stream('stdout'), stderr: stream('stderr') };
  const code = await main({
    argv,
    environment: { PATH: process.env['PATH'], HOME: home, ...options.environment },
    workingDirectory: home,
    agentDirectory: home,
    exit: () => undefined,
    process: Object.assign(new EventEmitter(), streams) as unknown as NodeJS.Process,
  });
  return { code, ...texts };
}
