import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type EngineProgram, type EngineSettings, engineProgram } from '../../../src/engines/pulumi/release/program.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';
import { type MirrorOptions, startMirror } from './mirror.ts';
import { programs, signedRelease, type TestKey, testKey } from './release.ts';

/** A signed release, a home directory, and what becomes of them. */
export interface EngineScene {
  readonly home: string;
  /** What the agent finds in its environment; to be added to. */
  readonly environment: Record<string, string | undefined>;
  readonly version: string;
  readonly key: TestKey;
  readonly canary: string;
  /** Of the release, by name. */
  readonly files: Map<string, Buffer>;
  /** What was logged, warnings alone. */
  readonly warnings: string[];
  /** The folder where a release is kept. */
  readonly kept: string;
  mirror(options?: Partial<MirrorOptions> & { readonly as?: string }): ReturnType<typeof startMirror>;
  /** Gets the program from `url`. */
  get(url: string, settings?: Partial<EngineSettings>, signal?: AbortSignal): Promise<EngineProgram>;
  /** Resolves once a download has stored so many bytes. */
  stored(bytes: number): Promise<void>;
  /** True once any program of a release has run. */
  hasRun(): boolean;
}

export async function engineScene(version = '2.2.0'): Promise<EngineScene> {
  const home = await temporaryDirectory();
  const [canary, key] = [join(home, 'canary'), testKey()];
  const files = await signedRelease(version, programs(version, canary), key);
  const warnings: string[] = [];
  const environment: EngineScene['environment'] = { HOME: home, PATH: process.env['PATH'] };
  return {
    ...{ home, environment, version, key, canary, files, warnings },
    kept: join(home, `.cache/pulumi-runner-agent/engines/kept/v${version}-${process.platform}-${process.arch}`),
    mirror: ({ as = version, files: other = files, ...options } = {}) =>
      startMirror({ files: new Map([...other].map(([name, file]) => [`/v${as}/${name}`, file])), ...options }),
    get: (engineDownloadUrl, settings = {}, signal = new AbortController().signal) =>
      engineProgram(
        {
          engineVersion: version,
          engineDownloadUrl,
          enginePublicKey: key.publicKey,
          requestTimeoutMs: 5_000,
          ...settings,
        },
        {
          environment,
          signal,
          log: (level, message) => void (level === 'warning' && warnings.push(message)),
        },
      ),
    stored: (bytes) => {
      const runs = join(home, '.cache/pulumi-runner-agent/engines/runs');
      const sizes = () =>
        readdirSync(runs, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(runs, name)).size);
      return vi.waitFor(() => expect(sizes()).toContain(bytes), { timeout: 20_000, interval: 10 });
    },
    hasRun: () => existsSync(canary),
  };
}
