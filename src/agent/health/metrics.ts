import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Timepiece } from '../../clock.ts';
import type { PollResult } from '../../cloud/deployments.ts';
import { OUTCOME_NAMES, type Outcome } from '../../outcome.ts';
import type { RecordEventBody } from '../../record/schema.ts';

const STATES = ['starting', 'waiting', 'running', 'stopping', 'stopped'] as const;
/** What the agent is doing. */
export type AgentState = (typeof STATES)[number];

/** Seconds of a request, and of a poll with its retries. */
const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const POLL_SECONDS = [...REQUEST_SECONDS, 60, 120];
const PREPARATION_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
const JOB_SECONDS = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400];

/** What is read at the moment of a scrape. Times are milliseconds since the epoch. */
export interface Readings {
  readonly state: AgentState;
  readonly healthy: boolean;
  readonly lastActivity: number;
  /** Of the running job: when a heartbeat was accepted last, or its claim. */
  readonly lastHeartbeat: number | undefined;
}

/** What a log has grown by. */
export interface LogFigures {
  readonly bytes?: number;
  readonly sent?: number;
  readonly undelivered?: number;
}

interface MetricsOptions extends Pick<Timepiece, 'steady'> {
  readonly version: string;
}

/** Every metric of `/metrics`, in the order of docs/observability.md, which repeats them; no label takes unbounded values. */
function metricsIn(registry: Registry) {
  const common = (name: string, help: string) => ({ name: `pulumi_runner_${name}`, help, registers: [registry] });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ ...common(name, help), labelNames });
  const histogram = (name: string, buckets: number[], help: string, labelNames: string[] = []) =>
    new Histogram({ ...common(name, help), labelNames, buckets });
  const counter = (name: string, help: string, labels: Readonly<Record<string, readonly string[]>> = {}) => {
    const made = new Counter({ ...common(name, help), labelNames: Object.keys(labels) });
    // It begins at 0, so that its first rise is seen as one.
    for (const [label, values] of Object.entries(labels)) for (const value of values) made.inc({ [label]: value }, 0);
    return made;
  };
  const build = 'Always 1; the labels tell the version of the agent and of its Node.js.';
  const polls = 'Polls for work, retries and a new token included; result is what a poll brought.';
  const preparations = "From a claim to the start of the deployment's first step: definition, pull and container.";
  const heartbeatAge =
    'Seconds since the last accepted heartbeat, or since the claim; 0 while no job runs. A job is stopped at 480.';
  const lines =
    'Log lines: sent to Pulumi Cloud, as it takes them, or undelivered when their step was given up, and in the run directory only.';
  const requests = 'Requests to Pulumi Cloud, each try of its own. Heartbeats have a counter of their own.';
  const requestSeconds = 'Requests to Pulumi Cloud, from sending to the end of the answer.';
  const outcomes = OUTCOME_NAMES.filter((outcome) => outcome !== 'no-work');
  const statuses = ['succeeded', 'failed'];
  return {
    build: gauge('build_info', build, ['version', 'node']),
    state: gauge('agent_state', '1 for what the agent is doing, 0 for the rest.', ['state']),
    healthy: gauge('healthy', '1 while /healthz says healthy, 0 while it says unhealthy.'),
    activity: gauge('last_activity_timestamp_seconds', 'When the agent last got on: the time that /healthz judges by.'),
    polls: histogram('poll_duration_seconds', POLL_SECONDS, polls, ['result']),
    claims: counter('claims_total', 'Deployments claimed.'),
    preparations: histogram('claim_to_first_step_seconds', PREPARATION_SECONDS, preparations),
    jobs: counter('jobs_total', 'Jobs that have ended, by outcome.', { outcome: outcomes }),
    jobSeconds: histogram('job_duration_seconds', JOB_SECONDS, 'Jobs that have ended, from claim to last report.'),
    steps: counter('steps_total', 'Steps that have ended, preparation included.', { status: statuses }),
    heartbeats: counter('heartbeats_total', 'Heartbeats of claimed jobs.', { result: ['accepted', 'failed'] }),
    heartbeatAge: gauge('heartbeat_age_seconds', heartbeatAge),
    lines: counter('log_lines_total', lines, { result: ['sent', 'undelivered'] }),
    bytes: counter('output_bytes_total', 'Output of steps, redacted, in bytes of UTF-8, while they run.'),
    // Its two labels would make more series than will ever be used: none is there from the start.
    requests: counter('requests_total', requests, { purpose: [], result: [] }),
    requestSeconds: histogram('request_duration_seconds', REQUEST_SECONDS, requestSeconds, ['purpose']),
    ...processMetrics([registry]),
  };
}

