import { constants } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import type { Log } from '../../base/log/level.ts';
import type { SecretSink } from '../../base/log/redactor.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { type FetchOptions, fetchRelease } from './fetch.ts';
import { releaseKey } from './public-key.ts';
import { AGENT, EMBEDDABLE, type ReleaseSettings, RUNNER, releaseFor } from './release.ts';
import { folderInStore, openStore, privateFolder, removeFiles } from './store.ts';
import { unpack } from './unpack.ts';
import { versionOf } from './version.ts';

/*
 * Where the program comes from: the folder in `engine_path`, or a release (release.ts). fetch.ts gets a release's files
 * from store.ts or by download.ts, and verifies them with verify.ts and public-key.ts; unpack.ts unpacks them for the
 * run. version.ts asks a program for its version.
 */

/** Pulumi's agent, ready to start. Disposal removes what was unpacked for this run. */
export interface EngineProgram extends Programs, AsyncDisposable {
  /** Without a leading `v`; `unknown` if the one in `engine_path` doesn't say. */
  readonly version: string;
}

interface Programs {
  readonly directory: string;
  /** An absolute path. */
  readonly agent: string;
  /** False without the runner for job containers, which Pulumi's own image lacks. */
  readonly hasEmbeddable: boolean;
}

export interface ProgramSources {
  /** The agent's own environment, for proxies, certificates and the home directory. */
  readonly environment: Environment;
  readonly log: Log;
  /** Aborts the work under way; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Receives what no log may show, such as a proxy's password, before it is used. */
  readonly secrets: SecretSink;
}

/**
 * Pulumi's agent as configured: the one in `engine_path` unchanged, or the release, verified and
 * unpacked into this run's private folder. Throws OutcomeError `config-error` or `target-error`,
 * and the signal's reason.
 */
export async function engineProgram(
  config: ReleaseSettings,
  sources: ProgramSources,
): Promise<EngineProgram> {
  const { log, signal, environment } = sources;
  if (config.enginePath === undefined) return downloadedProgram(config, sources);
  const programs = await programsIn(config.enginePath);
  const warning = missingEmbeddable(programs);
  if (warning !== undefined) log('warning', warning);
  const version = await versionOf(programs.agent, { environment, signal });
  return { ...programs, version, [Symbol.asyncDispose]: async () => undefined };
}

/** Downloads a release or uses the stored one, verifies it, and unpacks it into this run's folder. */
async function downloadedProgram(config: ReleaseSettings, sources: ProgramSources): Promise<EngineProgram> {
  const { signal, log } = sources;
  await using resources = new AsyncDisposableStack();
  const fetching = await prepareFetch(config, sources, resources);
  const { release, folder } = fetching;
  const origin = await fetchRelease(fetching);
  const directory = await unpack(join(folder, release.archive), folder, signal);

  await removeFiles(release, folder);

  const programs = await programsIn(directory);
  log('info', `Pulumi's agent ${release.version} for ${release.platform}: ${origin}.`);

  const unpacked = resources.move();
  return { ...programs, version: release.version, [Symbol.asyncDispose]: () => unpacked.disposeAsync() };
}

/**
 * Fetches, verifies and stores a release without unpacking it. Returns a sentence. Throws as
 * `engineProgram` does.
 */
export async function installRelease(config: ReleaseSettings, sources: ProgramSources): Promise<string> {
  await using resources = new AsyncDisposableStack();
  const fetching = await prepareFetch(config, sources, resources);
  const { release, store } = fetching;
  const origin = await fetchRelease(fetching);
  return `Pulumi's agent ${release.version} for ${release.platform} is in ${folderInStore(store, release)}: ${origin}.`;
}

