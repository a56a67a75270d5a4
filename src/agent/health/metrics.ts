import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PollResult } from '../../cloud/deployments.ts';
import type { Outcome } from '../../outcome.ts';
import type { RecordEventBody } from '../../record/schema.ts';
import {
  type AgentState,
  METRICS,
  type MetricDefinition,
  type MetricName,
  type Purpose,
  type RequestResult,
} from './metric-table.ts';

/** What is read at the moment of a scrape. Times are milliseconds since the epoch. */
export interface Readings {
  readonly state: AgentState;
  readonly healthy: boolean;
  readonly lastActivity: number;
  /** Of the running job: when a heartbeat was accepted last, or its claim. */
  readonly lastHeartbeat: number | undefined;
}

interface JobFigures {
  readonly outcome: Outcome;
  readonly seconds: number;
}

/** What a log has grown by. */
export interface LogFigures {
  readonly bytes?: number;
  readonly sent?: number;
  readonly undelivered?: number;
}

interface MetricsOptions {
  readonly version: string;
  /** As a clock's: for durations. */
  readonly steady: () => number;
}

type Labels = Readonly<Record<string, string>>;
type Of<T extends string> = { [K in MetricName]: (typeof METRICS)[K]['type'] extends T ? K : never }[MetricName];

/** Counts what the agent does, over all its jobs, for `/metrics`. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #registry = new Registry();
  /** When the job was claimed whose first step has not begun yet. */
  #claimed: number | undefined;

  constructor(options: MetricsOptions) {
    this.#options = options;
    for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
      const { type, help, labels = {}, buckets = [] } = definition;
      const [[label, values] = [undefined, []], ...others] = Object.entries(labels);
      const common = { name, help, labelNames: Object.keys(labels), registers: [this.#registry] };
      if (type === 'gauge') new Gauge(common);
      else if (type === 'histogram') new Histogram({ ...common, buckets: [...buckets] });
      else {
        const counter = new Counter(common);
        // A counter begins at 0, so that its first rise is seen as one. Two labels would make more series than will ever be used.
        if (others.length === 0)
          for (const value of values) if (label !== undefined) counter.inc({ [label]: value }, 0);
      }
    }
  }

  request(purpose: Purpose, result: RequestResult, seconds: number): void {
    this.#add('pulumi_runner_requests_total', 1, { purpose, result });
    this.#observe('pulumi_runner_request_duration_seconds', seconds, { purpose });
  }

  /** Polls, and counts how long that took and what it brought. Throws what `poll` throws. */
  async timedPoll(poll: () => Promise<PollResult>, noMoreTries: AbortSignal): Promise<PollResult> {
    const asked = this.#options.steady();
    const over = (result: 'claim' | 'nothing' | 'failure') =>
      this.#observe('pulumi_runner_poll_duration_seconds', (this.#options.steady() - asked) / 1000, { result });
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
    this.#add('pulumi_runner_heartbeats_total', 1, { result });
  }

  /** An event of the run's record. */
  event(event: RecordEventBody): void {
    if (event.type === 'claimed') {
      this.#claimed = this.#options.steady();
      this.#add('pulumi_runner_claims_total', 1);
    } else if (event.type === 'step-started' && event.index > 0 && this.#claimed !== undefined) {
      this.#observe('pulumi_runner_claim_to_first_step_seconds', (this.#options.steady() - this.#claimed) / 1000);
      this.#claimed = undefined;
    } else if (event.type === 'step-finished') {
      this.#add('pulumi_runner_steps_total', 1, { status: event.status });
    }
  }

  /** A claimed job has ended. */
  job({ outcome, seconds }: JobFigures): void {
    this.#claimed = undefined;
    this.#add('pulumi_runner_jobs_total', 1, { outcome });
    this.#observe('pulumi_runner_job_duration_seconds', seconds);
  }

  /** A log grows. */
  log({ bytes = 0, sent = 0, undelivered = 0 }: LogFigures): void {
    this.#add('pulumi_runner_output_bytes_total', bytes);
    this.#add('pulumi_runner_log_lines_total', sent, { result: 'sent' });
    this.#add('pulumi_runner_log_lines_total', undelivered, { result: 'undelivered' });
  }

  /** Everything in Prometheus' text format, and the content type of that. */
  async scrape({
    state,
    healthy,
    lastActivity,
    lastHeartbeat,
  }: Readings): Promise<{ text: string; contentType: string }> {
    const { steady, version } = this.#options;
    this.#set('pulumi_runner_build_info', 1, { version, node: process.version });
    for (const each of METRICS.pulumi_runner_agent_state.labels.state)
      this.#set('pulumi_runner_agent_state', each === state ? 1 : 0, { state: each });
    this.#set('pulumi_runner_healthy', healthy ? 1 : 0);
    this.#set('pulumi_runner_last_activity_timestamp_seconds', lastActivity / 1000);
    const age = lastHeartbeat === undefined ? 0 : Math.max(0, steady() - lastHeartbeat) / 1000;
    this.#set('pulumi_runner_heartbeat_age_seconds', age);
    const { user, system } = process.cpuUsage();
    this.#registry.getSingleMetric('process_cpu_seconds_total')?.reset();
    this.#add('process_cpu_seconds_total', (user + system) / 1e6);
    this.#set('process_resident_memory_bytes', process.memoryUsage.rss());
    this.#set('process_start_time_seconds', Date.now() / 1000 - process.uptime());
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  #add(name: Of<'counter'>, value: number, labels: Labels = {}): void {
    const metric = this.#registry.getSingleMetric(name);
    if (metric instanceof Counter) metric.inc(labels, value);
  }

  #set(name: Of<'gauge'>, value: number, labels: Labels = {}): void {
    const metric = this.#registry.getSingleMetric(name);
    if (metric instanceof Gauge) metric.set(labels, value);
  }

  #observe(name: Of<'histogram'>, seconds: number, labels: Labels = {}): void {
    const metric = this.#registry.getSingleMetric(name);
    if (metric instanceof Histogram) metric.observe(labels, seconds);
  }
}