/** By the names that every program's have. */
function processMetrics(registers: Registry[]) {
  const cpu = { name: 'process_cpu_seconds_total', help: 'Processor time of the agent, user and system.' };
  const memory = { name: 'process_resident_memory_bytes', help: 'Resident memory of the agent.' };
  const start = { name: 'process_start_time_seconds', help: 'When the agent was started.' };
  return {
    cpu: new Counter({ ...cpu, registers }),
    memory: new Gauge({ ...memory, registers }),
    start: new Gauge({ ...start, registers }),
  };
}

/** Counts what the agent does, over all its jobs, for `/metrics`. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #registry = new Registry();
  readonly #metrics = metricsIn(this.#registry);
  /** When the job was claimed whose first step has not begun yet. */
  #claimed: number | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  /** A request is over; `result` is the class of its status, as `2xx`, or `no-answer`. */
  request(purpose: string, result: string, seconds: number): void {
    this.#metrics.requests.inc({ purpose, result });
    this.#metrics.requestSeconds.observe({ purpose }, seconds);
  }

  /** Polls, and counts how long that took and what it brought. Throws what `poll` throws. */
  async timedPoll(poll: () => Promise<PollResult>, noMoreTries: AbortSignal): Promise<PollResult> {
    const asked = this.#options.steady();
    const over = (result: 'claim' | 'nothing' | 'failure') =>
      this.#metrics.polls.observe({ result }, (this.#options.steady() - asked) / 1000);
    try {
      const result = await poll();
      over(result.claim === undefined ? 'nothing' : 'claim');
      return result;
    } catch (error) {
      // One that was given up because the agent ends says nothing of Pulumi Cloud.
      if (!noMoreTries.aborted) over('failure');
      throw error;
    }
  }

  heartbeat(result: 'accepted' | 'failed'): void {
    this.#metrics.heartbeats.inc({ result });
  }

  /** An event of the run's record. */
  event(event: RecordEventBody): void {
    if (event.type === 'claimed') {
      this.#claimed = this.#options.steady();
      this.#metrics.claims.inc();
    } else if (event.type === 'step-started' && event.index > 0 && this.#claimed !== undefined) {
      this.#metrics.preparations.observe((this.#options.steady() - this.#claimed) / 1000);
      this.#claimed = undefined;
    } else if (event.type === 'step-finished') {
      this.#metrics.steps.inc({ status: event.status });
    }
  }

  /** A claimed job has ended. */
  job({ outcome, seconds }: { readonly outcome: Outcome; readonly seconds: number }): void {
    this.#claimed = undefined;
    this.#metrics.jobs.inc({ outcome });
    this.#metrics.jobSeconds.observe(seconds);
  }

  /** A log grows. */
  log({ bytes = 0, sent = 0, undelivered = 0 }: LogFigures): void {
    this.#metrics.bytes.inc(bytes);
    this.#metrics.lines.inc({ result: 'sent' }, sent);
    this.#metrics.lines.inc({ result: 'undelivered' }, undelivered);
  }

  /** Everything in Prometheus' text format, and the content type of that. */
  async scrape(readings: Readings): Promise<{ text: string; contentType: string }> {
    const { steady, version } = this.#options;
    const { lastActivity, lastHeartbeat = steady() } = readings;
    const { build, state, healthy, activity, heartbeatAge, cpu, memory, start } = this.#metrics;
    build.set({ version, node: process.version }, 1);
    for (const each of STATES) state.set({ state: each }, each === readings.state ? 1 : 0);
    healthy.set(readings.healthy ? 1 : 0);
    activity.set(lastActivity / 1000);
    heartbeatAge.set(Math.max(0, steady() - lastHeartbeat) / 1000);
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
    memory.set(process.memoryUsage.rss());
    start.set(Date.now() / 1000 - process.uptime());
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
