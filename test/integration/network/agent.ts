import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type RunResult, runResultSchema } from '../../../src/record/schema.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const ENTRY = fileURLToPath(new URL('../../../src/cli/index.ts', import.meta.url));

export interface AgentRun {
  readonly code: number | null;
  readonly result: RunResult;
  /** What it said on stderr. */
  readonly log: string;
  /** Everything that it left in its run directory, one after the other. */
  readonly record: string;
}

/** Runs the agent's sources as a command, one job or one poll long, in the network namespace if one is named. */
export async function runAgent(environment: Readonly<Record<string, string>>, namespace?: string): Promise<AgentRun> {
  const home = await temporaryDirectory();
  const directory = join(home, 'run');
  const inside = namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace];
  const [program = '', ...args] = [
    ...inside,
    process.execPath,
    ENTRY,
    'run',
    '--single-run',
    '--run-directory',
    directory,
  ];
  const child = spawn(program, args, {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PULUMI_AGENT_MAX_WAIT: '0s',
      PULUMI_AGENT_HTTP_SERVER_PORT: '0',
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_REQUEST_RETRY_COUNT: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killed = setTimeout(() => child.kill('SIGKILL'), 45_000);
  try {
    const [log, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
    const result = runResultSchema.parse(JSON.parse(await readFile(join(directory, 'run.json'), 'utf8')));
    return { code: code as number | null, result, log, record: (await Promise.all(texts)).join('\n') };
  } finally {
    clearTimeout(killed);
  }
}
