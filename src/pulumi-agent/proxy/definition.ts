import { z } from 'zod';
import { type NamedVariables, secretValues, variableSecrets } from '../../base/log/plain-names.ts';
import { type JobDefinition, jobDefinitionSchema } from '../../cloud/job-wire.ts';
import type { ObservedDefinition } from '../recorder/observed-run.ts';

/** A definition as read: what may be shown of it, and what no log may show. */
export interface ReadDefinition {
  readonly definition: ObservedDefinition;
  readonly secrets: readonly string[];
  /** The job's variables; none if the definition was read by guess. */
  readonly variables: JobDefinition['env'];
  /** The fields that have another shape, if the definition was read by guess. */
  readonly doubt?: string;
}

const withSteps = z.object({ steps: z.array(z.object({ name: z.string() }).partial().loose()) });

/**
 * Reads a definition that another program received. One of another shape is read by guess:
 * everything in it that may be a secret is then hidden, except in its steps. `config` names more of
 * its variables. Undefined for anything but a JSON object.
 */
export function readDefinition(json: unknown, config: NamedVariables): ReadDefinition | undefined {
  if (typeof json !== 'object' || json === null) return undefined;

  const parsed = jobDefinitionSchema.safeParse(json);
  if (parsed.success) {
    const { image, env, steps } = parsed.data;
    const password = image.credentials?.password;

    return {
      definition: {
        image: image.reference,
        steps: steps.map(({ name = '' }, index) => name || `Step ${index}`),
      },
      secrets: [...(password === undefined ? [] : [password]), ...variableSecrets(env, config)],
      variables: env,
    };
  }

  const names =
    withSteps.safeParse(json).data?.steps.map(({ name = '' }, index) => name || `Step ${index}`) ?? [];
  const { steps: _, ...rest } = json as Record<string, unknown>;
  const doubt = parsed.error.issues.map(({ path }) => path.join('.') || 'its shape').join(', ');
  const definition = { image: undefined, steps: names, isGuess: true };

  return { definition, secrets: secretsIn(rest), variables: {}, doubt };
}

/** Every string in a value that may be a secret. */
export function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return secretValues({ [name]: value });
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, Array.isArray(value) ? name : key));
}
