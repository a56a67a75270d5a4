import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { type EngineProgram, engineProgram } from '../../../src/pulumi-agent/release/program.ts';
import type { ReleaseSettings } from '../../../src/pulumi-agent/release/release.ts';
import { ScriptedServer } from '../cloud/scripted-server.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';
import { archiveName, type Entry, programs, signedRelease, testKey } from './release.ts';

/** What goes wrong with a mirror's archives. */
interface Faults {
  readonly version?: string;
  /** Bytes after which each of the first answers is cut, once the download has stored them. */
  readonly cuts?: readonly number[];
  /** Bytes after which the first answer stalls, its connection still open. */
  readonly stallAfter?: number;
  /** Answers each request with the whole file. */
  readonly withoutRanges?: boolean;
}

/** For `get`: an address where nothing listens. */
export const OFFLINE = { engineDownloadUrl: 'http://127.0.0.1:1' };

export type EngineScene = Awaited<ReturnType<typeof engineScene>>;

/** A signed release on a mirror, and a home directory for it. */
export async function engineScene({
  version = '2.2.0',
  cuts = [],
  stallAfter,
  withoutRanges = false,
}: Faults = {}) {
  const home = await temporaryDirectory();
  const [canary, key] = [join(home, 'canary'), testKey()];
  const files = await signedRelease(version, programs(version, canary), key);
  const warnings: string[] = [];
  const environment: Record<string, string | undefined> = { HOME: home, PATH: process.env['PATH'] };
  const store = join(home, '.cache/pulumi-runner-agent/engines');
  const runs = join(store, 'runs');
  const isStored = (bytes: number) => {
    const sizes = () =>
      readdirSync(runs, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(runs, name)).size);
    return vi.waitFor(() => expect(sizes()).toContain(bytes), { timeout: 20_000, interval: 10 });
  };
  const [left, stalls] = [[...cuts], stallAfter === undefined ? [] : [stallAfter]];
  // It resumes a download as RFC 9110 says (sections 13.1.5 and 14.2).
  const mirror = await ScriptedServer.start(({ path, headers }) => {
    const file = files.get(path.replace(`/v${version}/`, ''));
    if (file === undefined) return { status: 404, text: 'Not Found' };
    const etag = `"${hash('sha256', file)}"`;
    const [, from = '0'] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    const continues = !withoutRanges && headers.range !== undefined && headers['if-range'] === etag;
    const start = continues ? Number(from) : 0;
    const [cut, stall] = path.endsWith('.tar.gz') ? [left.shift(), stalls.shift()] : [];
    return (response) => {
      response.writeHead(continues ? 206 : 200, {
        'content-length': file.length - start,
        etag,
        ...(continues && { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` }),
      });
      if (stall !== undefined) response.write(file.subarray(0, stall));
      else if (cut === undefined) response.end(file.subarray(start));
      else {
        response.write(file.subarray(start, start + cut));
        void isStored(start + cut).finally(() => response.destroy());
      }
    };
  });
  const { url } = mirror;
  return {
    home,
    /** The agent's environment; tests may add to it. */
    environment,
    version,
    key,
    canary,
    /** The release's files by name, as the mirror has them. */
    files,
    mirror,
    /** The logged warnings. */
    warnings,
    /** Where releases are unpacked, each for one run. */
    runs,
    /** The folder where the release is kept. */
    kept: join(store, `kept/v${version}-${process.platform}-${process.arch}`),
    /** The settings of an agent that downloads the release. */
    settings: {
      PULUMI_AGENT_ENGINE: 'pulumi',
      PULUMI_AGENT_SINGLE_RUN: 'true',
      PULUMI_AGENT_ENGINE_VERSION: version,
      PULUMI_AGENT_ENGINE_DOWNLOAD_URL: url,
      PULUMI_AGENT_ENGINE_PUBLIC_KEY: key.publicKey,
    },
    /** Replaces the mirror's release with one of these entries, signed with the same key. */
    sign: async (entries: readonly Entry[]) => {
      for (const [name, file] of await signedRelease(version, entries, key)) files.set(name, file);
    },
    /** Gets the program, from the mirror unless the settings say otherwise. */
    get: (
      settings: Partial<ReleaseSettings> = {},
      signal = new AbortController().signal,
    ): Promise<EngineProgram> =>
      engineProgram(
        {
          engineVersion: version,
          engineDownloadUrl: url,
          enginePublicKey: key.publicKey,
          requestTimeoutMs: 5_000,
          ...settings,
        },
        {
          environment,
          signal,
          secrets: new Redactor(),
          log: (level, message) => void (level === 'warning' && warnings.push(message)),
        },
      ),
    /** What engine_digest says of the mirror's archive. */
    digest: () =>
      `${process.platform}-${process.arch}=${hash('sha256', files.get(archiveName(version)) ?? '')}`,
    /** True once any program of a release has run. */
    hasRun: () => existsSync(canary),
  };
}
