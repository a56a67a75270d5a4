import type { AgentConfig } from '../config/agent-config.ts';
import type { Environment } from '../environment.ts';
import { fieldsOf } from '../json.ts';
import { saysCredential, secretValues, urlPasswords } from './plain-names.ts';
import { telemetrySecrets } from './telemetry-secrets.ts';

/** The secrets in a configuration, in the variables that it forwards and in OpenTelemetry's. */
export function configuredSecrets(
  {
    token,
    accessToken,
    triggerSettings,
    envForwardAllowlist,
    secretVariables,
  }: Pick<
    AgentConfig,
    'token' | 'accessToken' | 'triggerSettings' | 'envForwardAllowlist' | 'secretVariables'
  >,
  environment: Environment,
): string[] {
  const forwarded = envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
  const tokens = [token, accessToken].filter((secret) => secret !== undefined);
  const values = secretValues(Object.fromEntries(forwarded), secretVariables);
  const started = deploymentSecrets(triggerSettings);
  return [...tokens, ...values, ...started, ...telemetrySecrets(environment)];
}

/**
 * The secrets in the settings of a deployment, in the shape of Pulumi's REST API: every `secret`
 * (its `SecretValue`), every `value` beside a true `isSecret`, every text under a name that says
 * credential, every environment variable, marked or not, and passwords in URLs. Names count in any
 * case, as for a Go service.
 */
export function deploymentSecrets(settings: unknown): string[] {
  const variables = fieldsNamed(settings, 'operationcontext')
    .flatMap((context) => fieldsNamed(context, 'environmentvariables'))
    .flatMap((all) => Object.entries(fieldsOf(all)))
    .flatMap(([name, value]) => textsIn(value).map((text) => ({ [name]: text })));

  return [...variables.flatMap((variable) => secretValues(variable, ['*'])), ...secretTexts(settings, false)];
}

/** The values of a field's name, given in small letters. */
function fieldsNamed(value: unknown, lowerName: string): unknown[] {
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]) =>
    name.toLowerCase() === lowerName ? [inner] : [],
  );
}

/** The secret texts at any depth; `isNamed` if the value's name says credential. */
function secretTexts(value: unknown, isNamed: boolean): string[] {
  if (typeof value === 'string') return isNamed ? [value, ...urlPasswords(value)] : urlPasswords(value);
  if (Array.isArray(value)) return value.flatMap((each) => secretTexts(each, isNamed));
  if (typeof value !== 'object' || value === null) return [];

  const isSecret = fieldsNamed(value, 'issecret').some((flag) => /^true$/i.test(String(flag)));
  return Object.entries(value).flatMap(([name, inner]) => {
    const lowerName = name.toLowerCase();
    if (lowerName === 'secret' || (lowerName === 'value' && isSecret)) return textsIn(inner);
    if (lowerName === 'issecret') return [];
    return secretTexts(inner, lowerName === 'value' ? isNamed : saysCredential(name));
  });
}

/** The texts and numbers in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
