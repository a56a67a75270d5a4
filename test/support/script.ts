import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** How a script ended and all it printed. */
export interface ScriptResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of the project's scripts, a file in scripts/, to its end. */
export function runScript(name: string, args: readonly string[]): Promise<ScriptResult> {
  return runFile(fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url)), args);
}

/** Runs a program to its end, with this process's environment by default. */
export async function runFile(
  file: string,
  args: readonly string[],
  env = process.env,
): Promise<ScriptResult> {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  const [[code], stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** The path of a program of the table in scripts/programs, which is there before any test runs. */
export const programPath = async (name: string): Promise<string> =>
  (await scriptOutput('programs', [name])).trim();

/** Runs a script that must succeed, and returns its standard output. */
export async function scriptOutput(name: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runScript(name, args);
  if (code !== 0)
    throw new Error(`Failed to run scripts/${name}: exit code ${code}. ${(stderr || stdout).trim()}`);
  return stdout;
}
