import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FetchOptions, fetchRelease } from './fetch.ts';
import { missingEmbeddable, type Programs, programsIn } from './installed.ts';
import { releaseKey } from './public-key.ts';
import { type ReleaseSettings, type ReleaseSources, releaseFor } from './release.ts';
import { keptAs, openStore, privateFolder, removeFiles } from './store.ts';
import { unpack } from './unpack.ts';
import { versionOf } from './version.ts';

/** Pulumi's agent, ready to start. Disposal removes what was unpacked for this run. */
export interface EngineProgram extends Programs, AsyncDisposable {
  /** Without a leading `v`; `unknown` if the one in `engine_path` doesn't say. */
  readonly version: string;
}

/**
 * Pulumi's agent as configured: the one in `engine_path` unchanged, or the release, verified and
 * unpacked into this run's private folder. Throws OutcomeError `config-error` or `target-error`,
 * and the signal's reason.
 */
export async function engineProgram(
  config: ReleaseSettings,
  sources: ReleaseSources,
): Promise<EngineProgram> {
  const { log, signal, environment } = sources;
  if (config.enginePath === undefined) return downloadedProgram(config, sources);
  const programs = await programsIn(config.enginePath);
  const lack = missingEmbeddable(programs);
  if (lack !== undefined) log('warning', lack);
  const version = await versionOf(programs.agent, { environment, signal });
  return { ...programs, version, [Symbol.asyncDispose]: async () => undefined };
}

/** Downloads a release or uses the kept one, verifies it, and unpacks it into this run's folder. */
async function downloadedProgram(config: ReleaseSettings, sources: ReleaseSources): Promise<EngineProgram> {
  const { signal, log } = sources;
  await using resources = new AsyncDisposableStack();
  const prepared = await prepare(config, sources, resources);
  const { release, folder } = prepared;
  const origin = await fetchRelease(prepared);
  const directory = await unpack(join(folder, release.archive), folder, signal);

  await removeFiles(release, folder);

  const programs = await programsIn(directory);
  log('info', `Pulumi's agent ${release.version} for ${release.platform}: ${origin}.`);

  const kept = resources.move();
  return { ...programs, version: release.version, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/**
 * Fetches, verifies and keeps a release without unpacking it. Returns a sentence. Throws as
 * `engineProgram` does.
 */
export async function installRelease(config: ReleaseSettings, sources: ReleaseSources): Promise<string> {
  await using resources = new AsyncDisposableStack();
  const prepared = await prepare(config, sources, resources);
  const { release, store } = prepared;
  const origin = await fetchRelease(prepared);
  return `Pulumi's agent ${release.version} for ${release.platform} is in ${keptAs(store, release)}: ${origin}.`;
}

/** Everything that fetching a release requires, and a private folder, which `resources` removes. */
async function prepare(
  config: ReleaseSettings,
  sources: ReleaseSources,
  resources: AsyncDisposableStack,
): Promise<FetchOptions> {
  const { engineVersion: version, engineDownloadUrl: downloadUrl, caCertificate, requestTimeoutMs } = config;
  const key = releaseKey(config.enginePublicKey);
  const machine = `${process.platform}-${process.arch}`;
  const release = releaseFor(version, downloadUrl, machine, config.engineDigest);

  sources.signal.throwIfAborted();

  const store = await openStore(sources.environment);
  const folder = await privateFolder(store);
  resources.defer(() => rm(folder, { recursive: true, force: true }));

  return { ...sources, release, key, store, folder, caCertificate, requestTimeoutMs };
}
