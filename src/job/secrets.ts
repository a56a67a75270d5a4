import type { Claim, JobDefinition } from '../cloud/wire.ts';
import { isPlainVariable, secretValues } from '../log/plain-names.ts';
import type { JobEnvironment } from './environment.ts';

/** Names whose values are secret whatever they look like. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE|(?:^|_)(?:PG)?PASS(?:_|$)|_PWD$/i;
/** Switches, small numbers and single words: hiding `production` or `true` everywhere would make a log unreadable. */
const PLAIN_VALUE = /^(?:\d{1,6}|[A-Za-z]{1,20}(?:[-_/][A-Za-z]{1,20}){0,3})$/;

/**
 * The values of an environment that nobody marked, but that may be secret: Pulumi Cloud sends even access tokens as plain
 * texts (protocol section 3). Everything is hidden but variables known as plain and values that are plainly a word, a switch or
 * a small number. Of a URL with a password, the password too.
 */
export function suspectedSecrets(variables: Readonly<Record<string, string>>): string[] {
  const suspect = Object.entries(variables).filter(
    ([name, value]) => SECRET_NAME.test(name) || !(isPlainVariable(name, value) || PLAIN_VALUE.test(value)),
  );
  return secretValues(Object.fromEntries(suspect));
}

export interface SecretSources {
  readonly definition: Pick<JobDefinition, 'env' | 'image'>;
  readonly claim: Pick<Claim, 'oidcToken'>;
  readonly environment: Pick<JobEnvironment, 'marked' | 'forwarded' | 'variables'>;
}

/** Everything a job brings that no log may show: what is marked, what is forwarded, credentials, and what may be secret. */
export function jobSecrets({ definition, claim, environment }: SecretSources): string[] {
  const forwarded = environment.forwarded.map((name) => [name, environment.variables[name] ?? '']);
  const unmarked = Object.entries(definition.env).map(([name, { value }]) => [name, value]);
  return [
    ...environment.marked,
    ...(definition.image.credentials === undefined ? [] : [definition.image.credentials.password]),
    ...(claim.oidcToken === undefined ? [] : [claim.oidcToken]),
    ...secretValues(Object.fromEntries(forwarded)),
    ...suspectedSecrets(Object.fromEntries(unmarked)),
  ];
}
