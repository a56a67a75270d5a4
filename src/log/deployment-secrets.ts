import { fieldsOf } from '../json.ts';
import { secretValues, urlPasswords } from './plain-names.ts';

/**
 * The secrets in the settings of a deployment, in the shape of Pulumi's REST API: every `secret`
 * (its `SecretValue`), every environment variable, marked or not, and passwords in URLs.
 */
export function deploymentSecrets(settings: unknown): string[] {
  const { environmentVariables } = fieldsOf(fieldsOf(settings)['operationContext']);
  const variables = Object.entries(fieldsOf(environmentVariables)).flatMap(([name, value]) =>
    isScalar(value) ? [[name, String(value)] as const] : [],
  );

  return [...secretValues(Object.fromEntries(variables), ['*']), ...marked(settings)];
}

/** The texts named `secret` and the passwords in URLs, at any depth. */
function marked(value: unknown): string[] {
  if (typeof value === 'string') return urlPasswords(value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name.toLowerCase() === 'secret' && isScalar(inner) ? [String(inner)] : marked(inner),
  );
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
