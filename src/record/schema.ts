/*
 * The record of a run: what the agent leaves in its run directory, and what is made of it. Read in this order:
 *
 *   schema.ts           the files, the events and the result; deployment.ts, changed-resources.ts, stack-lock.ts and
 *                       trace.ts have their parts; doctor-report.ts and plan-report.ts the reports of two commands
 *   run-record.ts       the writing side, on writer.ts; recorded-step.ts writes a step's log and events
 *   reader.ts           the reading side; growing-lines.ts reads logs, which can still grow
 *   output/             facts that a job's own output states: its changes, its error, its stack's lock
 *   run-directory.ts    the life of the directory: its name, whether its run has ended, its removal
 *   verification.ts     compares the files with their digests (digests.ts)
 *   report/             the report of a run (report.ts), as summary, comment and page
 *   telemetry/          the trace of a run
 */

import { z } from 'zod';
import type { Owner } from '../base/owner.ts';
import { changedResourcesSchema } from './changed-resources.ts';
import {
  codeSchema,
  driftRunSchema,
  identitySchema,
  outcomeSchema,
  ownDeploymentSchema,
} from './deployment.ts';
import { stackLockSchema } from './stack-lock.ts';
import { traceSchema } from './trace.ts';

/**
 * The run directory: the entire contract between the agent, which writes it, and the process that
 * started it.
 *
 *   agent.log            the agent's own log, one line each
 *   events.ndjson        typed events in order (RecordEvent)
 *   health.ndjson        one HealthSnapshot a line
 *   steps/NN-name.log    each step's redacted output; step 0 is the preparation of the container
 *   deployments/         with `trigger`, the record of each job, in a directory like this one
 *   wire.ndjson          the exchanges of Pulumi's agent with Pulumi Cloud, if enabled
 *   run.json             the result (RunResult), written last and in one piece
 *   run.json.part        the space reserved for it; at its end, once written, the event `reported`
 *
 * It contains no secrets: everything has passed the redactor. Times are RFC 3339 with milliseconds,
 * in UTC.
 */
export const RUN_FILES = {
  log: 'agent.log',
  events: 'events.ndjson',
  health: 'health.ndjson',
  steps: 'steps',
  deployments: 'deployments',
  wire: 'wire.ndjson',
  result: 'run.json',
  unfinished: 'run.json.part',
} as const;

const STEP_LOG = /^(?:deployments\/[\w-]+\/)?steps\/[\w.-]+\.log$/;

/** True for the path of a step's log as the agent writes it: a path from a file must not lead out of the run directory. */
export function isStepLog(path: string | undefined): path is string {
  return path !== undefined && STEP_LOG.test(path);
}

/** How a run or a job ended; `message` is the one sentence for the user. */
const verdict = {
  outcome: outcomeSchema,
  code: codeSchema,
  exitCode: z.number().int(),
  message: z.string(),
};

/** Valid names of the directory of a job's record, for the same reason. */
export const RECORD_DIRECTORY = /^deployments\/[\w-]+$/;

/** How a step ended. */
const stepEnd = {
  status: z.enum(['succeeded', 'failed']),
  exitCode: z.number().optional(),
  /** Why it failed, if the exit code alone doesn't say: `timed out after 1h0m0s`. */
  reason: z.string().optional(),
  /** The first error that the program of a failed step printed: its own words, redacted, on one line. */
  error: z.string().optional(),
  /** The kind of a failure that the exit code alone doesn't show. */
  failure: z.enum(['timeout', 'memory', 'not-run']).optional(),
  /** It ignored all signals, and ended with its container. */
  endedByForce: z.literal(true).optional(),
};

export type StepEnd = z.infer<z.ZodObject<typeof stepEnd>>;

/** The agent's process. */
export const ownerSchema = z.object({
  host: z.string(),
  pid: z.number().int().positive(),
  started: z.string(),
  space: z.string().optional(),
}) satisfies z.ZodType<Owner>;

/**
 * The place where an agent's jobs ran, to find its remains after a configuration change. Contains
 * no credentials.
 */
