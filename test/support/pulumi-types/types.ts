import { Ajv, type ValidateFunction } from 'ajv';
import schema from './schema.json' with { type: 'json' };

/** A type of Pulumi Cloud's API, as its Go SDK names it. */
export type PulumiType = keyof typeof schema.$defs;

/** As Go writes a `time.Time`: RFC 3339. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

const ajv = new Ajv({ allErrors: true, formats: { 'date-time': TIME } }).addSchema(schema, 'pulumi');
const compiled = new Map<PulumiType, ValidateFunction>();

/** What is wrong with a value of this type, one line each: missing fields, unknown ones, other types. */
export function faultsOf(type: PulumiType, value: unknown): string[] {
  const validate = compiled.get(type) ?? ajv.compile({ $ref: `pulumi#/$defs/${type}` });
  compiled.set(type, validate);
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
