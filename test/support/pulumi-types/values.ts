import fc from 'fast-check';
import schema from './schema.json' with { type: 'json' };
import type { PulumiType } from './types.ts';

type Part = Readonly<Record<string, unknown>>;

/** Deep enough for every answer; below it lists and optional parts stay empty. */
const DEPTH = 6;

const TIME = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** A key of a map. Zod leaves `__proto__` out of every object that it reads. */
const KEY = fc.string().filter((key) => key !== '__proto__');

/** Values of a type of Pulumi's API as Go may write them: optional ones absent, lists and pointers null. */
export function valuesOf(type: PulumiType): fc.Arbitrary<unknown> {
  return made({ $ref: `#/$defs/${type}` }, DEPTH);
}

function made(part: Part, depth: number): fc.Arbitrary<unknown> {
  if (typeof part['$ref'] === 'string') {
    const name = part['$ref'].replace('#/$defs/', '') as PulumiType;
    return made(schema.$defs[name] as Part, depth - 1);
  }
  if (part['const'] !== undefined) return fc.constant(part['const']);
  if (Array.isArray(part['enum'])) return fc.constantFrom(...(part['enum'] as unknown[]));
  if (Array.isArray(part['anyOf'])) {
    const forms = part['anyOf'] as Part[];
    const isEnd = (form: Part) => form['type'] === 'null';
    const chosen = depth <= 0 && forms.some(isEnd) ? forms.filter(isEnd) : forms;
    return fc.oneof(...chosen.map((form) => made(form, depth)));
  }
  switch (part['type']) {
    case 'string':
      return part['format'] === 'date-time' ? TIME : fc.string();
    case 'integer':
      return fc.integer({ min: 0 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(made(part['items'] as Part, depth), { maxLength: 3 });
    case 'object':
      return madeObject(part, depth);
    default:
      return fc.jsonValue();
  }
}

function madeObject(
  { properties = {}, required = [], additionalProperties: items }: Part,
  depth: number,
): fc.Arbitrary<unknown> {
  if (typeof items === 'object') return fc.dictionary(KEY, made(items as Part, depth), { maxKeys: 3 });
  const names = Object.keys(properties as Part).filter(
    (name) => depth > 0 || (required as string[]).includes(name),
  );
  const fields: [string, fc.Arbitrary<unknown>][] = names.map((name) => [
    name,
    made((properties as Record<string, Part>)[name] ?? {}, depth),
  ]);
  return fc.record<Record<string, unknown>>(Object.fromEntries(fields), {
    requiredKeys: required as string[],
  });
}
