import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runResultSchema } from '../../../src/record/schema.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { run } from '../doctor/command.ts';

/** Runs the agent from its sources in the network namespace, for one job or one poll. */
export async function runAgent(environment: Readonly<Record<string, string>>, namespace: string) {
  const home = await temporaryDirectory();
  const directory = join(home, 'run');
  const settings = {
    PULUMI_AGENT_MAX_WAIT: '0s',
    PULUMI_AGENT_HTTP_SERVER_PORT: '0',
    PULUMI_AGENT_PULL_IMAGE: 'false',
    PULUMI_AGENT_REQUEST_RETRY_COUNT: '0',
    ...environment,
  };
  const words = ['run', '--single-run', '--run-directory', directory];
  const { code, stderr: log } = await run(words, { home, environment: settings, namespace });
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
  const result = runResultSchema.parse(JSON.parse(await readFile(join(directory, 'run.json'), 'utf8')));
  // `record` is every file in the run directory, one after the other.
  return { code, result, log, record: (await Promise.all(texts)).join('\n') };
}
