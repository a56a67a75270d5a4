import { z } from 'zod';

/*
 * The bodies that buildkite-agent 3.137 sends: api/*.go of github.com/buildkite/agent. Strict, so that a field that this
 * emulator would ignore fails the test.
 */

export const nothing = z.undefined();
export const bytes = z.instanceof(Buffer);
const time = z.iso.datetime({ offset: true });
const sha = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

export const register = z.strictObject({
  name: z.string().min(1),
  hostname: z.string(),
  os: z.string(),
  arch: z.string(),
  script_eval_enabled: z.boolean(),
  ignore_in_dispatches: z.literal(false),
  priority: z.string().optional(),
  version: z.string(),
  build: z.string(),
  meta_data: z.array(z.string()).nullable(),
  pid: z.int().positive(),
  machine_id: z.string().optional(),
  features: z.array(z.string()).nullable(),
});

export const heartbeat = z.strictObject({ sent_at: time });
export const start = z.strictObject({ started_at: time });

export const finish = z.strictObject({
  exit_status: z.string().regex(/^-?\d+$/),
  signal: z.string().optional(),
  signal_reason: z.enum(['agent_stop', 'cancel', 'process_run_error']).optional(),
  finished_at: time,
  chunks_failed_count: z.literal(0),
  ignore_agent_in_dispatches: z.boolean().optional(),
});
export type Finish = z.infer<typeof finish>;

const count = z.string().regex(/^\d+$/).transform(Number);
export const chunk = z.strictObject({ sequence: count, offset: count, size: count });
export type Chunk = z.infer<typeof chunk>;

/** The API's documented limits: a body of 1 MiB, a context of 100 characters. */
export const annotation = z.strictObject({
  body: z.string().refine((text) => Buffer.byteLength(text) <= 1024 * 1024, 'longer than 1 MiB'),
  context: z.string().min(1).max(100),
  style: z.enum(['success', 'info', 'warning', 'error']),
  append: z.literal(true).optional(),
  priority: z.int().min(1).max(10),
  scope: z.enum(['build', 'job']),
});
export type Annotation = z.infer<typeof annotation>;

export const metaData = z.strictObject({ key: z.string().min(1), value: z.string().min(1) });

export const key = z.strictObject({ key: z.string().min(1) });

export const idToken = z.strictObject({ audience: z.string().min(1) });

const artifact = z.strictObject({
  id: z.literal(''),
  path: z.string().regex(/^(?!\/)(?!.*\.\.\/)/, 'leaves the checkout'),
  absolute_path: z.string().startsWith('/'),
  glob_path: z.literal(''),
  file_size: z.int().nonnegative(),
  sha1sum: sha(40),
  sha256sum: sha(64),
  job_id: z.literal(''),
  created_at: z.string(),
  content_type: z.string(),
});
export type ArtifactRequest = z.infer<typeof artifact>;

export const artifacts = z.strictObject({
  id: z.uuid(),
  artifacts: z.array(artifact).min(1).max(30),
  upload_destination: z.literal(''),
  multipart_supported: z.literal(true),
});

export const artifactStates = z.strictObject({
  artifacts: z.array(z.strictObject({ id: z.uuid(), state: z.enum(['finished', 'error']) })).min(1),
});
