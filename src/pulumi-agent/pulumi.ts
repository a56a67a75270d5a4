import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../base/defined.ts';
import { withEntry } from '../base/error-codes.ts';
import type { SecretScope } from '../base/log/redactor.ts';
import { trustedCertificates } from '../base/network/trust.ts';
import { exitCodeOf, failureOf, type Verdict } from '../base/outcome.ts';
import type { Owner } from '../base/owner.ts';
import { consoleUrl } from '../cloud/organization-wire.ts';
import { DockerEngine } from '../executor/docker/engine/engine.ts';
import { closeRecord, type RunEnd } from '../record/run-record.ts';
import { freePort, watchHealth } from './agent-health.ts';
import { AgentProcess, endAgent } from './agent-process.ts';
import { agentEnvironment, agentFile } from './agent-settings.ts';
import { relayPlace } from './bridge.ts';
import type { ObserverOptions, PulumiRunParts, RunObserver, SeenEnd } from './recorder/run-observer.ts';
import { relayed } from './relayed.ts';
import { type EngineProgram, engineProgram } from './release/program.ts';
import { unrelayed } from './unrelayed.ts';
import { type AgentStop, verdictOf } from './verdict.ts';
import { reasonToEnd } from './watch.ts';

/** Milliseconds for a job to end once Pulumi Cloud may have given it to another agent. */
const LEASE_END_MS = 100_000;

/** Minimum milliseconds for containers to end: a hung agent may have used up the grace period. */
const MIN_GRACE_MS = 5_000;

const DRAINED: Verdict = {
  outcome: 'interrupted',
  message: 'The agent was asked to stop before it had begun.',
};

