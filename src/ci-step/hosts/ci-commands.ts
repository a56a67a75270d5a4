import type { EventEmitter } from 'node:events';
import { readFile, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { z } from 'zod';
import { sharedSteady } from '../../base/clock.ts';
import { credentialClause } from '../../base/config/cross-checks.ts';
import { ConfigError } from '../../base/config/problem.ts';
import { type Environment, setVariables, WITHHELD } from '../../base/environment.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { messageOf } from '../../base/outcome.ts';
import { ownOwner } from '../../base/owner.ts';
import { type AgentProgram, ownEngine } from '../engine.ts';
import { type PostSettings, post } from '../finish.ts';
import {
  type ArtifactSettings,
  CI_DEFAULTS,
  graceWarning,
  readAgentSettings,
  readStepConfigFile,
  type SettingTexts,
  type StepSettings,
  settingVariables,
} from '../settings.ts';
import { main } from '../step.ts';
import { azure } from './azure/azure.ts';
import { buildkite } from './buildkite/buildkite.ts';
import type { CiPhase, CiSystem } from './ci-system.ts';
import { gitlab } from './gitlab/gitlab.ts';
import { idTokenFromFlags } from './id-token-sources.ts';
import { jenkins } from './jenkins/jenkins.ts';
import { createJobFolders, isOwnDirectory, stateDirectoryOf } from './state-directory.ts';
import { terminal } from './terminal/terminal.ts';
import { terminalHost } from './terminal-host.ts';

/** The CI systems that `ci` knows, except `terminal`, which is any other. */
const SYSTEMS: readonly CiSystem[] = [gitlab, buildkite, azure, jenkins];

/** The CI system of this process, by its variables. */
export function detectSystem(environment: Environment): CiSystem {
  return SYSTEMS.find((system) => system.detects(environment)) ?? terminal;
}

const texts = z.record(z.string(), z.string());

const ciFlagsSchema = z.object({
  file: z.string().optional(),
  defaults: texts,
  overrides: texts,
  labels: texts,
  identity: z.object({ variable: z.string().optional(), command: z.string().optional() }),
  onNoWork: z.enum(['succeed', 'warn', 'fail']),
  doctor: z.boolean(),
  cancelWindowMs: z.number().optional(),
});

const NAME_IDENTITY =
  "to sign in with the CI job's own ID token, name its source with --identity-token-env NAME or --identity-token-command CMD";

/** The command line of `ci`, which it leaves for `finish`. */
export type CiFlags = z.infer<typeof ciFlagsSchema>;

/** The text of that command line in the state directory. */
const FLAGS_FILE = 'command-line';

/** The record is a folder of the checkout; where the CI system keeps files, it gets that folder. */
const ARTIFACT: ArtifactSettings = { upload: 'always' };

/** The process of a command. */
interface CommandProcess {
  readonly environment: Environment;
  readonly workingDirectory: string;
  /** The script of this program, which it starts as the agent; undefined for a single file. */
  readonly script: string | undefined;
  readonly process: EventEmitter & {
    readonly execPath: string;
    readonly stdout: Writable & { readonly isTTY?: boolean };
  };
}

/**
 * `pulumi-runner-agent ci`: serves one deployment as a step of a CI job. Returns the exit code of its
 * outcome. Never throws.
 */
export async function ci(commandProcess: CommandProcess & { readonly command: CiFlags }): Promise<number> {
  const flags = ciFlagsSchema.parse(commandProcess.command);
  const { host, sources, hasIdToken } = openPhase(commandProcess, locate(commandProcess), flags);

  let runDirectory: string | undefined;

  const createFolder = async () => {
    const folder = await createJobFolders(sources.phase);
    runDirectory = folder.runDirectory;
    host.saveText(FLAGS_FILE, JSON.stringify(flags));
    return folder;
  };

  const exitCode = await main(host, createFolder, ({ idTokenFile }) =>
    readCiSettings(sources, hasIdToken ? idTokenFile : undefined),
  );

  // A run that did not begin has no record: a folder with one can't be removed like this.
  if (runDirectory !== undefined) await rmdir(runDirectory).catch(() => undefined);

  return exitCode;
}

/**
 * `pulumi-runner-agent finish`: ends the run that an interrupted `ci` of the same CI job left. Returns
 * 0. Never throws.
 */
export async function finish(commandProcess: CommandProcess): Promise<number> {
  const { stdout } = commandProcess.process;

  try {
    const location = locate(commandProcess);
    const { stateDirectory } = location;

    if (!(await isOwnDirectory(stateDirectory))) {
      stdout.write('There is nothing to finish.\n');
      return 0;
    }

    const flags = ciFlagsSchema.parse(JSON.parse(await readFile(join(stateDirectory, FLAGS_FILE), 'utf8')));
    const { host, sources } = openPhase(commandProcess, location, flags);
    await post(host, readFinishSettings(sources));
  } catch (error) {
    stdout.write(`${plainText(`Failed to finish the run after its step: ${messageOf(error)}`, 2_000)}\n`);
  }

  return 0;
}

/** Recognizes the CI system and its job, and finds the job's directories. */
function locate({ environment, workingDirectory }: CommandProcess) {
  const system = detectSystem(environment);
  const job = system.job(environment);
  // A variable of the CI system can be empty.
  const checkoutDirectory = resolve(workingDirectory, job.checkoutDirectory || '.');
  const stateDirectory = stateDirectoryOf(system.name, job, checkoutDirectory, environment);
  return { system, job, checkoutDirectory, stateDirectory };
}

/** Opens the phase of this process, and its host, with the flags of `ci`. */
function openPhase(
  { environment, workingDirectory, script, process }: CommandProcess,
  { system, job, checkoutDirectory, stateDirectory }: ReturnType<typeof locate>,
  flags: CiFlags,
) {
  const { cancelWindowMs: jobMs = job.cancelWindow.jobMs, identity } = flags;
  const cancelWindow = { ...job.cancelWindow, jobMs };

  const phase: CiPhase = {
    owner: ownOwner(),
    ...signalsOf(process, cancelWindow.mode),
    now: () => Date.now(),
    steady: sharedSteady,
    environment,
    stdout: process.stdout,
    workingDirectory,
    job: { ...job, cancelWindow },
    checkoutDirectory,
    stateDirectory,
  };

  // Without a reader of the console, the run still ends gracefully and leaves its record.
  process.stdout.on('error', () => undefined);

  const dialect = system.dialect(phase);
  const requestIdToken = idTokenFromFlags(identity, environment) ?? dialect.requestIdToken;
  const program = { nodePath: process.execPath, script, directory: workingDirectory };

  return {
    host: terminalHost(phase, { ...dialect, requestIdToken }),
    sources: { phase, program, flags },
    hasIdToken: requestIdToken !== undefined,
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

/** The sources of a step's settings. */
interface CiSources {
  readonly phase: CiPhase;
  readonly program: AgentProgram;
  readonly flags: CiFlags;
}

/**
 * Reads the settings of a step; `idTokenFile` is undefined where the CI job can have no ID token.
 * Throws ConfigError with every problem.
 */
export async function readCiSettings(
  sources: CiSources,
  idTokenFile: string | undefined,
): Promise<StepSettings> {
  const { phase, program, flags } = sources;
  const { environment, job } = phase;
  const { onNoWork, doctor, defaults, overrides, labels } = flags;

  const read = () =>
    readAgentSettings({
      program,
      environment,
      configFile: configFileOf(sources),
      overrides,
      idTokenFile,
      purpose: 'run',
      defaults: { ...CI_DEFAULTS, ...job.defaults, ...defaults },
      labels: { ...job.labels, ...labels },
      interruptedBySigterm: job.signalsAgent,
      agentEnvironment: (texts, forwarded) => agentEnvironment(sources, texts, forwarded),
    });

  const settings = idTokenFile === undefined ? withAdvice(read) : read();
  const { variable } = flags.identity;

  if (variable !== undefined && settings.config.envForwardAllowlist.includes(variable)) {
    const key = 'env_forward_allowlist';
    throw new ConfigError([{ key, message: `${key} ${credentialClause(variable)}` }], settings.warnings);
  }

  const grace = graceWarning(job.cancelWindow, settings.config, 'cancel_grace_period');
  return { ...settings, warnings: [...settings.warnings, ...grace], onNoWork, doctor, artifact: ARTIFACT };
}

/** Says where to name the CI job's identity, if nothing else signs in. */
function withAdvice<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) =>
      problem.key === 'token' && problem.message.startsWith('no way to authenticate')
        ? { ...problem, message: `${problem.message}; ${NAME_IDENTITY}` }
        : problem,
    );
    throw new ConfigError(problems, error.warnings);
  }
}

