import { z } from 'zod';
import { about, type KeyTable, kind, listOf } from '../key-definition.ts';
import { boolean, filePath, off, oneOf, publicKey, urlOf } from '../kinds.ts';

/** As in semver.org, without build metadata; a leading `v` is dropped. */
const version = kind(
  'version',
  z
    .string()
    .regex(/^v?\d+\.\d+\.\d+(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$/, {
      error: ({ input }) =>
        input === 'latest'
          ? '"latest" changes over time; name one version, such as 2.2.0'
          : about('is not an exact version such as 2.2.0').error({ input }),
    })
    .transform((text) => text.replace(/^v/, ''))
    .meta({ pattern: '^v?[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$' }),
);

/** As GitHub's page of a release shows it, with or without its `sha256:`. */
const digests = listOf(
  z
    .string()
    .regex(
      /^(linux|darwin)-(x64|arm64)=(sha256:)?[0-9a-f]{64}$/,
      about('is not like linux-x64=<SHA-256 in hexadecimal>'),
    ),
);

/**
 * Our keys for the program that claims and runs deployments, and for where Pulumi's own agent comes
 * from.
 */
export const ENGINE_KEYS = {
  engine: {
    key: 'engine',
    kind: oneOf('own', 'pulumi'),
    default: 'own',
    help: "Program that claims and runs deployments: this agent, or Pulumi's own, downloaded and supervised.",
  },
  engineVersion: {
    key: 'engine_version',
    kind: version,
    // Pinned only here: the newest release whose archive, signature and pods were checked. 2.3.0 is known from Pulumi's pages alone.
    default: '2.2.0',
    help: "Version of Pulumi's own agent.",
  },
  enginePath: {
    key: 'engine_path',
    kind: filePath,
    unsetMeans: 'downloaded and verified',
    help: "Folder where Pulumi's own agent is already installed; its files are not verified.",
  },
  engineDownloadUrl: {
    key: 'engine_download_url',
    kind: urlOf('https://mirror.example.com/agent'),
    default: 'https://github.com/pulumi/customer-managed-workflow-agent/releases/download',
    help: "Address of the releases of Pulumi's own agent, each in a folder v<version>.",
  },
  enginePublicKey: {
    key: 'engine_public_key',
    kind: publicKey,
    unsetMeans: "Pulumi's",
    help: 'Public key that verifies the checksums of a release, for a mirror that signs them itself.',
  },
  engineDigest: {
    key: 'engine_digest',
    kind: digests,
    unsetMeans: 'any digest in the signed checksums',
    help: "SHA-256 that the release's archive must also have, one per platform, such as linux-x64=<hex>.",
  },
  engineRelay: {
    key: 'engine_relay',
    kind: boolean,
    default: 'true',
    help: "Route the API calls of Pulumi's own agent through this agent, which reads steps and logs from them.",
  },
  engineRecord: {
    key: 'engine_record',
    ...off,
    help: 'Record these calls, redacted, as wire.ndjson in the run directory.',
  },
} as const satisfies KeyTable;
