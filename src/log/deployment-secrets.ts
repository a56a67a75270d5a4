import { fieldsOf } from '../json.ts';
import { secretValues } from './plain-names.ts';

/**
 * The secrets in the settings of a deployment, in the shape of Pulumi's REST API: every `secret`
 * (its `SecretValue`), and every environment variable, marked or not.
 */
export function deploymentSecrets(settings: unknown): string[] {
  const { environmentVariables } = fieldsOf(fieldsOf(settings)['operationContext']);
  const variables = Object.entries(fieldsOf(environmentVariables)).flatMap(([name, value]) =>
    isScalar(value) ? [[name, String(value)] as const] : [],
  );

  return [...secretValues(Object.fromEntries(variables), ['*']), ...marked(settings)];
}

/** The texts named `secret`, at any depth. */
function marked(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name.toLowerCase() === 'secret' && isScalar(inner) ? [String(inner)] : marked(inner),
  );
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
