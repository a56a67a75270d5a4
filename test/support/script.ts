import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** How a script ended and all it printed. */
export interface ScriptResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one of the project's scripts to its end.
 * @param name file in scripts/
 * @param signal kills the script's own process when aborted
 */
export async function runScript(name: string, args: readonly string[], signal?: AbortSignal): Promise<ScriptResult> {
  const file = fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], signal, killSignal: 'SIGTERM' });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Runs a script that has to succeed, and returns its standard output. */
export async function scriptOutput(name: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const { code, stdout, stderr } = await runScript(name, args, signal);
  if (code !== 0) throw new Error(`Failed to run scripts/${name}: exit code ${code}. ${(stderr || stdout).trim()}`);
  return stdout;
}
