import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runUnderLease } from '../../../src/agent/claim.ts';
import { Health } from '../../../src/agent/health/health.ts';
import { Metrics } from '../../../src/agent/health/metrics.ts';
import type { JobEnd } from '../../../src/agent/job/job-end.ts';
import { StopRequested, StopSource } from '../../../src/agent/job/stop.ts';
import { Shutdown } from '../../../src/agent/process/shutdown.ts';
import type { Run, Services } from '../../../src/agent/services.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { defined } from '../../../src/base/defined.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { ownOwner } from '../../../src/base/owner.ts';
import type { CloudHttpOptions } from '../../../src/cloud/http.ts';
import { PoolApi } from '../../../src/cloud/pool-api.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import { trialOn } from '../../../src/executor/trial.ts';
import { parseEvent } from '../../../src/record/reader.ts';
import { RunRecord } from '../../../src/record/run-record.ts';
import { type RecordEvent, RUN_FILES } from '../../../src/record/schema.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { cloudHttp, never } from '../cloud/cloud-http.ts';
import { ProcessExecutor, type ProcessExecutorOptions } from '../job/process-executor.ts';
import { temporaryDirectory as folder } from '../run/temporary-directory.ts';
import { configOf } from './config-of.ts';

export { folder };

export interface Scene {
  /** The job as Pulumi Cloud sends it; its container's files are in `root`. */
  readonly job: unknown | ((root: string) => unknown);
  readonly oidcToken?: string;
  readonly cloud?: PulumiCloudOptions;
  readonly http?: Partial<CloudHttpOptions>;
  readonly config?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly target?: Omit<ProcessExecutorOptions, 'root'>;
  readonly options?: Partial<Services & Run & Parameters<typeof runUnderLease>[2]>;
}

const unexpected = () => expect.fail('the process was ended');
const newMetrics = () => new Metrics('0', () => performance.now());

/** An agent's health that isn't written anywhere. */
export function quietHealth(): Health {
  return new Health({
    thresholdMs: 60_000,
    clock: systemClock,
    onSnapshot: () => undefined,
    metrics: newMetrics(),
  });
}

/** A claim of an emulated deployment, not served yet, and everything needed to serve it. */
export type ClaimedRun = Awaited<ReturnType<typeof claimed>>;

/** Queues the scene's job at an emulated Pulumi Cloud and claims it. */
export async function claimed(scene: Scene) {
  const cloud = await PulumiCloud.start(scene.cloud);
  onTestFinished(() => cloud.stop());
  const [directory, root] = [await folder(), await folder()];
  const job = typeof scene.job === 'function' ? scene.job(root) : scene.job;
  const deployment = cloud.enqueue({
    project: 'web',
    stack: 'dev',
    poolId: 'pool-1',
    job,
    ...defined({ oidcToken: scene.oidcToken }),
  });
  const token = cloud.createStaticToken('pool-1');
  const config = configOf({ token, service_url: cloud.url, cancel_grace_period: '10s', ...scene.config });
  const http = cloudHttp(cloud.url, scene.http);
  const tokens = new StaticToken(token);
  const pool = new PoolApi(http, tokens);
  const redactor = new Redactor();
  const owner = ownOwner();
  const target = new ProcessExecutor({ root, ...scene.target });
  const { claim = expect.fail('there is no claim') } = await pool.poll(never, never);
  const notices: string[] = [];
  const [interrupt, abandon] = [new AbortController(), new AbortController()];
  const stop = new StopSource({ interrupted: interrupt.signal, reportsAbandoned: abandon.signal });
  const file = (path: string) => readFile(join(directory, path), 'utf8');
  return {
    cloud,
    deployment,
    directory,
    root,
    target,
    notices,
    /** Serves the claim to its end. */
    serve: (): Promise<JobEnd> => {
      const record = new RunRecord({
        version: '0',
        owner,
        now: () => Date.now(),
        redact: (text) => redactor.text(text),
      });
      record.open(directory);
      const services: Services = {
        config,
        version: '0',
        owner,
        clock: systemClock,
        log: () => undefined,
        redactor,
        cloud: { http, tokens, pool },
        executor: target,
        trial: trialOn(target, config),
        shutdown: new Shutdown({
          process: new EventEmitter(),
          log: () => undefined,
          steady: systemClock.steady,
          graceMs: 0,
          exit: unexpected,
        }),
        environment: scene.environment ?? {},
        labels: {},
        metrics: newMetrics(),
      };
      const run: Run = {
        record,
        secrets: redactor.scope(),
        say: (level, message) => level === 'warning' && notices.push(message),
        stop,
      };
      const options = { claim, health: quietHealth(), identify: async () => ({}) };
      const { options: more } = scene;
      return runUnderLease({ ...services, ...more }, { ...run, ...more }, { ...options, ...more });
    },
    stop,
    /** Does what an interrupt of the agent does. */
    interrupt: () =>
      interrupt.abort(new StopRequested({ by: 'signal', reason: 'the agent was interrupted by SIGINT' })),
    /** Drops the reports that Pulumi Cloud doesn't have yet. */
    abandonReports: () => abandon.abort(),
    /** Resolves when Pulumi Cloud has the line `text` from any step. */
    printed: (text: string): Promise<unknown> =>
      cloud.waitFor(
        () => deployment.steps.some(({ lines }) => lines.some(({ l }) => l === `${text}\n`)),
        15_000,
      ),
    /** Each step's name and the statuses that Pulumi Cloud received. */
    get told(): (readonly [name: string, ...statuses: string[]])[] {
      return deployment.steps.map(({ name, statusHistory }) => [
        name,
        ...statusHistory.map(({ status }) => status),
      ]);
    },
    /** A step's lines as Pulumi Cloud has them. */
    log: (index: number): string => deployment.steps[index]!.lines.map(({ l }) => l).join(''),
    /** The text of a file in the run directory. */
    file,
    events: async (): Promise<RecordEvent[]> =>
      (await file(RUN_FILES.events))
        .split('\n')
        .flatMap((line) => (line === '' ? [] : (parseEvent(line) ?? []))),
    /** Expects what holds for every run: Pulumi Cloud knows its end, no report came after, its containers are gone. */
    expectOrderlyEnd: (): void => {
      expect(deployment.endReason).toBeDefined();
      expect(deployment.steps.map(({ status }) => status)).not.toContain('running');
      // A heartbeat may have been in flight when the last status was accepted.
      const job = cloud.requests.filter(
        ({ path }) => path.includes(deployment.jobId) && !path.endsWith('/heartbeat'),
      );
      expect(job.at(-1)).toMatchObject({ method: 'PATCH' });
      for (const container of target.containers) expect(container.removals).toBe(1);
    },
  };
}

/** A job with the agent's own step, then these. */
export function jobOf(...steps: readonly (string | Readonly<Record<string, unknown>>)[]): {
  steps: object[];
  shell: string;
} {
  const named = steps.map((step, index) => {
    const given = typeof step === 'string' ? { run: step } : step;
    return { name: `Step ${index + 1}`, ...given };
  });
  return { shell: 'sh', steps: [{ name: 'Setup', run: 'exit 99' }, ...named] };
}
