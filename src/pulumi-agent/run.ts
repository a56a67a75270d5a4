import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
import { withEntry } from '../base/error-codes.ts';
import type { Log } from '../base/log/level.ts';
import type { Redactor, SecretScope } from '../base/log/redactor.ts';
import { trustedCertificates } from '../base/network/trust.ts';
import { exitCodeOf, failureOf, type Verdict } from '../base/outcome.ts';
import type { Owner } from '../base/owner.ts';
import type { DeploymentIds } from '../cloud/job-wire.ts';
import { consoleUrl } from '../cloud/organization-wire.ts';
import type { ServerClock } from '../cloud/server-clock.ts';
import { DockerEngine } from '../executor/docker/engine/engine.ts';
import { closeRecord, type RunEnd, type RunRecord } from '../record/run-record.ts';
import { freePort, watchHealth } from './agent-health.ts';
import { AgentProcess, endAgent } from './agent-process.ts';
import { agentEnvironment, agentFile } from './agent-settings.ts';
import type { JobContainers } from './job-containers.ts';
import { type ObservedEnd, observe, type RunObserver } from './observer.ts';
import { type EngineProgram, engineProgram } from './release/program.ts';
import { type AgentStop, reasonToStop } from './stop.ts';
import { verdictOf } from './verdict.ts';

/*
 * Pulumi's own agent as the engine. This file is one run of it, and the first to read. In the order of a run:
 *
 *   release/program.ts       gets the program: the release, downloaded, verified, stored and unpacked
 *   observer.ts              chooses how to see the run: by its calls (proxy-observer.ts) or its output (output-observer.ts)
 *   proxy/proxy.ts           forwards the agent's calls to Pulumi Cloud; pages and messages call it the relay
 *   recorder/recorder.ts     writes the run directory from these calls
 *   agent-settings.ts, agent-process.ts, agent-health.ts   start the agent and watch its process
 *   stop.ts, job-containers.ts, verdict.ts   decide when to stop it, end its containers, and judge the run
 */

/** For a job to end once Pulumi Cloud may have given it to another agent. */
const LEASE_END_MS = 100_000;

/** The least time for containers to end: a hung agent may have used up the grace period. */
const MIN_GRACE_MS = 5_000;

const DRAINED: Verdict = {
  outcome: 'interrupted',
  message: 'The agent was asked to stop before it had begun.',
};

export interface PulumiAgentRun {
  readonly config: AgentConfig;
  readonly environment: Environment;
  /** This program's version. */
  readonly version: string;
  readonly owner: Owner;
  readonly clock: Clock;
  /** Gets the dates of the answers that the proxy sees. */
  readonly serverClock: ServerClock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly record: RunRecord;
  readonly runDirectory: string;
  readonly signals: RunSignals;
  readonly onClaim: (claim: DeploymentIds) => void;
}

export interface RunSignals {
  /** Aborts when nothing more may be claimed. */
  readonly drain: AbortSignal;
  /** Aborts when the run should stop; its reason says why. */
  readonly interrupted: AbortSignal;
  /** Aborts to cut a step's grace period short. */
  readonly skipGrace: AbortSignal;
}

/**
 * Runs and records Pulumi's agent for a workflow. Returns the exit code. Never throws: every ending
 * has an outcome.
 */
export async function runPulumiAgent(run: PulumiAgentRun): Promise<number> {
  const { config, record, log, redactor, version, owner, signals } = run;
  const secrets = redactor.scope();

  record.event({ type: 'agent-started', version, owner });

  let end: RunEnd;
  try {
    record.open(run.runDirectory);
    end = await runInFolder(run, secrets);
  } catch (error) {
    const verdict = signals.drain.aborted ? DRAINED : failureOf(error);
    end = endOf(run, verdict, { steps: [], waitSeconds: 0 });
  }

  const { exitCode, outcome, message, code } = end;
  log(
    exitCode === 0 ? 'info' : 'error',
    `${outcome}: ${exitCode === 0 ? message : withEntry(message, code)}`,
  );

  closeRecord(record, end, (sentence) => log('error', sentence));
  secrets.forget();

  return exitCodeOf(outcome, config);
}

async function runInFolder(run: PulumiAgentRun, secrets: SecretScope): Promise<RunEnd> {
  const { config, environment, log, redactor, record, signals } = run;
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pulumi-agent-'));

  resources.defer(() => rm(folder, { recursive: true, force: true }));

  const program = resources.use(
    await engineProgram(config, { environment, log, signal: signals.drain, secrets: redactor }),
  );
  const shared = join(folder, 'shared');

  await mkdir(shared, { mode: 0o700 });

  const watchAbort = new AbortController();
  resources.defer(() => watchAbort.abort());

  const engine = config.deployTarget === 'docker' ? new DockerEngine(environment) : undefined;
  if (engine !== undefined) {
    resources.defer(() => engine.close());
    record.event({ type: 'place', place: { target: 'docker' } });
  }

  const { signal } = watchAbort;
  const { version } = program;
  const { observer, containers } = await observe(run, { version, secrets, engine, shared, signal });
  resources.use(observer);

  return await runAgent(run, { program, folder, shared, observer, containers, watchAbort });
}

