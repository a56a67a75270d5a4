import type { Environment } from '../environment.ts';
import { deploymentSecrets } from './deployment-secrets.ts';
import { secretValues } from './plain-names.ts';
import { telemetrySecrets } from './telemetry-secrets.ts';

/** The settings that hold secrets, or name variables that do. */
interface SecretSettings {
  readonly token?: string | undefined;
  readonly accessToken?: string | undefined;
  readonly triggerSettings?: unknown;
  readonly envForwardAllowlist: readonly string[];
  readonly secretVariables: readonly string[];
}

/** The secrets in a configuration, in the variables that it forwards and in OpenTelemetry's. */
export function configuredSecrets(
  { token, accessToken, triggerSettings, envForwardAllowlist, secretVariables }: SecretSettings,
  environment: Environment,
): string[] {
  const forwarded = envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
  const tokens = [token, accessToken].filter((secret) => secret !== undefined);
  const values = secretValues(Object.fromEntries(forwarded), secretVariables);
  const started = deploymentSecrets(triggerSettings);
  return [...tokens, ...values, ...started, ...telemetrySecrets(environment)];
}
