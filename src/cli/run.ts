import { join } from 'node:path';
import { Agent } from '../agent/agent.ts';
import { loadAgentConfig } from '../agent/configuration.ts';
import { accessTokenSource, connect, tokenSource } from '../agent/connection.ts';
import { Metrics } from '../agent/health/metrics.ts';
import { requestWatch } from '../agent/health/request-watch.ts';
import { type AgentLog, configuredLog, openAgentLog } from '../agent/logging/agent-log.ts';
import type { RunIds } from '../agent/logging/log-line.ts';
import { keepHeapSmall } from '../agent/process/heap.ts';
import { Shutdown } from '../agent/process/shutdown.ts';
import { startWatchdog } from '../agent/process/watchdog.ts';
import { runDirectories, runPruner, runsFolder } from '../agent/runs/directories.ts';
import { endSentence, offlineEnd } from '../agent/runs/end.ts';
import { systemClock } from '../clock.ts';
import { PoolApi } from '../cloud/deployments.ts';
import { StartedDeployments } from '../cloud/started-deployments.ts';
import { defined } from '../defined.ts';
import { triggerFirst } from '../deployments/trigger-first.ts';
import { runPulumi } from '../engines/pulumi/pulumi.ts';
import { executorFor } from '../executor/registry.ts';
import { checkHooks } from '../job/hooks.ts';
import type { Notice } from '../log/level.ts';
import { Redactor } from '../log/redactor.ts';
import { failureOf, messageOf, OutcomeError } from '../outcome.ts';
import { ownOwner } from '../owner.ts';
import { moveAside } from '../record/earlier.ts';
import { RunRecord } from '../record/run-record.ts';
import { RUN_FILES } from '../record/schema.ts';
import { tracingOf } from '../telemetry/ids.ts';
import { VERSION } from '../version.ts';
import type { CommandSources } from './command-line.ts';
import { runTracing } from './run-tracing.ts';

/**
 * Registry passwords kept redacted: more than a job and images pulled ahead need, as some helpers
 * renew them often.
 */
const KEPT_LOGINS = 16;

/** Assembles the agent and runs it to the end. Returns the exit code. Throws redacted errors. */
export async function run({
  command,
  process,
  exit,
  ...surroundings
}: CommandSources<'run'>): Promise<number> {
  keepHeapSmall();

  const { environment } = surroundings;
  const { PATH: path } = environment;
  const redactor = new Redactor();
  const redact = (text: string) => redactor.text(text);
  const owner = ownOwner();
  const hint = (key: string) => command.overrides[key] ?? environment[`PULUMI_AGENT_${key.toUpperCase()}`];
  let directory = hint('run_directory');
  let ownLog: AgentLog | undefined;
  let ids: RunIds | undefined;
  const onRun = (run: RunIds | undefined) => {
    ids = run;
  };
  let agent: Agent;
  await using resources = new AsyncDisposableStack();

  try {
    const { config, warnings, notices, defaultNotices, file } = loadAgentConfig(command, surroundings, {
      redactor,
    });
    checkHooks(config);

    const runDirectory = runDirectories(config, environment);
    directory = config.singleRun ? runDirectory() : undefined;

    const earlier = directory && (await moveAside(directory));
    const logFile = directory && join(directory, RUN_FILES.log);

    ownLog = await configuredLog(config, {
      file: logFile,
      path,
      redact,
      ids: () => ids,
      now: () => Date.now(),
    });

    const { log, close: closeLog } = ownLog;
    resources.defer(closeLog);

    const source = file === undefined ? 'no configuration file' : `configured by ${file}`;
    log('info', `pulumi-runner-agent ${VERSION}, ${source}.`);
    for (const warning of warnings) log('warning', warning);
    for (const notice of [...notices, ...defaultNotices]) log('info', notice);
    if (earlier !== undefined) log('info', `Moved the record of an earlier run to ${earlier}.`);

    const { interruptedBySigterm = false } = command;
    const graceMs = config.cancelGracePeriodMs;
    const shutdown = new Shutdown({ process, log, graceMs, exit, interruptedBySigterm });
    resources.defer(() => shutdown.close());

    const { drain } = shutdown;
    const clock = systemClock;
    const pruneRuns = runPruner(config, runsFolder(config, environment), log, () => clock.now(), drain);
    const shared = { config, version: VERSION, owner, clock, log, redactor, environment };

    const exports = command.exportTrace !== false;
    const { tracing, onRecorded } = runTracing({ ...shared, ...config, exports });

    if (config.engine === 'pulumi') {
      if (command.drainOnStdinEnd) shutdown.watch(process.stdin);

      const exitCode = await runPulumi({
        ...shared,
        record: new RunRecord({
          version: VERSION,
          owner,
          now: () => clock.now(),
          redact,
          traceOf: tracing.traceOf,
        }),
        runDirectory: runDirectory(),
        drain,
        interrupted: shutdown.interrupted,
        skipGrace: shutdown.reportsAbandoned,
        onClaim: onRun,
      });

      await onRecorded?.(runDirectory());
      await pruneRuns();

      return exitCode;
    }

    const metrics = new Metrics(VERSION, () => clock.steady());
    const onRequest = requestWatch(metrics, log);
    const onPause = (sentence: string) => agent.paused(sentence);
    const { http, caBundle, close } = connect(config, { environment, log, redactor, onRequest, onPause });

    resources.defer(close);

    const { labels } = command;
    const onSecret = redactor.recent(KEPT_LOGINS);
    const executor = await executorFor(config, { environment, labels, logger: log, onSecret });
    const tokens = tokenSource(config, http, redactor);
    const access = accessTokenSource(config, http, redactor);

    agent = new Agent({
      ...shared,
      metrics,
      http,
      tokens,
      pool: new PoolApi(http, tokens),
      ...(config.accessToken !== undefined && { deployments: new StartedDeployments(http, access) }),
      executor,
      labels,
      ...defined({ caBundle }),
      runDirectory,
      pruneRuns,
      tracing,
      ...defined({ onRecorded }),
      shutdown,
      watchdog: (leftMs) => startWatchdog(leftMs, (message) => log('warning', message)),
      ...(config.trigger.length > 0 && {
        beforeWaiting: (notice: Notice, onActivity: () => void) =>
          triggerFirst({ config, http, tokens: access, clock, signal: drain }, notice, onActivity),
      }),
      onRun,
    });

    if (command.drainOnStdinEnd) shutdown.watch(process.stdin);
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw new Error(redact(messageOf(error)), { cause: error });

    const tracing = tracingOf(environment, { singleRun: true, isOn: false });
    const record = new RunRecord({ version: VERSION, owner, now: () => Date.now(), redact, ...tracing });
    let file: string | undefined;

    try {
      if (directory !== undefined) await moveAside(directory);
      if (directory !== undefined) record.open(directory);
      file = directory && join(directory, RUN_FILES.log);
    } catch {
      // The configuration's error matters more than a run directory that can't be written.
    }

    if (ownLog === undefined) {
      const format = hint('log_format')?.trim() === 'json' ? 'json' : 'text';
      ownLog = openAgentLog({ file, now: () => Date.now(), redact, format });
      resources.defer(ownLog.close);
    }

    // It ends like every other run: with a log line, an outcome and, if possible, a run.json.
    const end = offlineEnd(failureOf(error), 0);
    ownLog.log('error', endSentence(end));
    record.close(end);

    const exports = command.exportTrace !== false;
    const { onRecorded } = runTracing({ environment, singleRun: true, exports, log: ownLog.log });
    if (directory !== undefined) await onRecorded?.(directory);

    return end.exitCode;
  }

  return await agent.run();
}
