import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM_NAMES, type ProgramName } from './job.ts';
import { tellStory } from './story.ts';

/** Shows the main job in less than a minute, on this machine alone. scripts/demo prepares it and picks the program. */

const DEADLINE_MS = 10 * 60_000;
const repository = dirname(dirname(fileURLToPath(import.meta.url)));

const { values } = parseArgs({
  options: {
    program: { type: 'string' },
    image: { type: 'string' },
    'pull-image': { type: 'boolean', default: false },
    action: { type: 'string', default: repository },
    artifact: { type: 'string', default: join(repository, '.cache', 'demo', 'artifact') },
  },
});
const { program, image } = values;
if (!PROGRAM_NAMES.includes(program as ProgramName) || image === undefined) {
  console.error(
    `usage: demo.ts --program ${PROGRAM_NAMES.join('|')} --image REFERENCE [--pull-image] [--action DIRECTORY]`,
  );
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
// A reader such as `head` may close the pipe: cancel the job and clean everything up.
process.stdout.on('error', () => interrupted.abort());
try {
  const isRight = await tellStory({
    program: program as ProgramName,
    image,
    pullImage: values['pull-image'],
    actionDirectory: values.action,
    artifactDirectory: values.artifact,
    summaryFile: join(dirname(values.artifact), 'summary.md'),
    dockerHost: process.env['DOCKER_HOST'],
    write: (line) => console.log(line),
    signal: AbortSignal.any([interrupted.signal, AbortSignal.timeout(DEADLINE_MS)]),
  });
  process.exitCode = isRight ? 0 : 1;
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
