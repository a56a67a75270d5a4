import type { PollResult } from '../../cloud/deployments.ts';
import type { Outcome } from '../../outcome.ts';
import type { RecordEventBody } from '../../record/schema.ts';
import { type AgentState, METRICS, type Purpose, type RequestResult } from './metric-table.ts';
import { Prometheus } from './prometheus.ts';

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

/** Counts what the agent does, over all its jobs, for `/metrics`. */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #prometheus = new Prometheus();
  /** When the job was claimed whose first step has not begun yet. */
  #claimed: number | undefined;
  /** Since the last scrape. */
  #log = { bytes: 0, sent: 0, undelivered: 0 };

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  request(purpose: Purpose, result: RequestResult, seconds: number): void {
    this.#prometheus.add('pulumi_runner_requests_total', 1, { purpose, result });
    this.#prometheus.observe('pulumi_runner_request_duration_seconds', seconds, { purpose });
  }

  /** Polls, and counts how long that took and what it brought. Throws what `poll` throws. */
  async timedPoll(poll: () => Promise<PollResult>, noMoreTries: AbortSignal): Promise<PollResult> {
    const asked = this.#options.steady();
    const over = (result: 'claim' | 'nothing' | 'failure') => {
      const seconds = (this.#options.steady() - asked) / 1000;
      this.#prometheus.observe('pulumi_runner_poll_duration_seconds', seconds, { result });
    };
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
    this.#prometheus.add('pulumi_runner_heartbeats_total', 1, { result });
  }

  /** What the run's record is told. */
  event(event: RecordEventBody): void {
    if (event.type === 'claimed') {
      this.#claimed = this.#options.steady();
      this.#prometheus.add('pulumi_runner_claims_total', 1);
    } else if (event.type === 'step-started' && event.index > 0 && this.#claimed !== undefined) {
      const seconds = (this.#options.steady() - this.#claimed) / 1000;
      this.#claimed = undefined;
      this.#prometheus.observe('pulumi_runner_claim_to_first_step_seconds', seconds);
    } else if (event.type === 'step-finished') {
      const { status } = event;
      this.#prometheus.add('pulumi_runner_steps_total', 1, { status });
    }
  }

  /** A claimed job has ended. */
  job({ outcome, seconds }: JobFigures): void {
    this.#claimed = undefined;
    this.#prometheus.add('pulumi_runner_jobs_total', 1, { outcome });
    this.#prometheus.observe('pulumi_runner_job_duration_seconds', seconds);
  }

  /** A log grows, thousands of times a second perhaps: only summed up here, for the next scrape. */
  log({ bytes = 0, sent = 0, undelivered = 0 }: LogFigures): void {
    this.#log.bytes += bytes;
    this.#log.sent += sent;
    this.#log.undelivered += undelivered;
  }

  /** Everything in Prometheus' text format, and the content type of that. */
  async scrape(readings: () => Readings): Promise<{ text: string; contentType: string }> {
    const prometheus = this.#prometheus;
    const { bytes, sent, undelivered } = this.#log;
    this.#log = { bytes: 0, sent: 0, undelivered: 0 };
    prometheus.add('pulumi_runner_log_lines_total', sent, { result: 'sent' });
    prometheus.add('pulumi_runner_log_lines_total', undelivered, { result: 'undelivered' });
    prometheus.add('pulumi_runner_output_bytes_total', bytes);
    const { state, healthy, lastActivity, lastHeartbeat } = readings();
    const { steady, version } = this.#options;
    prometheus.set('pulumi_runner_build_info', 1, { version, node: process.version });
    for (const each of METRICS.pulumi_runner_agent_state.labels.state)
      prometheus.set('pulumi_runner_agent_state', each === state ? 1 : 0, { state: each });
    prometheus.set('pulumi_runner_healthy', healthy ? 1 : 0);
    prometheus.set('pulumi_runner_last_activity_timestamp_seconds', lastActivity / 1000);
    const age = lastHeartbeat === undefined ? 0 : Math.max(0, steady() - lastHeartbeat) / 1000;
    prometheus.set('pulumi_runner_heartbeat_age_seconds', age);
    const { user, system } = process.cpuUsage();
    prometheus.setTotal('process_cpu_seconds_total', (user + system) / 1e6);
    prometheus.set('process_resident_memory_bytes', process.memoryUsage.rss());
    prometheus.set('process_start_time_seconds', (Date.now() - performance.now()) / 1000);
    return { text: await prometheus.text(), contentType: prometheus.contentType };
  }
}
