import type { EventEmitter } from 'node:events';
import { readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { sharedSteady } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { messageOf } from '../../base/outcome.ts';
import { ownOwner } from '../../base/owner.ts';
import { post } from '../finish.ts';
import { main } from '../step.ts';
import { type CiPlaces, createCiFolder, isOwnFolder, placesOf } from './ci-folder.ts';
import { type CiFlags, ciFlagsSchema, readCiSettings, readFinishSettings } from './ci-settings.ts';
import type { CiJob, CiStep, CiSystem } from './ci-system.ts';
import { flaggedIdentity } from './identity.ts';
import { detectSystem } from './systems.ts';
import { terminalHost } from './terminal/host.ts';

/** The process of a command. */
interface CommandProcess {
  readonly environment: Environment;
  readonly workingDirectory: string;
  /** The script of this program, which it starts as the agent; absent for a single file. */
  readonly script: string | undefined;
  readonly process: EventEmitter & {
    readonly execPath: string;
    readonly stdout: Writable & { readonly isTTY?: boolean };
  };
}

/** The name under which `ci` keeps its command line for `finish`. */
const FLAGS = 'command-line';

/**
 * `pulumi-runner-agent ci`: serves one workflow as a step of a CI job. Returns the exit code of its
 * outcome. Never throws.
 */
export async function ci(surroundings: CommandProcess & { readonly command: CiFlags }): Promise<number> {
  const flags = ciFlagsSchema.parse(surroundings.command);
  const { host, ...sources } = open(surroundings, locate(surroundings), flags);

  let runDirectory: string | undefined;

  const createFolder = async () => {
    const folder = await createCiFolder(sources.step);
    runDirectory = folder.runDirectory;
    host.keep(FLAGS, JSON.stringify(flags));
    return folder;
  };

  const exitCode = await main(host, createFolder, ({ idTokenFile }) => readCiSettings(sources, idTokenFile));

  // A run that did not begin has no record: a folder with one can't be removed like this.
  if (runDirectory !== undefined) await rmdir(runDirectory).catch(() => undefined);

  return exitCode;
}

/**
 * `pulumi-runner-agent finish`: ends what an interrupted `ci` of the same CI job left. Returns 0.
 * Never throws.
 */
export async function finish(surroundings: CommandProcess): Promise<number> {
  const { stdout } = surroundings.process;

  try {
    const located = locate(surroundings);

    if (!(await isOwnFolder(located.folder))) {
      stdout.write('There is nothing to finish.\n');
      return 0;
    }

    const flags = ciFlagsSchema.parse(JSON.parse(await readFile(join(located.folder, FLAGS), 'utf8')));
    const { host, ...sources } = open(surroundings, located, flags);
    await post(host, readFinishSettings(sources));
  } catch (error) {
    stdout.write(`${plainText(`Failed to finish the run after its step: ${messageOf(error)}`, 2_000)}\n`);
  }

  return 0;
}

interface Located extends CiPlaces {
  readonly system: CiSystem;
  readonly job: CiJob;
}

/** Recognizes the CI system and its job. */
function locate(surroundings: CommandProcess): Located {
  const system = detectSystem(surroundings.environment);
  const job = system.job(surroundings.environment);
  return { system, job, ...placesOf(system, job, surroundings) };
}

/** Makes the host of this process, with the flags of `ci`. */
function open(surroundings: CommandProcess, { system, job: found, ...places }: Located, flags: CiFlags) {
  const { environment, process, workingDirectory, script } = surroundings;
  const { cancelWindowMs: jobMs = found.cancelWindow.jobMs, identity } = flags;
  const job = { ...found, cancelWindow: { ...found.cancelWindow, jobMs } };

  const step: CiStep = {
    ...places,
    owner: ownOwner(),
    ...signalsOf(process, job.cancelWindow.mode),
    now: () => Date.now(),
    steady: sharedSteady,
    environment,
    stdout: process.stdout,
    workingDirectory,
    job,
  };

  // Without a reader of the console, the run still ends gracefully and leaves its record.
  process.stdout.on('error', () => undefined);

  const dialect = system.dialect(step);
  const identityToken = flaggedIdentity(identity, environment) ?? dialect.identityToken;

  return {
    step,
    host: terminalHost(step, { ...dialect, ...defined({ identityToken }) }),
    agent: { nodePath: process.execPath, script, directory: workingDirectory },
    flags,
    hasIdentity: identityToken !== undefined,
  };
}

/**
 * The first SIGINT or SIGTERM interrupts; where main stays, only the second cancels. SIGHUP, by
 * which a CI system or a terminal that is gone ends its programs, does both at once.
 */
function signalsOf(process: EventEmitter, mode: 'leave' | 'stay') {
  const [interruption, cancellation] = [new AbortController(), new AbortController()];

  const onSignal = (signal: string) => {
    const reason = new Error(`The CI job was cancelled (${signal}).`);
    if (mode === 'leave' || signal === 'SIGHUP' || interruption.signal.aborted) cancellation.abort(reason);
    interruption.abort(reason);
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  return { interrupted: interruption.signal, cancelled: cancellation.signal };
}
