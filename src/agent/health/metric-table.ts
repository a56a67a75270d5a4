import { OUTCOME_NAMES } from '../../outcome.ts';

/** What a metric is. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One line, for whoever reads the scrape or the document. */
  readonly help: string;
  /** Every label with every value it can take: none is unbounded. Of build information, `version` and `node` have one each. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  /** Seconds. */
  readonly buckets?: readonly number[];
}

const PURPOSES = [
  'token-exchange',
  'poll',
  'greeting',
  'acknowledgement',
  'job-definition',
  'step-status',
  'log-lines',
  'deployment-status',
  'other',
] as const;
/** What a request is for. */
export type Purpose = (typeof PURPOSES)[number];

const RESULTS = ['1xx', '2xx', '3xx', '4xx', '5xx', 'no-answer'] as const;
/** What came of a request: the class of its status, or no whole answer. */
export type RequestResult = (typeof RESULTS)[number];

/** Every metric of `/metrics`, once. docs/observability.md repeats this table; a test keeps the two in step. */
export const METRICS = {
  pulumi_runner_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels tell the version of the agent and of its Node.js.',
    labels: { version: [], node: [] },
  },
  pulumi_runner_agent_state: {
    type: 'gauge',
    help: '1 for what the agent is doing, 0 for the rest.',
    labels: { state: ['starting', 'waiting', 'running', 'stopping', 'stopped'] },
  },
  pulumi_runner_healthy: { type: 'gauge', help: '1 while /healthz says healthy, 0 while it says unhealthy.' },
  pulumi_runner_last_activity_timestamp_seconds: {
    type: 'gauge',
    help: 'When the agent last got on: the time that /healthz judges by.',
  },
  pulumi_runner_poll_duration_seconds: {
    type: 'histogram',
    help: 'Polls for work, retries and a new token included; result is what a poll brought.',
    labels: { result: ['claim', 'nothing', 'failure'] },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  },
  pulumi_runner_claims_total: { type: 'counter', help: 'Deployments claimed.' },
  pulumi_runner_claim_to_first_step_seconds: {
    type: 'histogram',
    help: "From a claim to the start of the deployment's first step: definition, pull and container.",
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
  },
  pulumi_runner_jobs_total: {
    type: 'counter',
    help: 'Jobs that have ended, by outcome.',
    labels: { outcome: OUTCOME_NAMES.filter((outcome) => outcome !== 'no-work') },
  },
  pulumi_runner_job_duration_seconds: {
    type: 'histogram',
    help: 'Jobs that have ended, from claim to last report.',
    buckets: [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400],
  },
  pulumi_runner_steps_total: {
    type: 'counter',
    help: 'Steps that have ended, preparation included.',
    labels: { status: ['succeeded', 'failed'] },
  },
  pulumi_runner_heartbeats_total: {
    type: 'counter',
    help: 'Heartbeats of claimed jobs.',
    labels: { result: ['accepted', 'failed'] },
  },
  pulumi_runner_heartbeat_age_seconds: {
    type: 'gauge',
    help: 'Seconds since the last accepted heartbeat, or since the claim; 0 while no job runs. A job is stopped at 480.',
  },
  pulumi_runner_log_lines_total: {
    type: 'counter',
    help: 'Log lines: sent to Pulumi Cloud, as it takes them, or undelivered when their step was given up, and in the run directory only.',
    labels: { result: ['sent', 'undelivered'] },
  },
  pulumi_runner_output_bytes_total: {
    type: 'counter',
    help: 'Output of steps, redacted, in bytes of UTF-8, while they run.',
  },
  pulumi_runner_requests_total: {
    type: 'counter',
    help: 'Requests to Pulumi Cloud, each try of its own. Heartbeats have a counter of their own.',
    labels: { purpose: PURPOSES, result: RESULTS },
  },
  pulumi_runner_request_duration_seconds: {
    type: 'histogram',
    help: 'Requests to Pulumi Cloud, from sending to the end of the answer.',
    labels: { purpose: PURPOSES },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time of the agent, user and system.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the agent.' },
  process_start_time_seconds: { type: 'gauge', help: 'When the agent was started.' },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The name of a metric. */
export type MetricName = keyof typeof METRICS;

/** The definition of `name`, with the fields it leaves out. */
export function metricOf(name: MetricName): MetricDefinition {
  return METRICS[name];
}

/** What the agent is doing. */
export type AgentState = (typeof METRICS)['pulumi_runner_agent_state']['labels']['state'][number];
