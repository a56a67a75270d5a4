import type { AgentConfig } from '../../base/config/agent-config.ts';
import { OutcomeError } from '../../base/outcome.ts';

/**
 * The names of the programs in a release; the last one runs in job containers and is linux-x64 in
 * every release.
 */
export const AGENT = 'customer-managed-workflow-agent';
export const RUNNER = 'workflow-runner';
export const EMBEDDABLE = 'workflow-runner-embeddable';

/** The only folder of an archive. */
export const ARCHIVE_FOLDER = AGENT;

/** The SHA-256 digests of all files of a release, and the signature over them. */
export const CHECKSUMS = 'checksums.txt';
export const SIGNATURE = 'checksums.txt.sig';

/** The most bytes that the files of a release may have. */
export const LARGEST_BYTES = { checksums: 64 * 1024, signature: 4 * 1024, archive: 512 * 1024 ** 2 } as const;

/** One file of a release, for one kind of machine. */
export interface Release {
  /** Without a leading `v`. */
  readonly version: string;
  /** As in `linux-x64`. */
  readonly platform: string;

  /** The archive's name, with version and platform: another release's checksums don't list it. */
  readonly archive: string;

  /** The address of its files, without a trailing slash. */
  readonly url: string;
  /** The SHA-256 in hexadecimal that engine_digest pins the archive to. */
  readonly pinnedDigest?: string | undefined;
}

/** The settings that select the program and say how to fetch it. */
export type ReleaseSettings = Pick<
  AgentConfig,
  | ('engineVersion' | 'enginePath' | 'engineDownloadUrl' | 'enginePublicKey' | 'engineDigest')
  | ('caCertificate' | 'requestTimeoutMs')
>;

/** The machines that releases are made for, by Node's names. */
const MACHINES: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/**
 * The release for a machine, such as `linux-x64`; `digests` are like `linux-x64=<SHA-256>`. Throws
 * OutcomeError `config-error` if Pulumi makes none, or `digests` lack it.
 */
export function releaseFor(
  version: string,
  downloadUrl: string,
  machine: string,
  digests?: readonly string[],
): Release {
  if (!MACHINES.includes(machine)) {
    const message = `Failed to find Pulumi's agent for the run: there is none for ${machine}, only for Linux and macOS on x64 and arm64. Run on such a machine, or set engine to own.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-ENGINE-01' });
  }

  return {
    version,
    platform: machine,
    archive: `${AGENT}-v${version}-${machine}.tar.gz`,
    url: `${downloadUrl}/v${version}`,
    pinnedDigest: digests === undefined ? undefined : digestFor(machine, digests),
  };
}

function digestFor(machine: string, digests: readonly string[]): string {
  const [digest, ...others] = digests.filter((each) => each.startsWith(`${machine}=`));
  if (digest !== undefined && others.length === 0) return digest.slice(-64);
  const number = digest === undefined ? 'no digest' : 'more than one digest';
  const message = `Failed to find Pulumi's agent for the run: engine_digest names ${number} for ${machine}. Name one, or omit engine_digest.`;
  throw new OutcomeError('config-error', message, { code: 'PRA-ENGINE-01' });
}