interface AgentParts {
  readonly program: EngineProgram;
  readonly folder: string;
  readonly shared: string;
  readonly observer: RunObserver;
  readonly containers: JobContainers | undefined;
  /** Ends everything that watches the run. */
  readonly watchAbort: AbortController;
}

async function runAgent(run: PulumiAgentRun, parts: AgentParts): Promise<RunEnd> {
  const { config, clock, log, record, signals } = run;
  const { program, observer, containers, watchAbort } = parts;
  const { version } = program;
  const { cancelGracePeriodMs: graceMs, maxWaitMs, runnerPoolId, organizationName } = config;
  const { drain, interrupted, skipGrace } = signals;
  const { state, giveNoWork } = observer;

  const watching = containers?.watch();
  const port = await freePort();
  const agent = await startAgent(run, parts, port);

  log('info', `Pulumi's agent ${version} is running (process ${agent.pid}).`);

  const exitAbort = new AbortController();
  const exited = agent.exited.finally(() => exitAbort.abort());
  const health = watchHealth({
    url: `http://127.0.0.1:${port}/healthz`,
    pid: agent.pid,
    record,
    state: () => (state().hasWork ? 'running' : 'waiting'),
    clock,
    signal: exitAbort.signal,
  });

  const stop = await reasonToStop({
    clock,
    drain,
    interrupted,
    state,
    giveNoWork,
    maxWaitMs,
    graceMs,
    exited: exitAbort.signal,
  });
  const stoppedMs = clock.steady();
  const stopGraceMs = stop?.by === 'lease' ? Math.min(graceMs, LEASE_END_MS) : graceMs;

  if (stop !== undefined) {
    announce(stop, run);
    await endAgent(agent, stopGraceMs, skipGrace);
  }

  const exit = await exited;
  await health;

  const restMs = Math.max(MIN_GRACE_MS, stopGraceMs - (clock.steady() - stoppedMs));
  for (const line of (await containers?.end(restMs, skipGrace)) ?? []) {
    record.notice('warning', line);
    log('warning', line);
  }

  watchAbort.abort();
  await watching;

  const { job, lastPoll, refusedCli, end } = await observer.close(exit);
  const verdict = verdictOf({
    job,
    lastPoll,
    exit,
    stop,
    lastOutput: agent.lastOutput,
    refusedCli,
    version,
    waited: { runnerPoolId, organizationName, maxWaitMs },
  });

  if (verdict.outcome === 'succeeded' && exit.code !== 0)
    record.notice(
      'warning',
      `Pulumi's agent ended with ${exit.signal ?? `exit code ${exit.code}`}, although every step had succeeded.`,
    );

  return endOf(run, verdict, {
    ...end,
    ...job?.claim,
    engine: { name: 'pulumi', version },
    reported: job?.claim && job.result !== 'unfinished',
  });
}

/** Starts the agent in a folder of its own, with its settings there. */
async function startAgent(
  { config, environment, redactor }: PulumiAgentRun,
  { program, folder, shared, observer }: AgentParts,
  port: number,
): Promise<AgentProcess> {
  const { serviceUrl, isProxied } = observer;
  const { version } = program;
  const directory = join(folder, 'run');

  await mkdir(directory, { mode: 0o700 });

  const file = agentFile({ config, serviceUrl, port, programs: program.directory, shared });
  await writeFile(join(directory, 'pulumi-workflow-agent.yaml'), file, { mode: 0o600 });

  const certificates =
    isProxied || config.caCertificate === undefined ? undefined : join(directory, 'certificates.pem');
  if (certificates !== undefined)
    await writeFile(certificates, trustedCertificates(config.caCertificate).join('\n'));

  return await AgentProcess.start(
    {
      program: program.agent,
      args: ['run'],
      directory,
      environment: agentEnvironment({ config, environment, version, isProxied, certificates }),
    },
    { redactor, onLine: (line) => observer.onLine(line) },
  );
}

function announce({ by, reason }: AgentStop, { log, record }: Pick<PulumiAgentRun, 'log' | 'record'>): void {
  if (by === 'signal' || by === 'lease') record.event({ type: 'stopping', by, reason });
  log(by === 'wait' ? 'info' : 'warning', `Stopping Pulumi's agent: ${reason}.`);
}

function endOf(
  { config, environment }: Pick<PulumiAgentRun, 'config' | 'environment'>,
  { outcome, message, code }: Verdict,
  observed: ObservedEnd,
): RunEnd {
  const { serviceUrl, organizationName, runnerPoolId, envForwardAllowlist } = config;
  return {
    outcome,
    message,
    code,
    consoleUrl: consoleUrl(config, organizationName),
    organization: organizationName,
    pool: runnerPoolId,
    engine: { name: 'pulumi' },
    exitCode: exitCodeOf(outcome, config),
    serviceUrl,
    runSeconds: 0,
    forwarded: envForwardAllowlist.filter((name) => environment[name] !== undefined),
    ...observed,
  };
}