const placeSchema = z.discriminatedUnion('target', [
  z.object({ target: z.literal('docker') }),
  z.object({
    target: z.literal('kubernetes'),
    /**
     * Absolute path. Absent if there were several files, or a pod's own service account was used.
     */
    kubeconfig: z.string().optional(),
    /** The context used, and its API server. */
    context: z.string(),
    server: z.string(),
    namespace: z.string(),
  }),
]);

export type Place = z.infer<typeof placeSchema>;

const eventBodies = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('agent-started'),
    version: z.string(),
    owner: ownerSchema,
    trace: traceSchema.optional(),
  }),
  z.object({ type: z.literal('health-listening'), url: z.string() }),
  z.object({ type: z.literal('target-ready'), target: z.string(), detail: z.string() }),
  z.object({
    type: z.literal('authenticated'),
    method: z.enum(['oidc', 'token']),
    expiresAt: z.string().optional(),
  }),
  z.object({ type: z.literal('waiting'), polls: z.number(), nextPollSeconds: z.number() }),
  z.object({ type: z.literal('place'), place: placeSchema }),
  z.object({
    type: z.literal('claimed'),
    deploymentId: z.string(),
    runId: z.string(),
    jobId: z.string(),
    /** What the work says it is, where that isn't a deployment. */
    kind: z.string().optional(),
    waitSeconds: z.number(),
    /** The deployment's name and page, if known at the claim. */
    identity: identitySchema.optional(),
    deploymentUrl: z.string().optional(),
    /** The page of the organization's deployments, if known. */
    consoleUrl: z.string().optional(),
  }),
  /** The deployment's name, if only the job's definition tells it. */
  z.object({ type: z.literal('identified'), identity: identitySchema, deploymentUrl: z.string().optional() }),
  /** A container that Pulumi's agent started, recorded to find what it leaves behind. */
  z.object({ type: z.literal('container'), id: z.string(), name: z.string() }),
  z.object({ type: z.literal('job-loaded'), image: z.string(), steps: z.array(z.string()) }),
  z.object({ type: z.literal('step-started'), index: z.number().int(), step: z.string(), log: z.string() }),
  z.object({
    type: z.literal('step-finished'),
    index: z.number().int(),
    step: z.string(),
    ...stepEnd,
    seconds: z.number(),
    lines: z.number().int(),
  }),
  z.object({
    type: z.literal('stopping'),
    by: z.enum(['cloud', 'signal', 'lease', 'timeout', 'memory']),
    reason: z.string(),
  }),
  /** The state of a deployment that the run started and is responsible for. */
  ownDeploymentSchema.extend({ type: z.literal('own-deployment') }),
  z.object({ type: z.literal('notice'), level: z.enum(['info', 'warning']), message: z.string() }),
  /**
   * How the job ends, and whether Pulumi Cloud accepted its last status. Final but for the record's
   * end: what may still fail or be killed is the removal of its container. No full disk refuses it.
   */
  z.object({ type: z.literal('reported'), ...verdict, reported: z.boolean() }),
  z.object({ type: z.literal('outcome'), ...verdict }),
]);

/** An event without its time. */
export type RecordEventBody = z.infer<typeof eventBodies>;

/** One line of events.ndjson. */
export type RecordEvent = RecordEventBody & { t: string };

export const recordEventSchema = z.intersection(eventBodies, z.object({ t: z.string() }));

const stepResultSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  ...stepEnd,
  status: z.enum(['not-started', 'succeeded', 'failed']),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  /** Path inside the run directory. */
  log: z.string().optional(),
  lines: z.number().int(),
  bytes: z.number().int(),
  /** Of the log file, in hexadecimal; absent if the file is incomplete. */
  sha256: z.string().optional(),
  /**
   * Lines (in pieces of 40 KiB) delivered or not; calls accepted, repeated, failed, if this run's
   * agent made them.
   */
  cloud: z.object({
    sent: z.number().int(),
    undelivered: z.number().int(),
    batches: z.number().int().optional(),
    retries: z.number().int().optional(),
    failures: z.number().int().optional(),
  }),
  /** Lines lost because neither the disk nor its buffer could hold them. Absent if none. */
  lost: z.number().int().optional(),
});

