import { join } from 'node:path';
import { loadAgentConfig } from '../agent/configuration.ts';
import { checkHooks } from '../agent/hooks/hooks.ts';
import { type AgentLog, configuredLog, openAgentLog } from '../agent/logging/agent-log.ts';
import type { RunIds } from '../agent/logging/log-line.ts';
import { keepHeapSmall } from '../agent/process/heap.ts';
import { Shutdown } from '../agent/process/shutdown.ts';
import { runDirectories, runPruner, runsFolder } from '../agent/runs/directories.ts';
import { endSentence, offlineEnd } from '../agent/runs/end.ts';
import { systemClock } from '../base/clock.ts';
import { Redactor } from '../base/log/redactor.ts';
import { failureOf, messageOf, OutcomeError } from '../base/outcome.ts';
import { type Owner, ownOwner } from '../base/owner.ts';
import { VERSION } from '../base/version.ts';
import { ServerClock } from '../cloud/server-clock.ts';
import { runPulumiAgent } from '../pulumi-agent/run.ts';
import { moveAside } from '../record/run-directory.ts';
import { RunRecord } from '../record/run-record.ts';
import { RUN_FILES } from '../record/schema.ts';
import { tracingOf } from '../record/telemetry/ids.ts';
import type { CommandSources } from './command-line.ts';
import { ownAgent } from './own-agent.ts';
import { runTracing } from './run-tracing.ts';

type Sources = CommandSources<'run'>;

/** The parts of a run that exist before its configuration is known. */
interface Beginning {
  readonly redactor: Redactor;
  readonly redact: (text: string) => string;
  readonly owner: Owner;
  /** The run's directory, once known. */
  directory: string | undefined;
  log: AgentLog | undefined;
}

/** Assembles the agent and runs it to the end. Returns the exit code. Throws redacted errors. */
export async function run(sources: Sources): Promise<number> {
  keepHeapSmall();

  const redactor = new Redactor();
  const begun: Beginning = {
    redactor,
    redact: (text) => redactor.text(text),
    owner: ownOwner(),
    directory: hinted(sources, 'run_directory'),
    log: undefined,
  };
  await using resources = new AsyncDisposableStack();

  try {
    const serve = await assembled(sources, begun, resources);
    return await serve();
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw new Error(begun.redact(messageOf(error)), { cause: error });
    return await refused(error, sources, begun, resources);
  }
}

/** Returns the run that the configuration describes. Throws OutcomeError. */
async function assembled(
  { command, process, exit, ...context }: Sources,
  begun: Beginning,
  resources: AsyncDisposableStack,
): Promise<() => Promise<number>> {
  const { environment } = context;
  const { redactor, redact, owner } = begun;
  let ids: RunIds | undefined;
  const onRun = (run: RunIds | undefined) => {
    ids = run;
  };

  const { config, warnings, notices, defaultNotices, file } = loadAgentConfig(command, context, {
    redactor,
  });
  checkHooks(config);

  const runDirectory = runDirectories(config, environment);
  const directory = config.singleRun ? runDirectory() : undefined;
  begun.directory = directory;

  const earlier = directory && (await moveAside(directory));

  begun.log = await configuredLog(config, {
    file: directory && join(directory, RUN_FILES.log),
    path: environment['PATH'],
    redact,
    ids: () => ids,
    now: () => Date.now(),
  });

  const { log, close } = begun.log;
  resources.defer(close);

  const source = file === undefined ? 'no configuration file' : `configured by ${file}`;
  log('info', `pulumi-runner-agent ${VERSION}, ${source}.`);
  for (const warning of warnings) log('warning', warning);
  for (const notice of notices) log('info', notice);
  for (const notice of defaultNotices) log('debug', notice);
  if (earlier !== undefined) log('info', `Moved the record of an earlier run to ${earlier}.`);

  const { interruptedBySigterm = false, labels } = command;
  const graceMs = config.cancelGracePeriodMs;
  const clock = systemClock;
  const { steady } = clock;
  const shutdown = new Shutdown({ process, log, steady, graceMs, exit, interruptedBySigterm });
  resources.defer(() => shutdown.close());

  const { drain } = shutdown;
  const serverClock = new ServerClock(clock);
  const folder = runsFolder(config, environment);
  const pruneRuns = runPruner(config, folder, log, () => serverClock.reached, drain);
  const exports = command.exportTrace !== false;
  const { tracing, onRecorded } = runTracing({
    environment,
    singleRun: config.singleRun,
    caCertificate: config.caCertificate,
    exports,
    log,
  });

  const agent =
    config.engine === 'own'
      ? await ownAgent(
          {
            config,
            environment,
            version: VERSION,
            owner,
            labels,
            clock,
            serverClock,
            log,
            redactor,
            shutdown,
            tracing,
            stackOutputsFile: command.stackOutputs,
            runDirectory,
            pruneRuns,
            onRun,
            onRecorded,
          },
          resources,
        )
      : undefined;

  if (command.drainOnStdinEnd) shutdown.watch(process.stdin);
  if (agent !== undefined) return () => agent.run();

  return async () => {
    const exitCode = await runPulumiAgent({
      config,
      environment,
      version: VERSION,
      owner,
      clock,
      serverClock,
      log,
      redactor,
      record: new RunRecord({
        version: VERSION,
        owner,
        now: () => clock.now(),
        redact,
        traceOf: tracing.traceOf,
      }),
      runDirectory: runDirectory(),
      signals: { drain, interrupted: shutdown.interrupted, skipGrace: shutdown.reportsAbandoned },
      onClaim: onRun,
    });

    await onRecorded?.(runDirectory());
    await pruneRuns();

    return exitCode;
  };
}

/**
 * Ends a run that can't begin like every other: with a log line, an outcome and, if possible, a
 * run.json. Returns the exit code.
 */
async function refused(
  error: OutcomeError,
  sources: Sources,
  { redact, owner, directory, log: opened }: Beginning,
  resources: AsyncDisposableStack,
): Promise<number> {
  const { command, environment } = sources;
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

  let log = opened?.log;

  if (log === undefined) {
    const format = hinted(sources, 'log_format')?.trim() === 'json' ? 'json' : 'text';
    const own = openAgentLog({ file, now: () => Date.now(), redact, format });
    resources.defer(own.close);
    log = own.log;
  }

  const end = offlineEnd(failureOf(error), 0);
  log('error', endSentence(end));
  record.close(end);

  const exports = command.exportTrace !== false;
  const { onRecorded } = runTracing({ environment, singleRun: true, exports, log });
  if (directory !== undefined) await onRecorded?.(directory);

  return end.exitCode;
}

/** A setting as flags or variables give it, before the configuration is loaded. */
function hinted({ command, environment }: Sources, key: string): string | undefined {
  return command.overrides[key] ?? environment[`PULUMI_AGENT_${key.toUpperCase()}`];
}