/** The settings of `finish`, from the command line that `ci` left. */
function readFinishSettings(sources: CiSources): PostSettings {
  const { phase, program, flags } = sources;
  const { usable, file } = configFileOf(sources);
  const engine = ownEngine({
    ...program,
    configFile: usable ? file : undefined,
    // A sweep needs nothing that jobs get.
    environment: agentEnvironment(sources, flags.overrides, []),
  });
  const { isCancelled: jobCancelled = false, agentIsGone } = phase.job;
  return { engine, artifact: ARTIFACT, jobCancelled, agentIsGone };
}

function configFileOf({ phase: { environment, workingDirectory }, program, flags }: CiSources) {
  const name = flags.file ?? '';
  return readStepConfigFile({ name, flag: '--config', workingDirectory, environment, program });
}

/**
 * The agent's variables: those of the step without the CI system's credentials, unless a job gets
 * one by name, and the settings. The forwarded ones are named, so that no helper gets them.
 */
function agentEnvironment(
  { phase: { environment, job }, flags }: CiSources,
  settings: SettingTexts,
  forwarded: readonly string[],
): Record<string, string> {
  const { variable } = flags.identity;
  const credentials = [...job.credentials, ...(variable === undefined ? [] : [variable])];
  const isLeftOut = (name: string) =>
    (credentials.includes(name) && !forwarded.includes(name)) ||
    job.trackingVariables?.includes(name) === true;

  return {
    ...setVariables(environment, isLeftOut),
    ...settingVariables(settings),
    [WITHHELD]: credentials.filter((name) => forwarded.includes(name)).join(' '),
  };
}
