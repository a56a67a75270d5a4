import type { EventEmitter } from 'node:events';
import { systemClock } from '../clock.ts';
import { PoolApi } from '../cloud/deployments.ts';
import type { LoadedConfig } from '../config/load.ts';
import { defined } from '../defined.ts';
import { executorFor } from '../executor/registry.ts';
import { Redactor } from '../log/redactor.ts';
import { exitCodeOf, messageOf, OutcomeError } from '../outcome.ts';
import { ownOwner } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';
import { VERSION } from '../version.ts';
import { Agent } from './agent.ts';
import type { Command } from './cli.ts';
import { loadAgentConfig, secretsOf } from './configuration.ts';
import { type Connection, connect } from './connect.ts';
import type { Health } from './health/health.ts';
import { Metrics } from './health/metrics.ts';
import { watchRequests } from './health/request-watch.ts';
import { KeptRuns } from './kept-runs.ts';
import { type AgentLog, configuredLog, openAgentLog } from './logging/agent-log.ts';
import type { Notice, RunIds } from './logging/log-line.ts';
import { runDirectories, runsFolder } from './run-directories.ts';
import { explained } from './run-failure.ts';
import { agentLogPath, RunRecord } from './run-record.ts';
import { Signals } from './signals.ts';
import { tokenSource } from './token-source.ts';
import { triggerFirst } from './trigger/trigger-first.ts';
import { Uncaught } from './uncaught.ts';
import { startWatchdog } from './watchdog.ts';

/** Registries' passwords that stay hidden: more than a job and the images pulled ahead need, and some helpers make new ones all the time. */
const KEPT_LOGINS = 16;

export interface RunSources {
  readonly command: Extract<Command, { name: 'run' }>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The folder that the agent's program lies in. */
  readonly agentDirectory: string;
  /** Emits the signals. */
  readonly process: EventEmitter & Pick<NodeJS.Process, 'stdin'>;
  /** Ends the process, whatever still runs in it. */
  readonly exit: (code: number) => void;
}

/** `pulumi-runner-agent run`: puts the parts together and runs them to the end. Returns the exit code. Throws redacted errors. */
export async function run(sources: RunSources): Promise<number> {
  const redactor = new Redactor();
  try {
    return await runWith(redactor, sources);
  } catch (cause) {
    const message = redactor.text(messageOf(cause));
    throw cause instanceof OutcomeError
      ? new OutcomeError(cause.outcome, message, { cause })
      : new Error(message, { cause });
  }
}

