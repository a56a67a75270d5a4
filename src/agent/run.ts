import type { EventEmitter } from 'node:events';
import { homedir } from 'node:os';
import { systemClock } from '../clock.ts';
import { PoolApi } from '../cloud/deployments.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { secretValues } from '../log/plain-names.ts';
import { Redactor } from '../log/redactor.ts';
import { exitCodeOf, OutcomeError } from '../outcome.ts';
import { ownOwner } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';
import { createDockerTarget } from '../target/docker/docker-target.ts';
import { VERSION } from '../version.ts';
import { Agent } from './agent.ts';
import { type Log, openAgentLog } from './agent-log.ts';
import type { Command } from './cli.ts';
import { connect } from './connect.ts';
import { runDirectories } from './run-directories.ts';
import { agentLogPath, RunRecord } from './run-record.ts';
import { Signals } from './signals.ts';
import { tokenSource } from './token-source.ts';

export interface RunSources {
  readonly command: Extract<Command, { name: 'run' }>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The folder that the agent's program lies in. */
  readonly agentDirectory: string;
  /** Emits the signals. */
  readonly process: EventEmitter;
}

/** `pulumi-runner-agent run`: puts the parts together and runs them to the end. Returns the exit code. */
export async function run({
  command,
  environment,
  workingDirectory,
  agentDirectory,
  process,
}: RunSources): Promise<number> {
  const redactor = new Redactor();
  const redact = (text: string) => redactor.text(text);
  const clock = systemClock;
  const owner = ownOwner();
  const overrides = { ...command.overrides };
  const directoryHint = overrides['run_directory'] ?? environment['PULUMI_AGENT_RUN_DIRECTORY'];
  let loaded: LoadedConfig;
  try {
    loaded = await loadConfig({
      environment,
      workingDirectory,
      homeDirectory: environment['HOME'] ?? homedir(),
      agentDirectory,
      ...(command.file === undefined ? {} : { file: command.file }),
      defaults: command.defaults,
      overrides,
    });
  } catch (error) {
    return refuse(error, { owner, redact, directory: directoryHint });
  }
  const { config, warnings, notices, file } = loaded;
  if (config.token !== undefined) redactor.add([config.token]);
  redactor.add(
    secretValues(Object.fromEntries(config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']))),
  );
  const directory = runDirectories(config, environment);
  const log = openLog(config.singleRun ? directory() : undefined, redact);
  log(
    'info',
    `pulumi-runner-agent ${VERSION}, ${file === undefined ? 'no configuration file' : `configured by ${file}`}.`,
  );
  for (const warning of warnings) log('warning', warning);
  for (const notice of notices) log('info', notice);
  const signals = new Signals(process, (signal, meaning) => log('warning', `${signal}: ${meaning}.`));
  const { http, close } = connect(config, log);
  const tokens = tokenSource(config, http, redactor);
  const agent = new Agent({
    config,
    version: VERSION,
    owner,
    clock,
    log,
    redactor,
    http,
    tokens,
    pool: new PoolApi(http, tokens),
    target: createDockerTarget({ environment, logger: log }),
    environment,
    labels: command.labels,
    runDirectory: directory,
    drain: signals.drain,
    onStopSource: (stop) => signals.attach(stop),
  });
  try {
    return await agent.run();
  } finally {
    signals.close();
    await close();
  }
}

/** A configuration that can't be used ends like every other run: with a line, an outcome and, where it can be, a run.json. */
function refuse(
  error: unknown,
  { owner, redact, directory }: { owner: Owner; redact: (text: string) => string; directory: string | undefined },
): number {
  if (!(error instanceof OutcomeError)) throw error;
  const record = new RunRecord({ version: VERSION, owner, now: () => Date.now(), redact });
  let log: Log;
  try {
    log = openLog(directory, redact);
    if (directory !== undefined) record.open(directory);
  } catch {
    // What is wrong with the configuration matters more than where it can't be written.
    log = openLog(undefined, redact);
  }
  log('error', error.message);
  const exitCode = exitCodeOf(error.outcome);
  record.close({
    outcome: error.outcome,
    exitCode,
    message: error.message,
    waitSeconds: 0,
    runSeconds: 0,
    forwarded: [],
    steps: [],
  });
  return exitCode;
}

function openLog(directory: string | undefined, redact: (text: string) => string): Log {
  return openAgentLog({
    ...(directory === undefined ? {} : { file: agentLogPath(directory) }),
    now: () => Date.now(),
    redact,
  });
}
