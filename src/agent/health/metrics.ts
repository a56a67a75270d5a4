import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { OUTCOME_NAMES, type Outcome } from '../../base/outcome.ts';
import { FENCE_MS } from '../../cloud/fence.ts';
import type { PollResult } from '../../cloud/pool-api.ts';
import type { RecordEventBody } from '../../record/schema.ts';

const STATES = ['starting', 'waiting', 'running', 'stopping', 'stopped'] as const;
export type AgentState = (typeof STATES)[number];

/** Histogram buckets, in seconds. */
const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const POLL_SECONDS = [...REQUEST_SECONDS, 60, 120];
const PREPARATION_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
const JOB_SECONDS = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400];

/** The values that a scrape reads. */
export interface Readings {
  readonly state: AgentState;
  readonly healthy: boolean;
  readonly paused: boolean;
  /** Milliseconds since the epoch. */
  readonly lastActivity: number;

  /**
   * The running job's last accepted heartbeat, or its claim, in milliseconds of the steady clock.
   */
  readonly lastHeartbeat: number | undefined;
}

/** How much a log has grown: bytes of output, lines sent and undelivered. */
export interface LogFigures {
  readonly bytes?: number;
  readonly sent?: number;
  readonly undelivered?: number;
}

/** All of `/metrics`, in the order of docs/observability.md. No label takes unbounded values. */
function metricsIn(registry: Registry) {
  const common = (name: string, help: string) => ({
    name: `pulumi_runner_${name}`,
    help,
    registers: [registry],
  });

  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ ...common(name, help), labelNames });
  const histogram = (name: string, buckets: number[], help: string, labelNames: string[] = []) =>
    new Histogram({ ...common(name, help), labelNames, buckets });

  const counter = (name: string, help: string, labels: Readonly<Record<string, readonly string[]>> = {}) => {
    const made = new Counter({ ...common(name, help), labelNames: Object.keys(labels) });
    // Start at 0, so that the first increment shows as a rise.
    for (const [label, values] of Object.entries(labels))
      for (const value of values) made.inc({ [label]: value }, 0);
    return made;
  };

  const build = 'Always 1; the labels are the versions of the agent and of Node.js.';
  const polls = "Polls for work, including retries and a new token; result is the poll's result.";
  const preparations =
    "Time from a claim to the start of the deployment's first step: definition, pull and container.";
  const heartbeatAge = `Seconds since the last accepted heartbeat, or since the claim; 0 while no job runs. A job is stopped at ${FENCE_MS / 1000}.`;
  const lines =
    'Log lines: sent once Pulumi Cloud has accepted them; undelivered, in the run directory only, once their step was given up.';
  const requests = 'Requests to Pulumi Cloud, each retry counted. Heartbeats have their own counter.';
  const requestSeconds = 'Time of requests to Pulumi Cloud, from sending to the end of the answer.';
  const outcomes = OUTCOME_NAMES.filter((outcome) => outcome !== 'no-work' && outcome !== 'skipped');
  const statuses = ['succeeded', 'failed'];

  return {
    build: gauge('build_info', build, ['version', 'node']),
    state: gauge('agent_state', '1 for the current state of the agent, 0 for the others.', ['state']),
    healthy: gauge('healthy', '1 while /healthz reports healthy, 0 while it reports unhealthy.'),
    paused: gauge(
      'claiming_paused',
      "1 while nothing is claimed after a fault of this runner, or an answer that can't be read; else 0.",
    ),
    activity: gauge(
      'last_activity_timestamp_seconds',
      'Time of the last progress of the agent, by which /healthz decides.',
    ),
    polls: histogram('poll_duration_seconds', POLL_SECONDS, polls, ['result']),
    claims: counter('claims_total', 'Deployments claimed.'),
    preparations: histogram('claim_to_first_step_seconds', PREPARATION_SECONDS, preparations),
    jobs: counter('jobs_total', 'Jobs that have ended, by outcome.', { outcome: outcomes }),
    jobSeconds: histogram(
      'job_duration_seconds',
      JOB_SECONDS,
      'Time from the claim to the last report of jobs that have ended.',
    ),
    steps: counter('steps_total', 'Steps that have ended, preparation included.', { status: statuses }),
    heartbeats: counter('heartbeats_total', 'Heartbeats of claimed jobs.', {
      result: ['accepted', 'failed'],
    }),
    heartbeatAge: gauge('heartbeat_age_seconds', heartbeatAge),
    lines: counter('log_lines_total', lines, { result: ['sent', 'undelivered'] }),
    bytes: counter('output_bytes_total', 'Redacted output of steps in bytes of UTF-8, counted as they run.'),
    // Two labels make more series than will ever be used, so none is created in advance.
    requests: counter('requests_total', requests, { purpose: [], result: [] }),
    requestSeconds: histogram('request_duration_seconds', REQUEST_SECONDS, requestSeconds, ['purpose']),
    ...processMetrics([registry]),
  };
}

