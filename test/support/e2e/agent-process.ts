import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const AGENT = join(import.meta.dirname, '../../../dist/agent/index.js');

export interface AgentProcessOptions {
  /** The built agent by default. */
  readonly program?: string;
  readonly command?: string;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** HOME, and where run directories go by default. */
  readonly home: string;
}

export interface AgentProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Resolves with the match as soon as stderr has it; rejects if the agent ends first. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts the built agent as a command, as systemd or another CI does. */
export function startAgent({
  program = AGENT,
  command = 'run',
  home,
  ...options
}: AgentProcessOptions): AgentProcess {
  const child = spawn(process.execPath, [program, command, ...(options.arguments ?? [])], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += String(chunk);
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Awaited<AgentProcess['ended']>>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, ...texts });
      for (const look of waiting) look();
    });
  });
  return {
    child,
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(texts.stderr);
          if (match !== null) resolve(match);
          else if (child.exitCode !== null)
            reject(new Error(`the agent ended without saying ${pattern}: ${texts.stderr}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}
