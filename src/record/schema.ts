import { z } from 'zod';
import { ownDeploymentSchema } from './deployment.ts';
import { code, outcome } from './outcome.ts';

/**
 * The run directory: the whole contract between the agent, which writes it, and the one that started it.
 *
 *   agent.log            the agent's own log, one line each
 *   events.ndjson        typed events in order (RecordEvent)
 *   health.ndjson        one HealthSnapshot a line
 *   steps/NN-name.log    each step's redacted output; step 0 is the environment's preparation
 *   wire.ndjson          the conversation of Pulumi's agent with Pulumi Cloud, where that is wanted
 *   run.json             the result (RunResult), written last and in one piece
 *
 * Nothing in it is secret: everything passed the redactor. Times are RFC 3339 with milliseconds, in UTC.
 */
export const RUN_FILES = {
  log: 'agent.log',
  events: 'events.ndjson',
  health: 'health.ndjson',
  steps: 'steps',
  wire: 'wire.ndjson',
  result: 'run.json',
} as const;

const stepStatus = z.enum(['succeeded', 'failed']);

/** Who runs: enough to tell a living process from another with the same number. */
export const ownerSchema = z.object({
  host: z.string(),
  pid: z.number().int().positive(),
  /** The kernel's start time of the process: opaque, only ever compared. */
  started: z.string(),
});
export type Owner = z.infer<typeof ownerSchema>;

/** Where an agent's jobs run, and so what it leaves: true even when the configuration has changed since. No credentials. */
export const placeSchema = z.discriminatedUnion('target', [
  z.object({ target: z.literal('docker') }),
  z.object({
    target: z.literal('kubernetes'),
    /** Absolute path. Absent where it was several files, or a pod's own service account. */
    kubeconfig: z.string().optional(),
    /** One of its contexts, and the API server that this led to. */
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
    /** Where the owner's number counts, opaque; only a lasting agent tells it, for the removal of old runs. */
    space: z.string().optional(),
  }),
  z.object({ type: z.literal('health-listening'), url: z.string() }),
  z.object({ type: z.literal('target-ready'), target: z.string(), detail: z.string() }),
  z.object({ type: z.literal('authenticated'), method: z.enum(['oidc', 'token']), expiresAt: z.string().optional() }),
  z.object({ type: z.literal('waiting'), polls: z.number(), nextPollSeconds: z.number() }),
  z.object({ type: z.literal('place'), place: placeSchema }),
  z.object({
    type: z.literal('claimed'),
    deploymentId: z.string(),
    runId: z.string(),
    jobId: z.string(),
    waitSeconds: z.number(),
    /** The deployment's own page; known only of a deployment that the agent started itself. */
    deploymentUrl: z.string().optional(),
    /** The page of the organization's deployments, as far as it is known. */
    consoleUrl: z.string().optional(),
  }),
  /** One that Pulumi's agent started: what it leaves is found by it. */
  z.object({ type: z.literal('container'), id: z.string(), name: z.string() }),
  z.object({ type: z.literal('job-loaded'), image: z.string(), steps: z.array(z.string()) }),
  z.object({ type: z.literal('step-started'), index: z.number().int(), step: z.string(), log: z.string() }),
  z.object({
    type: z.literal('step-finished'),
    index: z.number().int(),
    step: z.string(),
    status: stepStatus,
    exitCode: z.number().optional(),
    seconds: z.number(),
    lines: z.number().int(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('stopping'),
    by: z.enum(['cloud', 'signal', 'lease', 'timeout', 'memory']),
    reason: z.string(),
  }),
  /** How a deployment stands that the run started and answers for. */
  ownDeploymentSchema.extend({ type: z.literal('own-deployment') }),
  z.object({ type: z.literal('notice'), level: z.enum(['info', 'warning']), message: z.string() }),
  z.object({ type: z.literal('outcome'), outcome, code, exitCode: z.number().int(), message: z.string() }),
]);

/** What happened, without its time. */
export type RecordEventBody = z.infer<typeof eventBodies>;
/** One line of events.ndjson. */
export type RecordEvent = RecordEventBody & { t: string };
export const recordEventSchema = z.intersection(eventBodies, z.object({ t: z.string() }));

/** What became of one step. */
export const stepResultSchema = z.object({
  index: z.number().int(),
  name: z.string(),
  status: z.enum(['not-started', 'succeeded', 'failed']),
  exitCode: z.number().optional(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  reason: z.string().optional(),
  /** Path inside the run directory. */
  log: z.string().optional(),
  lines: z.number().int(),
  bytes: z.number().int(),
  /** Of the log's bytes as they are in the file, in hexadecimal digits; absent where there is no whole file, and in older records. */
  sha256: z.string().optional(),
  /** Lines that Pulumi Cloud took (pieces of 40 KiB) and not, and calls: accepted, repeated, failed. Older records don't have the calls. */
  cloud: z.object({
    sent: z.number().int(),
    undelivered: z.number().int(),
    batches: z.number().int().optional(),
    retries: z.number().int().optional(),
    failures: z.number().int().optional(),
  }),
  /** Lines that neither the disk nor the buffer in front of it could hold: nobody has them. Absent: none. */
  lost: z.number().int().optional(),
});
export type StepResult = z.infer<typeof stepResultSchema>;

/** run.json. */
export const runResultSchema = z.object({
  schema: z.literal(1),
  outcome,
  code,
  exitCode: z.number().int(),
  /** The one sentence for the user. */
  message: z.string(),
  version: z.string(),
  owner: ownerSchema,
  serviceUrl: z.string().optional(),
  deploymentId: z.string().optional(),
  runId: z.string().optional(),
  jobId: z.string().optional(),
  /** The page of the organization's deployments, and the deployment's own, as far as they are known. */
  consoleUrl: z.string().optional(),
  deploymentUrl: z.string().optional(),
  startedAt: z.string(),
  claimedAt: z.string().optional(),
  finishedAt: z.string(),
  waitSeconds: z.number(),
  runSeconds: z.number(),
  image: z.string().optional(),
  imageDigest: z.string().optional(),
  /** Pulumi Cloud took the job's last status. Absent without a claim, and in older records. */
  reported: z.boolean().optional(),
  /** Names of the forwarded variables, never their values. */
  forwarded: z.array(z.string()),
  notices: z.array(z.string()),
  steps: z.array(stepResultSchema),
  /** What the run started and answers for, in the order of its stacks; each has a run directory of its own. Absent without `trigger`. */
  deployments: z.array(ownDeploymentSchema).optional(),
  /** One of them found drift; absent where none looked for it. */
  drift: z.boolean().optional(),
  /** Another agent ran it: what Pulumi Cloud tells of it. */
  elsewhere: z.literal(true).optional(),
});
export type RunResult = z.infer<typeof runResultSchema>;

/** One line of health.ndjson. */
export interface HealthSnapshot {
  t: string;
  status: 'healthy' | 'unhealthy';
  state: string;
  lastActivity: string;
  rssBytes: number;
}
