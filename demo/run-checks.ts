import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Check, Place } from './checks.ts';
import { readFolder } from './files.ts';
import type { JobRun } from './job-run.ts';

/** Checks that the artifact is the run directory, byte for byte. */
export async function checkArtifact(
  files: ReadonlyMap<string, Buffer>,
  runDirectory: string,
): Promise<Check> {
  const kept = runDirectory === '' ? new Map<string, Buffer>() : await readFolder(runDirectory);
  const names = [...new Set([...kept.keys(), ...files.keys()])];
  const different = names.filter(
    (name) => !(kept.get(name)?.equals(files.get(name) ?? Buffer.alloc(0)) ?? false),
  );
  return {
    title: `The artifact holds the ${kept.size} files of the run directory, byte for byte`,
    problems: [
      ...(files.size > 0 ? [] : ['there is no artifact, or it is empty']),
      ...different.map((name) => `${name} is not the same in both`),
    ],
  };
}

/** Checks that nothing of the job is left, no process, Docker object or temporary file, and that post succeeded. */
export function checkLeftovers(job: JobRun, objects: readonly string[]): Check {
  const files = [...job.remains.keys()].filter((name) => !isExpected(name));
  const container = job.container?.id.slice(0, 12) ?? 'of the job';
  return {
    title: `Container ${container} is gone, and no process, network, volume or temporary file is left`,
    problems: [
      ...(job.container === undefined
        ? ['no container with the run’s label was seen while the job ran']
        : []),
      ...objects.map((object) => `${object} is left`),
      ...job.orphans.map(({ pid, command }) => `process ${pid} is left: ${command.join(' ')}`),
      ...files.map((name) => `file ${name} is left`),
      ...(job.post?.exitCode === 0 ? [] : [`post ended with exit code ${job.post?.exitCode ?? 'none'}`]),
    ],
  };
}

/** Whether the file may stay until the CI job ends: files of the run directory, and the runner's own. */
function isExpected(name: string): boolean {
  return /^pulumi-runner-[^/]+\/run\//u.test(name) || name.startsWith('_runner_file_commands/');
}

/** All places that people or programs outside the job can read. */
export function placesOf(job: JobRun, files: ReadonlyMap<string, Buffer>, deployment: Deployment): Place[] {
  const phases = [job.main, ...(job.post === undefined ? [] : [job.post])];
  return [
    ...phases.flatMap(({ phase, raw, outputs, summary }) => [
      // The output before GitHub masks it; add-mask commands necessarily carry the secrets.
      { name: `${phase}'s console`, text: withoutMasks(raw.stdout) + withoutMasks(raw.stderr) },
      { name: `${phase}'s outputs`, text: JSON.stringify(outputs) },
      { name: `${phase}'s summary`, text: summary },
    ]),
    ...[...files].map(([name, content]) => ({
      name: `the artifact's ${name}`,
      text: content.toString('utf8'),
    })),
    ...[...job.remains].map(([name, content]) => ({
      name: `the file ${name}`,
      text: content.toString('latin1'),
    })),
    ...deployment.steps.map(({ index, lines }) => ({
      name: `step ${index}'s log in Pulumi Cloud`,
      text: lines.map(({ l }) => l).join(''),
    })),
    { name: 'docker inspect', text: job.container?.inspection ?? '' },
  ];
}

function withoutMasks(output: Buffer): string {
  return output
    .toString('utf8')
    .split('\n')
    .filter((line) => !line.startsWith('::add-mask::'))
    .join('\n');
}