/** Process metrics, by Prometheus' conventional names. */
function processMetrics(registers: Registry[]) {
  const cpu = { name: 'process_cpu_seconds_total', help: 'User and system CPU time of the agent.' };
  const memory = { name: 'process_resident_memory_bytes', help: 'Resident memory of the agent.' };
  const start = { name: 'process_start_time_seconds', help: 'Start time of the agent.' };

  return {
    cpu: new Counter({ ...cpu, registers }),
    memory: new Gauge({ ...memory, registers }),
    start: new Gauge({ ...start, registers }),
  };
}

/** Counts what the agent does, across all its jobs, for `/metrics`. */
export class Metrics {
  readonly #version: string;
  readonly #steady: () => number;
  readonly #registry = new Registry();
  readonly #metrics = metricsIn(this.#registry);
  /** The current job's claim, in milliseconds of the steady clock, until its first step begins. */
  #claimed: number | undefined;

  /** `steady` returns monotonic milliseconds. */
  constructor(version: string, steady: () => number) {
    this.#version = version;
    this.#steady = steady;
  }

  /** Counts a request; `result` is its status class, such as `2xx`, or `no-answer`. */
  request(purpose: string, result: string, seconds: number): void {
    this.#metrics.requests.inc({ purpose, result });
    this.#metrics.requestSeconds.observe({ purpose }, seconds);
  }

  /** Polls, and records the duration and the result. Throws what `poll` throws. */
  async timedPoll(poll: () => Promise<PollResult>, noMoreTries: AbortSignal): Promise<PollResult> {
    const began = this.#steady();
    const over = (result: 'claim' | 'nothing' | 'failure') =>
      this.#metrics.polls.observe({ result }, (this.#steady() - began) / 1000);

    try {
      const result = await poll();
      over(result.claim === undefined ? 'nothing' : 'claim');
      return result;
    } catch (error) {
      // A poll abandoned because the agent is ending says nothing about Pulumi Cloud.
      if (!noMoreTries.aborted) over('failure');
      throw error;
    }
  }

  heartbeat(result: 'accepted' | 'failed'): void {
    this.#metrics.heartbeats.inc({ result });
  }

  event(event: RecordEventBody): void {
    if (event.type === 'claimed') {
      this.#claimed = this.#steady();
      this.#metrics.claims.inc();
    } else if (event.type === 'step-started' && event.index > 0 && this.#claimed !== undefined) {
      this.#metrics.preparations.observe((this.#steady() - this.#claimed) / 1000);
      this.#claimed = undefined;
    } else if (event.type === 'step-finished') {
      this.#metrics.steps.inc({ status: event.status });
    }
  }

  /** Counts a claimed job that has ended. */
  job({ outcome, seconds }: { readonly outcome: Outcome; readonly seconds: number }): void {
    this.#claimed = undefined;
    this.#metrics.jobs.inc({ outcome });
    this.#metrics.jobSeconds.observe(seconds);
  }

  log({ bytes = 0, sent = 0, undelivered = 0 }: LogFigures): void {
    this.#metrics.bytes.inc(bytes);
    this.#metrics.lines.inc({ result: 'sent' }, sent);
    this.#metrics.lines.inc({ result: 'undelivered' }, undelivered);
  }

  /** All metrics in Prometheus' text format, with its content type. */
  async scrape(readings: Readings): Promise<{ text: string; contentType: string }> {
    const { lastActivity, lastHeartbeat = this.#steady() } = readings;
    const { build, state, healthy, paused, activity, heartbeatAge, cpu, memory, start } = this.#metrics;

    build.set({ version: this.#version, node: process.version }, 1);
    for (const each of STATES) state.set({ state: each }, each === readings.state ? 1 : 0);
    healthy.set(readings.healthy ? 1 : 0);
    paused.set(readings.paused ? 1 : 0);
    activity.set(lastActivity / 1000);
    heartbeatAge.set(Math.max(0, this.#steady() - lastHeartbeat) / 1000);

    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
    memory.set(process.memoryUsage.rss());
    start.set(Date.now() / 1000 - process.uptime());

    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