async function runWith(
  redactor: Redactor,
  { command, environment, workingDirectory, agentDirectory, process, exit }: RunSources,
): Promise<number> {
  const redact = (text: string) => redactor.text(text);
  const clock = systemClock;
  const owner = ownOwner();
  const hint = (key: string) => command.overrides[key] ?? environment[`PULUMI_AGENT_${key.toUpperCase()}`];
  const refusal = { owner, redact, directory: hint('run_directory'), json: hint('log_format')?.trim() === 'json' };
  let loaded: LoadedConfig;
  try {
    loaded = await loadAgentConfig(command, { environment, workingDirectory, agentDirectory });
  } catch (error) {
    return await refuse(error, refusal);
  }
  const { config, warnings, notices, file } = loaded;
  redactor.add(secretsOf(config, environment));
  const directory = runDirectories(config, environment);
  let ids: RunIds | undefined;
  let ownLog: AgentLog;
  try {
    ownLog = await configuredLog(config, {
      file: config.singleRun ? agentLogPath(directory()) : undefined,
      redact,
      ids: () => ids,
      pid: owner.pid,
      path: environment['PATH'],
    });
  } catch (error) {
    return await refuse(error, { ...refusal, directory: config.singleRun ? directory() : undefined });
  }
  const { log } = ownLog;
  log(
    'info',
    `pulumi-runner-agent ${VERSION}, ${file === undefined ? 'no configuration file' : `configured by ${file}`}.`,
  );
  for (const warning of warnings) log('warning', warning);
  for (const notice of notices) log('info', notice);
  let connection: Connection;
  try {
    connection = connect(config, { environment, log, redactor });
  } catch (error) {
    await ownLog.close();
    return await refuse(error, { ...refusal, directory: config.singleRun ? directory() : undefined });
  }
  const { http, caBundle, close } = connection;
  const signals = new Signals(process, (signal, meaning) => log('warning', `${signal}: ${meaning}.`));
  const uncaught = new Uncaught({
    process,
    log,
    graceMs: config.cancelGracePeriodMs,
    exit,
  });
  const drain = AbortSignal.any([signals.drain, uncaught.drain]);
  const tokens = tokenSource(config, http, redactor);
  const metrics = new Metrics({ version: VERSION, steady: () => clock.steady() });
  const endWatch = watchRequests(({ purpose, result, seconds, text }) => {
    metrics.request(purpose, result, seconds);
    log('debug', text);
  });
  const agent = new Agent({
    config,
    version: VERSION,
    metrics,
    owner,
    clock,
    log,
    redactor,
    http,
    tokens,
    pool: new PoolApi(http, tokens),
    target: await executorFor(config, {
      environment,
      labels: command.labels,
      logger: log,
      onSecret: redactor.recent(KEPT_LOGINS),
    }),
    environment,
    labels: command.labels,
    ...(caBundle === undefined ? {} : { caBundle }),
    runDirectory: directory,
    ...(!config.singleRun &&
      config.keptRuns !== undefined && {
        keptRuns: new KeptRuns({ folder: runsFolder(config, environment), kept: config.keptRuns, log }),
      }),
    drain,
    fault: () => uncaught.error,
    onStopSource: (stop) => {
      signals.attach(stop);
      uncaught.attach(stop);
    },
    watchdog: (leftMs) => startWatchdog({ leftMs, onFailure: (message) => log('warning', message) }),
    ...(config.trigger.length > 0 && {
      beforeWaiting: (notice: Notice, health: Pick<Health, 'active'>) =>
        triggerFirst({ config, http, redactor, clock, signal: drain, health }, notice),
    }),
    onRun: (run) => {
      ids = run;
    },
  });
  try {
    const running = agent.run();
    // Not before the first call is on its way: to open it takes some milliseconds.
    if (command.drainOnStdinEnd === true) setImmediate(() => signals.watch(process.stdin));
    return await running;
  } finally {
    signals.close();
    await close();
    uncaught.close();
    endWatch();
    await ownLog.close();
  }
}

interface Refusal {
  readonly owner: Owner;
  readonly redact: (text: string) => string;
  /** Where the run would have been recorded, as far as is known. */
  readonly directory: string | undefined;
  /** The log was to be JSON. */
  readonly json: boolean;
}

/** A configuration that can't be used ends like every other run: with a line, an outcome and, where it can be, a run.json. */
async function refuse(error: unknown, { owner, redact, directory, json }: Refusal): Promise<number> {
  if (!(error instanceof OutcomeError)) throw error;
  const record = new RunRecord({ version: VERSION, owner, now: () => Date.now(), redact });
  const open = (place: string | undefined) =>
    openAgentLog({
      ...(place === undefined ? {} : { file: agentLogPath(place) }),
      now: () => Date.now(),
      redact,
      format: json ? 'json' : 'text',
    });
  let ownLog: AgentLog;
  try {
    ownLog = open(directory);
    if (directory !== undefined) record.open(directory);
  } catch {
    // What is wrong with the configuration matters more than where it can't be written.
    ownLog = open(undefined);
  }
  const exitCode = exitCodeOf(error.outcome);
  ownLog.log('error', explained({ exitCode, message: error.message, code: error.code }));
  record.close({
    outcome: error.outcome,
    exitCode,
    message: error.message,
    ...defined({ code: error.code }),
    waitSeconds: 0,
    runSeconds: 0,
    forwarded: [],
    steps: [],
  });
  await ownLog.close();
  return exitCode;
}