export type StepResult = z.infer<typeof stepResultSchema>;

/** A job's confinement, by its engine. Absent without a container. */
const confinementSchema = z.object({
  /**
   * The container's runtime as created; on Kubernetes the pod's RuntimeClass. Absent where the
   * cluster's default counts.
   */
  runtime: z.string().optional(),
  /**
   * The Docker engine's own report, such as `seccomp builtin` and `AppArmor`. Absent on Kubernetes,
   * which has none.
   */
  engine: z.array(z.string()).optional(),
});

export type Confinement = z.infer<typeof confinementSchema>;

/**
 * A record that a run keeps in `deployments/`, with the SHA-256 of its run.json in hexadecimal,
 * absent if it has none.
 */
const jobRecordSchema = z.object({ directory: z.string(), sha256: z.string().optional() });

export type JobRecord = z.infer<typeof jobRecordSchema>;

/** run.json. */
export const runResultSchema = z.object({
  schema: z.literal(1),
  ...verdict,
  version: z.string(),
  owner: ownerSchema,
  /**
   * The program that ran the job: ours, or Pulumi's agent, whose version is absent until it is
   * found. Absent if another agent ran it.
   */
  engine: z.object({ name: z.enum(['own', 'pulumi']), version: z.string().optional() }).optional(),
  serviceUrl: z.string().optional(),
  /** The organization and the ID of its pool, as configured; a pool token needs neither. */
  organization: z.string().optional(),
  pool: z.string().optional(),
  deploymentId: z.string().optional(),
  runId: z.string().optional(),
  jobId: z.string().optional(),
  /** What the work says it is, where that isn't a deployment. */
  kind: z.string().optional(),
  /** The deployment's name, if known. */
  identity: identitySchema.optional(),
  /** The pages of the organization's deployments and of this deployment, if known. */
  consoleUrl: z.string().optional(),
  deploymentUrl: z.string().optional(),
  startedAt: z.string(),
  claimedAt: z.string().optional(),
  finishedAt: z.string(),
  waitSeconds: z.number(),
  runSeconds: z.number(),
  image: z.string().optional(),
  imageDigest: z.string().optional(),
  confinement: confinementSchema.optional(),
  /** Pulumi Cloud accepted the job's last status. Absent without a claim. */
  reported: z.boolean().optional(),
  /** Names, never values, of the forwarded variables. */
  forwarded: z.array(z.string()),
  notices: z.array(z.string()),
  steps: z.array(stepResultSchema),
  /**
   * Deployments the run started, in the order of its stacks, each with a run directory. Absent
   * without `trigger`.
   */
  deployments: z.array(ownDeploymentSchema).optional(),
  /** Every record in `deployments/`, in the order of names. Absent without `trigger`. */
  records: z.array(jobRecordSchema).optional(),
  /**
   * A detection of drift found some, one of the run's own or the job; absent if none looked or it
   * isn't known.
   */
  drift: z.boolean().optional(),
  /** Of a job that no run of ours started: where `drift` is true, if Pulumi Cloud reports it. */
  driftRun: driftRunSchema.optional(),
  /** The resources that the job changed; absent if neither Pulumi Cloud nor the output names any update. */
  resources: changedResourcesSchema.optional(),
  /** The lock of the job's stack, where the job met or may have left one. */
  lock: stackLockSchema.optional(),
  trace: traceSchema.optional(),
  /** Another agent ran it; the result is what Pulumi Cloud reports. */
  elsewhere: z.literal(true).optional(),
});

export type RunResult = z.infer<typeof runResultSchema>;

/** One line of health.ndjson. */
export const healthSnapshotSchema = z.object({
  t: z.string(),
  status: z.enum(['healthy', 'unhealthy']),
  state: z.string(),
  lastActivity: z.string(),
  rssBytes: z.number(),
});

export type HealthSnapshot = z.infer<typeof healthSnapshotSchema>;
