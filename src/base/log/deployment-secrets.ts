import { fieldsOf } from '../json.ts';
import { saysCredential, secretValues, urlPasswords } from './plain-names.ts';

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

  return [...variables.flatMap((variable) => secretValues(variable, ['*'])), ...marked(settings, false)];
}

/** The values of a field's name, given in small letters. */
function fieldsNamed(value: unknown, wanted: string): unknown[] {
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]) =>
    name.toLowerCase() === wanted ? [inner] : [],
  );
}

/** The secret texts at any depth; `isNamed` if the value's name says credential. */
function marked(value: unknown, isNamed: boolean): string[] {
  if (typeof value === 'string') return isNamed ? [value, ...urlPasswords(value)] : urlPasswords(value);
  if (Array.isArray(value)) return value.flatMap((each) => marked(each, isNamed));
  if (typeof value !== 'object' || value === null) return [];

  const isSecret = fieldsNamed(value, 'issecret').some((flag) => /^true$/i.test(String(flag)));
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = name.toLowerCase();
    if (known === 'secret' || (known === 'value' && isSecret)) return textsIn(inner);
    if (known === 'issecret') return [];
    return marked(inner, known === 'value' ? isNamed : saysCredential(name));
  });
}

/** The texts and numbers in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
