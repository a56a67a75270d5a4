import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { Agent, type Lifecycle } from '../../../src/agent/agent.ts';
import { Metrics } from '../../../src/agent/health/metrics.ts';
import { Shutdown } from '../../../src/agent/process/shutdown.ts';
import type { Cloud, Services } from '../../../src/agent/services.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { ownOwner } from '../../../src/base/owner.ts';
import type { CloudHttpOptions } from '../../../src/cloud/http.ts';
import { PoolApi } from '../../../src/cloud/pool-api.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import type { Executor } from '../../../src/executor/executor.ts';
import { trialOn } from '../../../src/executor/trial.ts';
import { readResult } from '../../../src/record/reader.ts';
import type { RunResult } from '../../../src/record/schema.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { cloudHttp } from '../cloud/cloud-http.ts';
import { ProcessExecutor } from '../job/process-executor.ts';
import { folder } from './claimed-run.ts';
import { configOf } from './config-of.ts';

/** An agent's parts, in one object. */
export type AgentOptions = Services & Lifecycle & Cloud;

interface Given {
  readonly config?: Readonly<Record<string, string>>;
  /** By default a new one, which stops after the test. */
  readonly cloud?: PulumiCloud;
  /** The agent's pool; `pool-1` by default. */
  readonly poolId?: string;
  readonly http?: Partial<CloudHttpOptions>;
  /** Not a function: the compiler would accept misspelt names in what one returns. */
  readonly options?: Partial<AgentOptions>;
}

/** True of what a trial has an executor prepare. */
export function isTrial({ labels }: Parameters<Executor['prepare']>[0]): boolean {
  return labels['pulumi-runner.run'] === 'trial';
}

/** An agent of an emulated Pulumi Cloud; the test sends its signals. */
export async function agentOf(given: Given = {}) {
  const { config: overrides = {}, poolId = 'pool-1', http: httpOptions = {}, options } = given;
  const cloud = given.cloud ?? (await PulumiCloud.start());
  if (given.cloud === undefined) onTestFinished(() => cloud.stop());
  const [directory, root] = [await folder(), await folder()];
  const token = cloud.createStaticToken(poolId);
  const config = configOf({
    token,
    service_url: cloud.url,
    single_run: 'true',
    http_server_port: '0',
    polling_interval: '50ms',
    job_status_loop_interval: '100ms',
    ...overrides,
  });
  const http = cloudHttp(cloud.url, { retryCount: 0, ...httpOptions });
  const tokens = new StaticToken(token);
  const process = new EventEmitter();
  const exit = () => expect.fail('the process was ended');
  const shutdown = new Shutdown({
    process,
    log: () => undefined,
    steady: systemClock.steady,
    graceMs: config.cancelGracePeriodMs,
    exit,
  });
  const redactor = new Redactor();
  const log: string[] = [];
  const target = new ProcessExecutor({ root });
  let runs = 0;
  const services: Services = {
    config,
    version: '1.2.3',
    metrics: new Metrics('1.2.3', () => performance.now()),
    owner: ownOwner(),
    clock: systemClock,
    log: (level, message) => log.push(`${level}: ${message}`),
    redactor,
    cloud: { http, tokens, pool: new PoolApi(http, tokens), ...options },
    executor: target,
    trial: trialOn(target, config),
    environment: {},
    labels: {},
    shutdown,
  };
  const runDirectory = () => {
    runs += 1;
    return join(directory, `run-${runs}`);
  };
  const agent = new Agent({ ...services, ...options }, { runDirectory, ...options });
  const enqueue = (job: unknown, stack = 'dev'): Deployment =>
    cloud.enqueue({ project: 'web', stack, poolId: 'pool-1', job });
  const result = (run = 1): Promise<RunResult | undefined> => readResult(join(directory, `run-${run}`));
  return {
    agent,
    cloud,
    directory,
    enqueue,
    log,
    result,
    /** Sends a signal or an uncaught error. */
    send: (name: string, value: unknown = name) => process.emit(name, value),
    target,
    root,
  };
}
