import { OutcomeError } from '../../../outcome.ts';

/** The names of the programs in a release; the last one goes into job containers and is linux-x64 in every release. */
export const AGENT = 'customer-managed-workflow-agent';
export const RUNNER = 'workflow-runner';
export const EMBEDDABLE = 'workflow-runner-embeddable';
/** The one folder of an archive. */
export const ARCHIVE_FOLDER = AGENT;
/** SHA-256 digests of all files of a release, and the signature over that. */
export const CHECKSUMS = 'checksums.txt';
export const SIGNATURE = 'checksums.txt.sig';
/** The most that the files of a release may have. */
export const LARGEST_BYTES = { checksums: 64 * 1024, signature: 4 * 1024, archive: 512 * 1024 ** 2 } as const;

/** One file of a release, for one kind of machine. */
export interface Release {
  /** Without a `v` in front. */
  readonly version: string;
  /** `linux-x64`. */
  readonly platform: string;
  /** The archive's name, which holds version and platform: checksums of another release don't name it. */
  readonly archive: string;
  /** Where its files lie, without a slash at the end. */
  readonly url: string;
}

/** What Node calls the machines that releases are made for. */
const PLATFORMS: readonly string[] = ['linux', 'darwin'];
const ARCHITECTURES: readonly string[] = ['x64', 'arm64'];

export interface ReleaseOptions {
  readonly version: string;
  readonly downloadUrl: string;
  /** As `process.platform` and `process.arch`. */
  readonly platform: string;
  readonly arch: string;
}

/** Names the release for a machine. Throws OutcomeError `config-error` for one that Pulumi makes none for. */
export function releaseFor({ version, downloadUrl, platform, arch }: ReleaseOptions): Release {
  if (!PLATFORMS.includes(platform) || !ARCHITECTURES.includes(arch)) {
    const message = `Failed to find Pulumi's agent for the run: there is none for ${platform}-${arch}, only for Linux and macOS on x64 and arm64. Run on such a machine, or set engine to own.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-ENGINE-01' });
  }
  const machine = `${platform}-${arch}`;
  return {
    version,
    platform: machine,
    archive: `${AGENT}-v${version}-${machine}.tar.gz`,
    url: `${downloadUrl}/v${version}`,
  };
}
