import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
import type { SecretSink } from '../base/log/redactor.ts';
import type { ProcessExit } from '../base/process.ts';
import type { DockerEngine } from '../executor/docker/engine/engine.ts';
import type { RunEnd } from '../record/run-record.ts';
import { type JobContainer, JobContainers } from './job-containers.ts';
import { outputObserver } from './output-observer.ts';
import { type ProxyAddress, proxyAddress } from './proxy/address.ts';
import { proxyObserver } from './proxy-observer.ts';
import type { LastPoll } from './recorder/call-reader.ts';
import { Recorder } from './recorder/recorder.ts';
import type { PulumiAgentRun } from './run.ts';
import type { RunState } from './stop.ts';
import type { ReportedJob } from './verdict.ts';

/**
 * One run of Pulumi's agent, observed from outside: by its calls (proxy-observer.ts) or, where they
 * can't be seen, by its output (output-observer.ts). Disposal frees what it holds, also if the agent
 * never started.
 */
export interface RunObserver extends AsyncDisposable {
  /** The URL that the agent uses as Pulumi Cloud's. */
  readonly serviceUrl: string;
  /** True if all of the agent's calls go through the proxy. */
  readonly isProxied: boolean;
  readonly state: () => RunState;
  /** Called with each line that the agent prints. No more is read until the promise resolves. */
  readonly onLine: (line: string) => Promise<void> | void;
  /** Stops giving out work; resolves when no claim can be under way. */
  readonly giveNoWork: () => Promise<void>;
  /** Called once the agent and its containers have ended. Never rejects. */
  readonly close: (exit: ProcessExit) => Promise<Observations>;
}

/** The observations of a run, at its end. */
export interface Observations {
  /** Undefined if only the agent's output was seen. */
  readonly job: ReportedJob | undefined;
  readonly lastPoll: LastPoll | undefined;
  /** The path of the first refused call of Pulumi's CLI with a secret of the job. */
  readonly refusedCli: string | undefined;
  /** The observed parts of the run's end. */
  readonly end: ObservedEnd;
}

export interface ObservedEnd extends Partial<RunEnd> {
  readonly steps: RunEnd['steps'];
  readonly waitSeconds: number;
}

interface ObservationOptions {
  /** The version of Pulumi's agent. */
  readonly version: string;
  readonly secrets: SecretSink;
  /** The Docker engine that jobs run on; undefined where they run elsewhere. */
  readonly engine: DockerEngine | undefined;
  /** The folder that only this run's agent mounts. */
  readonly shared: string;
  /** Aborts when watching should end. */
  readonly signal: AbortSignal;
}

/** Observes the run through the proxy where that is possible; elsewhere by its output, and says why. */
export async function observe(
  run: PulumiAgentRun,
  { version, secrets, engine, shared, signal }: ObservationOptions,
): Promise<{ observer: RunObserver; containers: JobContainers | undefined }> {
  const { config, environment, clock, serverClock, log, redactor, record, runDirectory, onClaim } = run;
  const proxy = await addressForProxy(config, environment, engine, signal);
  const isProxied = 'address' in proxy;

  if (!isProxied) {
    const sentence = `The relay is off: ${proxy.obstacle}. Steps and their logs are not visible; the agent's own log replaces them.`;
    record.notice('warning', sentence);
    log('warning', sentence);
  }

  record.event({
    type: 'target-ready',
    target: config.deployTarget,
    detail: `Pulumi's agent ${version}, ${isProxied ? 'through' : 'without'} the relay`,
  });

  /** Texts that only containers of this run name. */
  const marks = [shared];

  const onFound = ({ id, name, image }: JobContainer): void => {
    const sentence = `Pulumi's agent started container ${name} (${id.slice(0, 12)}) of ${image}.`;
    record.event({ type: 'container', id, name });
    log('info', sentence);
    if (!isProxied) record.notice('info', sentence);
  };

  const isOurs = (description: string) => marks.some((mark) => description.includes(mark));
  const containers = engine && new JobContainers({ engine, isOurs, onFound, signal });

  if (!isProxied) {
    // Outside Docker nothing shows whether there is work, so no run is ended for lack of it.
    const hasWork = () => containers === undefined || containers.startCount > 0;
    const { serviceUrl } = config;
    return { observer: outputObserver({ serviceUrl, clock, redactor, record, hasWork }), containers };
  }

  const { address } = proxy;
  const recorder = new Recorder({
    config,
    clock,
    serverClock,
    redactor,
    secrets,
    record,
    runDirectory,
    onClaim,
  });
  const observer = await proxyObserver({
    config,
    environment,
    address,
    clock,
    log,
    secrets: redactor,
    recorder,
  });

  marks.push(new URL(observer.serviceUrl).host);

  return { observer, containers };
}

/** The address for the proxy, or a clause why the run does without it. */
async function addressForProxy(
  { engineRelay, deployTarget, envForwardAllowlist }: AgentConfig,
  environment: Environment,
  engine: DockerEngine | undefined,
  signal: AbortSignal,
): Promise<ProxyAddress> {
  if (!engineRelay) return { obstacle: 'engine_relay is false' };
  if (engine === undefined) return { obstacle: `jobs run on ${deployTarget}` };
  return proxyAddress({ engine, environment, envForwardAllowlist, signal });
}