export interface PulumiRunOptions extends PulumiRunParts {
  /** This program's version. */
  readonly version: string;
  readonly owner: Owner;
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
export async function runPulumi(options: PulumiRunOptions): Promise<number> {
  const { config, record, log, redactor, version, owner } = options;
  const secrets = redactor.scope();

  record.event({ type: 'agent-started', version, owner });

  let end: RunEnd;
  try {
    record.open(options.runDirectory);
    end = await runInFolder(options, secrets);
  } catch (error) {
    const verdict = options.drain.aborted ? DRAINED : failureOf(error);
    end = endOf(options, verdict, { steps: [], waitSeconds: 0 });
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

async function runInFolder(options: PulumiRunOptions, secrets: SecretScope): Promise<RunEnd> {
  const { config, environment, record, redactor, drain } = options;
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pulumi-agent-'));

  resources.defer(() => rm(folder, { recursive: true, force: true }));

  const program = resources.use(
    await engineProgram(config, { ...options, signal: drain, secrets: redactor }),
  );
  const shared = join(folder, 'shared');

  await mkdir(shared, { mode: 0o700 });

  const watched = new AbortController();
  resources.defer(() => watched.abort());

  const engine = config.deployTarget === 'docker' ? new DockerEngine(environment) : undefined;
  if (engine !== undefined) {
    resources.defer(() => engine.close());
    record.event({ type: 'place', place: { target: 'docker' } });
  }

  const sources = { ...options, secrets, engine, shared, signal: watched.signal };
  const observer = await observerOf(sources, program);

  return await runAgent({ options, program, folder, shared, observer, watched });
}

/** Observes through the relay where that is possible; elsewhere without it, and says why. */
async function observerOf(sources: ObserverOptions, { version }: EngineProgram): Promise<RunObserver> {
  const { engine, record, log, config } = sources;
  const detail = `Pulumi's agent ${version}`;

  const off = (reason: string): RunObserver => {
    const sentence = `The relay is off: ${reason}. Steps and their logs are not visible; the agent's own log replaces them.`;
    record.notice('warning', sentence);
    log('warning', sentence);

    record.event({
      type: 'target-ready',
      target: config.deployTarget,
      detail: `${detail}, without the relay`,
    });

    return unrelayed(sources);
  };

  if (!config.engineRelay) return off('engine_relay is false');
  if (engine === undefined) return off(`jobs run on ${config.deployTarget}`);

  const place = await relayPlace(config, engine, sources.environment, sources.signal);
  if ('off' in place) return off(place.off);

  record.event({ type: 'target-ready', target: config.deployTarget, detail: `${detail}, through the relay` });

  return relayed(sources, engine, place.address);
}

interface AgentRun {
  readonly options: PulumiRunOptions;
  readonly program: EngineProgram;
  readonly folder: string;
  readonly shared: string;
  readonly observer: RunObserver;
  /** Ends everything that watches the run. */
  readonly watched: AbortController;
}

async function runAgent({ options, program, folder, shared, observer, watched }: AgentRun): Promise<RunEnd> {
  const { config, clock, log, record, environment, skipGrace } = options;
  const { cancelGracePeriodMs: graceMs, maxWaitMs } = config;
  const { serviceUrl, isRelayed, see, giveNoWork } = observer;
  const port = await freePort();
  const home = join(folder, 'run');

  await mkdir(home, { mode: 0o700 });

  const file = agentFile({ config, serviceUrl, port, programs: program.directory, shared });
  await writeFile(join(home, 'pulumi-workflow-agent.yaml'), file, { mode: 0o600 });

  const certificates =
    isRelayed || config.caCertificate === undefined ? undefined : join(home, 'certificates.pem');
  if (certificates !== undefined)
    await writeFile(certificates, trustedCertificates(config.caCertificate).join('\n'));

  const agent = await AgentProcess.start({
    program: program.agent,
    args: ['run'],
    directory: home,
    environment: agentEnvironment(config, environment, program.version, isRelayed, certificates),
    redactor: options.redactor,
    onLine: (line) => observer.printed(line),
  });

  log('info', `Pulumi's agent ${program.version} is running (process ${agent.pid}).`);

  const over = new AbortController();
  const exited = agent.exited.finally(() => over.abort());
  const url = `http://127.0.0.1:${port}/healthz`;
  const state = () => (see().hasWork ? 'running' : 'waiting');
  const health = watchHealth({ url, pid: agent.pid, record, state, clock, signal: over.signal });
  const ending = await reasonToEnd({ ...options, maxWaitMs, graceMs, see, giveNoWork, over: over.signal });
  const began = clock.steady();
  const grace = ending?.by === 'lease' ? Math.min(graceMs, LEASE_END_MS) : graceMs;

  if (ending !== undefined) {
    sayEnding(ending, options);
    await endAgent(agent, grace, skipGrace);
  }

  const exit = await exited;
  await health;

  const left = Math.max(MIN_GRACE_MS, grace - (clock.steady() - began));
  for (const line of await observer.endContainers(left, skipGrace)) {
    record.notice('warning', line);
    log('warning', line);
  }

  watched.abort();

  const { known, ...seen } = await observer.close(exit);
  const { version } = program;
  const verdict = verdictOf({ ...seen, exit, ending, lastOutput: agent.lastOutput, version, waited: config });

  if (verdict.outcome === 'succeeded' && exit.code !== 0)
    record.notice(
      'warning',
      `Pulumi's agent ended with ${exit.signal ?? `exit code ${exit.code}`}, although every step had succeeded.`,
    );

  const reported =
    seen.run === undefined || seen.run.isUnseen ? {} : { reported: seen.run.verdict !== 'unfinished' };
  return endOf(options, verdict, {
    ...known,
    ...seen.run?.claim,
    engine: { name: 'pulumi', version },
    ...(seen.run?.claim && reported),
  });
}

function sayEnding({ by, reason }: AgentStop, { log, record }: PulumiRunOptions): void {
  if (by === 'signal' || by === 'lease') record.event({ type: 'stopping', by, reason });
  log(by === 'wait' ? 'info' : 'warning', `Stopping Pulumi's agent: ${reason}.`);
}

function endOf(
  { config, environment }: PulumiRunOptions,
  { outcome, message, code }: Verdict,
  known: SeenEnd,
): RunEnd {
  const { serviceUrl, organizationName, runnerPoolId, envForwardAllowlist } = config;
  return {
    outcome,
    message,
    ...defined({ code, consoleUrl: consoleUrl(config, organizationName) }),
    ...defined({ organization: organizationName, pool: runnerPoolId }),
    engine: { name: 'pulumi' },
    exitCode: exitCodeOf(outcome, config),
    serviceUrl,
    runSeconds: 0,
    forwarded: envForwardAllowlist.filter((name) => environment[name] !== undefined),
    ...known,
  };
}
