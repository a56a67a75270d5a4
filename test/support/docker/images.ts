import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { onTestFinished } from 'vitest';
import { scriptOutput } from '../script.ts';

export const docker = new Docker();

/** This machine's own dash, bash, coreutils and git. */
export const JOB_IMAGE = 'pulumi-runner-test/job:1';
/** A static busybox and nothing else. */
export const BUSYBOX_IMAGE = 'pulumi-runner-test/busybox:1';

/** Builds a test image unless it is up to date (which takes about 0.1 s), and returns its tag. */
export async function testImage(kind: 'job' | 'busybox'): Promise<string> {
  await scriptOutput(`${kind}-image`, []);
  return kind === 'job' ? JOB_IMAGE : BUSYBOX_IMAGE;
}

/** Builds both images unless they are up to date. */
export async function makeImages(): Promise<void> {
  await testImage('job');
  await testImage('busybox');
}

/** A unique image name. */
export function imageName(kind: string): string {
  return `pulumi-runner-test/${kind}-${process.pid}-${Math.random().toString(36).slice(2, 8)}:1`;
}

/** A container of the job image that runs `script`, until the running test is over. */
export async function runningContainer(
  script: string,
  host: Docker.HostConfig = {},
): Promise<Docker.Container> {
  const container = await docker.createContainer({
    Image: JOB_IMAGE,
    Cmd: ['sh', '-c', script],
    HostConfig: host,
  });
  onTestFinished(() => container.remove({ force: true }).catch(() => undefined));
  await container.start();
  return container;
}

/** An image of `base` after `script` ran in it, with Dockerfile lines on top, such as `USER job`. */
export async function deriveImage(
  base: string,
  { script = ':', changes = [] }: { script?: string | undefined; changes?: readonly string[] },
): Promise<string> {
  const name = imageName('derived');
  const container = await docker.createContainer({
    Image: base,
    Cmd: ['sh', '-c', script],
    NetworkDisabled: true,
  });
  try {
    await container.start();
    await container.wait();
    const [repo, tag] = name.split(':');
    await container.commit({ repo, tag, ...(changes.length > 0 && { changes: changes.join('\n') }) });
  } finally {
    await container.remove({ force: true });
  }
  return name;
}

/** An image that holds nothing but `files`. */
export async function scratchImage(
  files: readonly { path: string; mode: number; content: Buffer | string }[],
): Promise<string> {
  const name = imageName('scratch');
  const archive = pack();
  for (const { path, mode, content } of files) archive.entry({ name: path, mode }, Buffer.from(content));
  archive.finalize();
  const [repo, tag] = name.split(':');
  const stream = await docker.importImage(archive as unknown as NodeJS.ReadableStream, { repo, tag });
  stream.resume();
  await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
  return name;
}

export async function removeImage(name: string): Promise<void> {
  await docker.getImage(name).remove({ force: true });
}
