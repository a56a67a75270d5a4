import type { EventEmitter } from 'node:events';
import { Agent } from '../agent/agent.ts';
import { loadAgentConfig, type Surroundings, secretsOf } from '../agent/configuration.ts';
import { connect, tokenSource } from '../agent/connection.ts';
import type { Health } from '../agent/health/health.ts';
import { Metrics } from '../agent/health/metrics.ts';
import { requestWatch } from '../agent/health/request-watch.ts';
import { type AgentLog, configuredLog, openAgentLog } from '../agent/logging/agent-log.ts';
import type { Notice, RunIds } from '../agent/logging/log-line.ts';
import { triggerFirst } from '../agent/on-demand/trigger-first.ts';
import { keepHeapSmall } from '../agent/process/heap.ts';
import { Shutdown } from '../agent/process/shutdown.ts';
import { startWatchdog } from '../agent/process/watchdog.ts';
import { runDirectories, runPruner, runsFolder } from '../agent/runs/directories.ts';
import { endSentence } from '../agent/runs/end.ts';
import { systemClock } from '../clock.ts';
import { PoolApi } from '../cloud/deployments.ts';
import { defined } from '../defined.ts';
import { runPulumi } from '../engines/pulumi/pulumi.ts';
import { executorFor } from '../executor/registry.ts';
import { StopSource } from '../job/stop.ts';
import { Redactor } from '../log/redactor.ts';
import { codeOf, exitCodeOf, messageOf, OutcomeError } from '../outcome.ts';
import { ownOwner } from '../record/owner.ts';
import { agentLogPath, RunRecord } from '../record/run-record.ts';
import { VERSION } from '../version.ts';
import type { Command } from './command-line.ts';

/** Registries' passwords that stay hidden: more than a job and the images pulled ahead need, and some helpers make new ones all the time. */
const KEPT_LOGINS = 16;

export interface RunSources extends Surroundings {
  readonly command: Extract<Command, { name: 'run' }>;
  /** Emits the signals. */
  readonly process: EventEmitter & Pick<NodeJS.Process, 'stdin'>;
  /** Ends the process, whatever still runs in it. */
  readonly exit: (code: number) => void;
}

/** `pulumi-runner-agent run`: puts the parts together and runs them to the end. Returns the exit code. Throws redacted errors. */
export async function run({ command, process, exit, ...surroundings }: RunSources): Promise<number> {
  keepHeapSmall();
  const { environment } = surroundings;
  const redactor = new Redactor();
  const redact = (text: string) => redactor.text(text);
  const owner = ownOwner();
  const hint = (key: string) => command.overrides[key] ?? environment[`PULUMI_AGENT_${key.toUpperCase()}`];
  let directory = hint('run_directory');
  let ownLog: AgentLog | undefined;
  let ids: RunIds | undefined;
  let agent: Agent;
  await using resources = new AsyncDisposableStack();
  try {
    const { config, warnings, notices, file } = loadAgentConfig(command, surroundings);
    redactor.add(secretsOf(config, environment));
    const runDirectory = runDirectories(config, environment);
    directory = config.singleRun ? runDirectory() : undefined;
    ownLog = await configuredLog(config, {
      file: directory && agentLogPath(directory),
      redact,
      ids: () => ids,
      pid: owner.pid,
      path: environment['PATH'],
    });
    const { log, close: closeLog } = ownLog;
    resources.defer(closeLog);
    log(
      'info',
      `pulumi-runner-agent ${VERSION}, ${file === undefined ? 'no configuration file' : `configured by ${file}`}.`,
    );
    for (const warning of warnings) log('warning', warning);
    for (const notice of notices) log('info', notice);
    const shutdown = new Shutdown({ process, log, graceMs: config.cancelGracePeriodMs, exit });
    resources.defer(() => shutdown.close());
    const { drain } = shutdown;
    const clock = systemClock;
    if (config.engine === 'pulumi') {
      if (command.drainOnStdinEnd) shutdown.watch(process.stdin);
      const stop = new StopSource();
      shutdown.attach(stop);
      return await runPulumi({
        config,
        version: VERSION,
        owner,
        clock,
        log,
        redactor,
        record: new RunRecord({ version: VERSION, owner, now: () => clock.now(), redact }),
        environment,
        runDirectory: runDirectory(),
        drain,
        interrupt: stop.signal,
        hurry: stop.reportsAbandoned,
        onRun: (run) => {
          ids = run;
        },
      });
    }
    const metrics = new Metrics({ version: VERSION, steady: () => clock.steady() });
    const onRequest = requestWatch(metrics, log);
    const { http, caBundle, close } = connect(config, { environment, log, redactor, onRequest });
    resources.defer(close);
    const { labels } = command;
    const executor = await executorFor(config, {
      environment,
      labels,
      logger: log,
      onSecret: redactor.recent(KEPT_LOGINS),
    });
    const tokens = tokenSource(config, http, redactor);
    const { keptRuns: kept } = config;
    agent = new Agent({
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
      executor,
      environment,
      labels,
      ...defined({ caBundle }),
      runDirectory,
      ...(!config.singleRun &&
        kept !== undefined && {
          pruneRuns: runPruner({ folder: runsFolder(config, environment), kept, log, signal: drain }),
        }),
      drain,
      fault: () => shutdown.error,
      onStopSource: (stop) => shutdown.attach(stop),
      watchdog: (leftMs) => startWatchdog({ leftMs, onFailure: (message) => log('warning', message) }),
      ...(config.trigger.length > 0 && {
        beforeWaiting: (notice: Notice, health: Pick<Health, 'active'>) =>
          triggerFirst({ config, http, redactor, clock, signal: drain, health }, notice),
      }),
      onRun: (run) => {
        ids = run;
      },
    });
    if (command.drainOnStdinEnd) shutdown.watch(process.stdin);
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw new Error(redact(messageOf(error)), { cause: error });
    const record = new RunRecord({ version: VERSION, owner, now: () => Date.now(), redact });
    const isOpen = directory !== undefined && hasOpened(record, directory);
    if (ownLog === undefined) {
      const format = hint('log_format')?.trim() === 'json' ? 'json' : 'text';
      const file = isOpen && directory !== undefined ? agentLogPath(directory) : undefined;
      ownLog = openAgentLog({ file, now: () => Date.now(), redact, format });
      resources.defer(ownLog.close);
    }
    return refuse(error, ownLog, record);
  }
  return await agent.run();
}

/** What is wrong with the configuration matters more than where it can't be written. */
function hasOpened(record: RunRecord, directory: string): boolean {
  try {
    record.open(directory);
    return true;
  } catch {
    return false;
  }
}

/** A configuration that can't be used ends like every other run: with a line, an outcome and, where it can be, a run.json. */
function refuse(error: OutcomeError, { log }: AgentLog, record: RunRecord): number {
  const { outcome, message } = error;
  const exitCode = exitCodeOf(outcome);
  const code = codeOf(error);
  log('error', endSentence({ exitCode, message, code }));
  record.close({
    outcome,
    exitCode,
    message,
    ...defined({ code }),
    waitSeconds: 0,
    runSeconds: 0,
    forwarded: [],
    steps: [],
  });
  return exitCode;
}
