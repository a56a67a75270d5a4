import { scriptOutput } from './script.ts';

/** Images made on this machine, so that tests need no registry; each is made by scripts/<kind>-image. */
export const TEST_IMAGES = {
  /** bash, dash as sh, coreutils, git, curl, procps. */
  job: 'pulumi-runner-test/job:1',
  /** A static busybox; sh is ash; no bash, git or curl. */
  busybox: 'pulumi-runner-test/busybox:1',
  /** The job image with OpenTofu as `tofu`. */
  tofu: 'pulumi-runner-test/tofu:1',
} as const;

export type TestImage = keyof typeof TEST_IMAGES;

/** Makes a test image unless it is up to date (then about 0.1 s), and returns its tag. */
export async function testImage(kind: TestImage, signal?: AbortSignal): Promise<string> {
  await scriptOutput(`${kind}-image`, [TEST_IMAGES[kind]], signal);
  return TEST_IMAGES[kind];
}
