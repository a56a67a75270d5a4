import { z } from 'zod';

/** `SecretValue`; the service's own ciphertext is nothing for a client to send. */
const secretValue = z.strictObject({ secret: z.string() });
/** Pulumi's reference shows variables as plain texts too. */
const variable = z.union([z.string(), secretValue]);
const text = z.string().min(1);

const gitAuth = z.strictObject({
  accessToken: secretValue.optional(),
  basicAuth: z.strictObject({ userName: variable, password: secretValue }).optional(),
  sshAuth: z.strictObject({ sshPrivateKey: secretValue, password: secretValue.optional() }).optional(),
});

const git = z
  .strictObject({
    repoUrl: text.optional(),
    branch: text.optional(),
    commit: z
      .string()
      .regex(/^[0-9a-f]{7,64}$/)
      .optional(),
    repoDir: z.string().optional(),
    tag: text.optional(),
    gitAuth: gitAuth.optional(),
  })
  .refine(
    ({ branch, commit, tag }) => [branch, commit, tag].filter((each) => each !== undefined).length <= 1,
    {
      error: 'branch, commit and tag exclude each other',
    },
  );

const image = z.union([
  text,
  z.strictObject({
    reference: text,
    credentials: z.strictObject({ username: text, password: secretValue }).optional(),
  }),
]);

const operationContext = z.strictObject({
  environmentVariables: z.record(z.string().regex(/^[A-Za-z_]\w*$/), variable).optional(),
  preRunCommands: z.array(z.string()).optional(),
  options: z
    .strictObject({
      deleteAfterDestroy: z.boolean(),
      remediateIfDriftDetected: z.boolean(),
      shell: text,
      skipInstallDependencies: z.boolean(),
      skipIntermediateDeployments: z.boolean(),
    })
    .partial()
    .optional(),
  oidc: z
    .strictObject({ aws: z.object({}), azure: z.object({}), gcp: z.object({}) })
    .partial()
    .optional(),
  role: z.strictObject({ id: text, name: text, defaultIdentifier: text }).partial().optional(),
});

/**
 * The settings of a deployment that a request may carry: `DeploymentSettingsRequest` of Pulumi's OpenAPI document,
 * without the version control's triggers, which no single deployment needs.
 */
export const settingsShape = {
  agentPoolID: text.optional(),
  cacheOptions: z.strictObject({ enable: z.boolean() }).optional(),
  executorContext: z
    .strictObject({ executorImage: image.optional(), executorRootPath: text.optional() })
    .optional(),
  operationContext: operationContext.optional(),
  sourceContext: z.strictObject({ git }).optional(),
  tag: text.optional(),
};

export type SentSettings = z.output<z.ZodObject<typeof settingsShape>>;

/** A change of a stack's settings: as a client of ours sends it, with at least one and no deletion. */
export const settingsPatchSchema = z
  .strictObject(settingsShape)
  .refine((patch) => Object.keys(patch).length > 0, { error: 'changes nothing' });

/** `PatchDeploymentSettings`: objects are merged, null removes, any other value replaces. */
export function merged(current: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const entries = Object.entries(patch).map(([key, value]) => [
    key,
    merged(isObject(current) ? current[key] : undefined, value),
  ]);
  const all = { ...(isObject(current) && current), ...Object.fromEntries(entries) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A request without the empty texts that Go writes for fields that are not set. */
export function withoutEmptyTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== '');
  return Object.fromEntries(fields.map(([key, each]) => [key, withoutEmptyTexts(each)]));
}

/** The commands of Pulumi's operations. */
const COMMANDS: Readonly<Record<string, string>> = {
  update: 'up --yes --skip-preview',
  preview: 'preview',
  refresh: 'refresh --yes --skip-preview',
  destroy: 'destroy --yes --skip-preview',
  'detect-drift': 'refresh --preview-only',
  'remediate-drift': 'up --refresh --yes --skip-preview',
};
const STACK = ['ORGANIZATION', 'PROJECT', 'STACK'].map((part) => `$PULUMI_CI_${part}`).join('/');

/** The job of a deployment whose request holds all its settings. */
export function jobOf(operation: string, settings: SentSettings): object {
  const { executorContext, operationContext, sourceContext } = settings;
  const { executorImage = { reference: 'pulumi/pulumi:latest', isDefault: true } } = executorContext ?? {};
  const { environmentVariables = {}, preRunCommands = [] } = operationContext ?? {};
  const { repoUrl = '.', branch = 'main' } = sourceContext?.git ?? {};
  return {
    os: 'linux',
    architecture: 'amd64',
    image: executorImage,
    shell: 'bash',
    env: environmentVariables,
    steps: [
      { name: 'Setup', run: '' },
      { name: 'Get source', run: `git clone --quiet --branch '${branch}' '${repoUrl}' source` },
      ...preRunCommands.map((run, index) => ({ name: `Pre-run command ${index + 1}`, run })),
      { name: `pulumi ${operation}`, run: `cd source && pulumi ${COMMANDS[operation]} --stack "${STACK}"` },
    ],
  };
}
