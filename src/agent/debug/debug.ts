import type { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../clock.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import { ownLabels } from '../../executor/labels.ts';
import { executorFor, placeOf } from '../../executor/registry.ts';
import { runJob } from '../../job/job.ts';
import type { JobEnd } from '../../job/job-end.ts';
import { StopSource } from '../../job/stop.ts';
import { Redactor } from '../../log/redactor.ts';
import { exitCodeOf, OutcomeError } from '../../outcome.ts';
import { ownOwner } from '../../record/owner.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../cli.ts';
import { loadAgentConfig, type Surroundings, secretsOf } from '../configuration.ts';
import { connect } from '../connect.ts';
import { jobSettings } from '../job-settings.ts';
import { openAgentLog } from '../logging/agent-log.ts';
import { runDirectories } from '../run-directories.ts';
import { explained } from '../run-failure.ts';
import { agentLogPath, RunRecord } from '../run-record.ts';
import { Signals } from '../signals.ts';
import { readJob } from './job.ts';
import { LocalReports } from './reports.ts';

export interface DebugSources extends Surroundings {
  readonly command: Extract<Command, { name: 'debug' }>;
  /** Emits the signals; its stdout gets the steps' output. */
  readonly process: EventEmitter & {
    readonly stdin: Readable;
    readonly stdout: Writable & { readonly isTTY?: boolean };
  };
}

/** Stands for the ids that a claim would have. */
const CLAIM = { jobId: 'debug', jobToken: '', oidcToken: undefined, runId: 'debug', deploymentId: 'debug' } as const;

/**
 * `pulumi-runner-agent debug workflow-runner`: runs one job definition as `run` would, and asks Pulumi Cloud for nothing.
 * Returns the exit code of the job's outcome. Throws OutcomeError `config-error` for a file that is no job definition.
 */
export async function debug({ command, process, ...surroundings }: DebugSources): Promise<number> {
  const { environment, workingDirectory } = surroundings;
  const loaded = await loadAgentConfig(command, surroundings, { offline: true });
  const { config } = loaded;
  const job = readJob(await given(command.job, workingDirectory, process.stdin), command);
  const redactor = new Redactor();
  redactor.add(secretsOf(config, environment));
  const redact = (line: string) => redactor.text(line);
  const directory = runDirectories({ ...config, singleRun: true }, environment)();
  const now = () => Date.now();
  const { log, close: closeLog } = openAgentLog({
    file: agentLogPath(directory),
    now,
    redact,
    level: config.logLevel,
    format: config.logFormat,
  });
  for (const warning of loaded.warnings) log('warning', warning);
  const owner = ownOwner();
  const record = new RunRecord({ version: VERSION, owner, now, redact });
  record.open(directory);
  record.event({ type: 'agent-started', version: VERSION, owner });
  const stop = new StopSource();
  const signals = new Signals(process, (signal, meaning) => log('warning', `${signal}: ${meaning}.`));
  signals.attach(stop);
  const target = await executorFor(config, {
    environment,
    labels: command.labels,
    logger: log,
    onSecret: (secret) => redactor.add([secret]),
  });
  const began = now();
  let end: Pick<JobEnd, 'outcome' | 'message'> & Partial<JobEnd>;
  try {
    log('info', await target.check(stop.signal));
    const place = await placeOf(config, environment);
    if (place !== undefined) record.event({ type: 'place', place });
    const caBundle = await certificatesFor(config, { environment, redactor, log });
    end = await runJob({
      ...jobSettings({ config, environment, caBundle }),
      claim: CLAIM,
      api: new LocalReports({
        job,
        log,
        stdout: process.stdout,
        onUnread: (reason) => stop.request({ by: 'signal', reason }),
      }),
      target,
      stop,
      clock: systemClock,
      redactor,
      secrets: redactor,
      labels: { ...command.labels, ...ownLabels(owner), 'pulumi-runner.run': CLAIM.runId },
      stepLog: (index, name) => record.stepLog(index, name),
      event: (event) => record.event(event),
      say: (level, message) => {
        log(level, message);
        if (level === 'warning') record.notice('warning', message);
      },
      over: stop.reportsAbandoned,
      heartbeatSince: () => true,
      hasEnded: () => false,
      onStepsEnded: () => undefined,
      onReported: () => undefined,
    });
  } catch (error) {
    end = failure(error, stop);
  } finally {
    signals.close();
    await target.close();
  }
  const exitCode = exitCodeOf(end.outcome);
  log(exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${explained({ ...end, exitCode })}`);
  log('info', `Logs, events and the result are in ${directory}.`);
  record.close({
    ...end,
    exitCode,
    waitSeconds: 0,
    runSeconds: (now() - began) / 1000,
    forwarded: [...(end.forwarded ?? [])],
    steps: [...(end.steps ?? [])],
  });
  await closeLog();
  return exitCode;
}

async function given(file: string, workingDirectory: string, stdin: Readable): Promise<string> {
  try {
    return file === '-' ? await text(stdin) : await readFile(resolve(workingDirectory, file), 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OutcomeError('config-error', `Failed to read the job for debug workflow-runner: ${reason}.`, { cause });
  }
}

/** What jobs trust where the configuration asks for it: whoever knows that also opens connections, which stay unused here. */
async function certificatesFor(
  config: AgentConfig,
  sources: Parameters<typeof connect>[1],
): Promise<string | undefined> {
  if (!config.caCertificateInJobs) return undefined;
  const { caBundle, close } = connect(config, sources);
  await close();
  return caBundle;
}

function failure(error: unknown, stop: StopSource): Pick<JobEnd, 'outcome' | 'message'> {
  if (stop.stop !== undefined) return { outcome: 'interrupted', message: `${stop.stop.reason}; nothing was run.` };
  if (error instanceof OutcomeError) return { outcome: error.outcome, message: error.message };
  throw error;
}
