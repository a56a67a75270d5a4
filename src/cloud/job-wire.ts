import { z } from 'zod';
import { fieldsOf } from '../base/json.ts';
import { kindText } from '../base/stack.ts';
import { JobDefinitionError } from './errors.ts';
import { type JobValue, readSecretValue } from './secret-value.ts';
import { kindOfToken, otherKindIn } from './work-kind.ts';

/*
 * Schemas of Pulumi Cloud's answers. Only the endpoints marked [S] in Pulumi's OpenAPI document are stable, so all
 * others are parsed leniently: unknown fields are ignored, empty ones count as absent.
 */

const text = z.string().min(1);

const optionalText = z
  .string()
  .nullish()
  .transform((value) => (value === '' || value === null ? undefined : value));

/** The IDs of a claimed deployment. */
export interface DeploymentIds {
  readonly deploymentId: string;
  readonly runId: string;
  readonly jobId: string;
}

/** A deployment claimed by this agent. */
export interface Claim extends DeploymentIds {
  readonly jobToken: string;
  readonly oidcToken: string | undefined;
  /** What it says it is, where that isn't a deployment. */
  readonly kind?: string | undefined;
}

export const claimSchema = z
  .looseObject({
    jobID: text,
    jobToken: text,
    oidcToken: optionalText,
    runID: optionalText,
    typeSpecificID: optionalText,
    deploymentID: optionalText,
  })
  .transform(
    ({ jobID: jobId, jobToken, oidcToken, runID, typeSpecificID, deploymentID, ...rest }, context): Claim => {
      const deploymentId = typeSpecificID ?? deploymentID;
      if (deploymentId === undefined) {
        context.addIssue({ code: 'custom', message: 'neither typeSpecificID nor deploymentID' });
        return z.NEVER;
      }
      const token = kindOfToken(oidcToken);
      const other = token === undefined ? otherKindIn(rest) : undefined;
      return {
        jobId,
        jobToken,
        oidcToken,
        runId: runID ?? deploymentId,
        deploymentId,
        kind: typeof token === 'object' ? token.other : other,
      };
    },
  );

/** A deployment's status in lower case, from a bare JSON string or `{status}`; undefined if there is none. */
export function statusIn(json: unknown): string | undefined {
  const { status = json } = fieldsOf(json);
  return typeof status === 'string' ? status.toLowerCase() : undefined;
}

const UNUSABLE = {
  encrypted: 'is encrypted (ciphertext), which only Pulumi Cloud can read',
  malformed: 'is not a string, {secret} or {isSecret, value}',
} as const;

function readableValue(value: unknown, context: z.RefinementCtx, path: string[]): JobValue | undefined {
  const read = readSecretValue(value);
  if (typeof read === 'object') return read;
  context.addIssue({ code: 'custom', message: UNUSABLE[read], path });
  return undefined;
}

/** A Go duration or a number of nanoseconds, parsed where it is used. */
const timeout = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === null || value === '' || value === 0 ? undefined : value));

const image = z
  .union([
    z.string().transform((reference) => ({ reference, credentials: undefined })),
    z.object({ reference: optionalText, credentials: z.unknown().optional() }),
  ])
  .nullish()
  .transform((value) => ({ reference: value?.reference || undefined, credentials: value?.credentials }))
  .transform(({ reference, credentials }, context) => {
    const login = z.object({ username: text, password: z.unknown().optional() }).safeParse(credentials);
    if (!login.success) return { reference, credentials: undefined };
    const password = readableValue(login.data.password ?? null, context, ['credentials', 'password']);
    return { reference, credentials: { username: login.data.username, password: password?.value ?? '' } };
  });

const step = z.object({
  name: optionalText,
  run: z
    .string()
    .nullish()
    .transform((run) => run ?? ''),
  workingDir: optionalText,
  timeout,
});

/** The job's definition (protocol section 3). */
export const jobDefinitionSchema = z
  .looseObject({
    os: optionalText,
    architecture: optionalText,
    image,
    shell: optionalText.transform((shell) => shell ?? 'bash'),
    timeout,
    env: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((environment, context) => {
        const values: Record<string, JobValue> = {};
        for (const [key, value] of Object.entries(environment ?? {})) {
          const readable = readableValue(value, context, [key]);
          if (readable !== undefined) values[key] = readable;
        }
        return values;
      }),
    steps: z.array(step).min(1),
  })
  .transform(({ os, architecture, image, shell, timeout, env, steps, ...rest }) => ({
    os,
    architecture,
    image,
    shell,
    timeout,
    env,
    steps,
    /** What it says it is, where that isn't a deployment's. */
    kind: otherKindIn(rest),
  }));

export type JobDefinition = z.infer<typeof jobDefinitionSchema>;

/** A schema error on one line: `steps[1].run: expected string`. */
export function complaints(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`))
    .join('; ');
}

/** Parses a job definition. Throws JobDefinitionError, which names invalid keys but no value. */
export function parseJobDefinition(json: unknown, jobId: string): JobDefinition {
  const parsed = jobDefinitionSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const kind = otherKindIn(json);
  const kindClause =
    kind === undefined ? '' : `, in a definition ${kindText(kind)}, which this version doesn't know`;
  const reason = json === undefined ? 'the answer is not JSON' : `${complaints(parsed.error)}${kindClause}`;
  const advice = "Start the deployment again; if it fails again, report it with the run's artifact.";
  const message = `Failed to read the job definition for job ${jobId}: ${reason}. ${advice}`;
  // A variable's or a password's form is one deployment's; any other can be every definition's.
  const isItsOwn = parsed.error.issues.every(({ path }) => path[0] === 'env' || path[0] === 'image');
  const fault = isItsOwn ? 'deployment' : 'elsewhere';
  throw new JobDefinitionError(message, { cause: parsed.error, code: 'PRA-CLOUD-06', fault });
}
