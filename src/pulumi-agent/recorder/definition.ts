import { z } from 'zod';
import { type NamedVariables, secretValues, variableSecrets } from '../../base/log/plain-names.ts';
import { type JobDefinition, jobDefinitionSchema } from '../../cloud/job-wire.ts';

/** The part of a job's definition that can be shown. */
export interface JobOutline {
  readonly image: string | undefined;
  /** The names of its steps, by index. */
  readonly steps: readonly string[];
  /** True if the definition was read by guess: there may be more steps. */
  readonly isGuess?: boolean | undefined;
  /** False if its secrets are too many or too long to hide. */
  readonly hidesSecrets?: boolean | undefined;
}

/** A definition as read. */
export interface DefinitionReading {
  readonly outline: JobOutline;
  /** For no log. */
  readonly secrets: readonly string[];
  /** The job's variables; none if the definition was read by guess. */
  readonly variables: JobDefinition['env'];
  /** The fields that have another shape, if the definition was read by guess. */
  readonly mismatch?: string | undefined;
}

const stepNamesSchema = z.object({ steps: z.array(z.object({ name: z.string() }).partial().loose()) });

/**
 * Reads a definition that another program received. One of another shape is read by guess:
 * everything in it that may be a secret is then hidden, except in its steps. `config` names more of
 * its variables. Undefined for anything but a JSON object.
 */
export function readDefinition(json: unknown, config: NamedVariables): DefinitionReading | undefined {
  if (typeof json !== 'object' || json === null) return undefined;

  const parsed = jobDefinitionSchema.safeParse(json);
  if (parsed.success) {
    const { image, env, steps } = parsed.data;
    const password = image.credentials?.password;

    return {
      outline: { image: image.reference, steps: steps.map(nameOf) },
      secrets: [...(password === undefined ? [] : [password]), ...variableSecrets(env, config)],
      variables: env,
    };
  }

  const { steps: _, ...rest } = json as Record<string, unknown>;
  const steps = stepNamesSchema.safeParse(json).data?.steps ?? [];

  return {
    outline: { image: undefined, steps: steps.map(nameOf), isGuess: true },
    secrets: secretsIn(rest),
    variables: {},
    mismatch: parsed.error.issues.map(({ path }) => path.join('.') || 'its shape').join(', '),
  };
}

/** Every string in a value that may be a secret. */
export function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return secretValues({ [name]: value });
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, Array.isArray(value) ? name : key));
}

function nameOf({ name = '' }: { readonly name?: string | undefined }, index: number): string {
  return name || `Step ${index}`;
}