/** Everything that fetching a release requires, and a private folder, which `resources` removes. */
async function prepareFetch(
  config: ReleaseSettings,
  { environment, log, signal, secrets }: ProgramSources,
  resources: AsyncDisposableStack,
): Promise<FetchOptions> {
  const { engineVersion: version, engineDownloadUrl: downloadUrl, caCertificate, requestTimeoutMs } = config;
  const key = releaseKey(config.enginePublicKey);
  const machine = `${process.platform}-${process.arch}`;
  const release = releaseFor(version, downloadUrl, machine, config.engineDigest);

  signal.throwIfAborted();

  const store = await openStore(environment);
  const folder = await privateFolder(store);
  resources.defer(() => rm(folder, { recursive: true, force: true }));

  const downloads = { environment, caCertificate, requestTimeoutMs, log, signal, secrets };
  return { release, key, store, folder, downloads };
}

export interface ProgramFinding {
  readonly status: 'passed' | 'warning';
  readonly detail: string;
}

/** The program as a check found it. */
export interface CheckedProgram extends ProgramFinding, AsyncDisposable {
  /**
   * Runs it with the command `version`. Throws OutcomeError `target-error`, and the signal's
   * reason.
   */
  start(signal: AbortSignal): Promise<ProgramFinding>;
}

/**
 * Gets the program as a run would, and reports what is wrong with it instead of logging it. Throws
 * what `engineProgram` throws.
 */
export async function checkProgram(
  config: ReleaseSettings,
  { environment, signal, secrets }: Omit<ProgramSources, 'log'>,
): Promise<CheckedProgram> {
  const infos: string[] = [];
  const warnings: string[] = [];
  const log: Log = (level, message) => void (level === 'warning' ? warnings : infos).push(message);

  const program = await engineProgram(config, { environment, log, signal, secrets });

  const detail =
    config.enginePath === undefined ? infos.join(' ') : `installed in ${config.enginePath}, not verified`;
  const embeddable = missingEmbeddable(program) ?? foreignEmbeddable(process.platform, process.arch);
  const sentences = [...new Set([detail, ...warnings, ...(embeddable === undefined ? [] : [embeddable])])];

  return {
    status: sentences.length > 1 ? 'warning' : 'passed',
    detail: sentences.join(' '),
    start: async (startSignal) => {
      const version = await versionOf(program.agent, { environment, signal: startSignal });
      if (version === program.version) return { status: 'passed', detail: `version ${version}` };
      const expected = `it reports version ${version}, expected ${program.version}`;
      return { status: 'warning', detail: `${expected}. Compare the release with the one on GitHub.` };
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/**
 * The programs in `directory`. Throws OutcomeError `config-error` naming required ones missing or
 * not executable.
 */
async function programsIn(directory: string): Promise<Programs> {
  const agent = join(directory, AGENT);
  const checks = await Promise.all([agent, join(directory, RUNNER)].map(problemWith));
  const problems = checks.filter((problem) => problem !== undefined);

  if (problems.length > 0) {
    const message = `Failed to find Pulumi's agent for the run: ${problems.join('; ')}. Correct engine_path, or omit it to have the agent downloaded.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-ENGINE-01' });
  }

  const hasEmbeddable = (await problemWith(join(directory, EMBEDDABLE))) === undefined;
  return { directory, agent, hasEmbeddable };
}

/**
 * A sentence about the missing embeddable runner, without which jobs in Docker fail; undefined if
 * it is there.
 */
function missingEmbeddable({ directory, hasEmbeddable }: Programs): string | undefined {
  if (hasEmbeddable) return undefined;
  return `${directory} holds no ${EMBEDDABLE}, which Pulumi's agent puts into the containers of jobs in Docker: they will fail. Use the folder of a complete release.`;
}

/**
 * A sentence for a machine that can't run the runner for job containers, which releases have for
 * linux-x64 only.
 */
export function foreignEmbeddable(platform: string, arch: string): string | undefined {
  if (arch === 'x64') return undefined;
  return `The program that it puts into job containers is built for linux-x64: Docker on ${platform}-${arch} needs emulation (qemu) for it.`;
}

async function problemWith(program: string): Promise<string | undefined> {
  try {
    await access(program, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no ${program}`;
    return code === 'EACCES' ? `${program} can't be executed` : `${program}: ${messageOf(error)}`;
  }
}
