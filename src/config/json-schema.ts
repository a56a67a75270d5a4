import { ADDRESS, DECIMAL, NETWORK, QUANTITY } from './container-setting.ts';
import { IMAGE_NAME, IMAGE_PATTERN } from './image-setting.ts';
import type { KeyDefinition, KeyType } from './key-definition.ts';
import { definitionOf, fileKey, isOfficial, KEY_NAMES } from './schema.ts';
import { CONFIG_FILE_NAME } from './search-path.ts';
import { STACK_PATTERN } from './stack-pattern.ts';
import { isListType, splitList } from './value.ts';
import { VOLUME } from './volume-setting.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Shape = Readonly<Record<string, Json>>;

// The agent reads a scalar as it is written: a name may be all digits. Nothing at all is the same as leaving the key out.
const ANY_SCALAR = ['string', 'number', 'boolean', 'null'];
const TERMS = '([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)';
const NAME = '[A-Za-z_][A-Za-z0-9_]*';

/** A pattern of the whole text; the agent takes white space off both ends, and blank text for none. */
function whole(pattern: string): string {
  return `^\\s*(${pattern})?\\s*$`;
}

function listOf(item: string): string {
  return `^[\\s,]*((${item})([\\s,]+|$))*$`;
}

/** The values of a type, as far as JSON Schema can tell: nothing that the agent takes is refused but blanks around a choice. */
const SHAPES: Readonly<Record<KeyType, (definition: KeyDefinition) => Shape>> = {
  secret: () => ({ type: ANY_SCALAR, pattern: whole('[!-~]+') }),
  word: () => ({ type: ANY_SCALAR, pattern: whole('\\S+') }),
  text: () => ({ type: ANY_SCALAR }),
  certificates: () => ({ type: ANY_SCALAR }),
  template: () => ({ type: [...ANY_SCALAR, 'object'] }),
  path: () => ({ type: ANY_SCALAR }),
  url: () => ({ type: ['string', 'null'], pattern: whole('[hH][tT][tT][pP][sS]?://[^?#]+') }),
  boolean: () => {
    // As patterns: an editor would offer a list of values one by one.
    const words = whole('1|t|T|true|True|TRUE|0|f|F|false|False|FALSE');
    return {
      anyOf: [{ type: 'boolean' }, { type: ['string', 'integer', 'null'], pattern: words, minimum: 0, maximum: 1 }],
    };
  },
  count: ({ minimum = 0 }) => wholeNumber(minimum, 999_999),
  port: () => wholeNumber(0, 65_535),
  duration: ({ zero }) => ({
    type: zero === true ? ['string', 'integer', 'null'] : ['string', 'null'],
    // -0s is zero too
    pattern: whole(zero === true ? `[+-]?((${TERMS})+|0)` : `\\+?(${TERMS})+`),
    ...(zero === true && { minimum: 0, maximum: 0 }),
  }),
  lifetime: () => ({ type: ['string', 'integer', 'null'], pattern: whole(`[0-9]+|\\+?(${TERMS})+`), minimum: 1 }),
  choice: ({ unbuilt = [], choices = [] }) => ({
    anyOf: [
      { enum: choices.filter((choice) => !unbuilt.includes(choice)) },
      { type: ['string', 'null'], pattern: whole('') },
    ],
  }),
  choices: ({ choices = [] }) => ({
    anyOf: [
      { type: 'array', items: { enum: choices } },
      { type: ['string', 'null'], pattern: listOf(choices.join('|')) },
    ],
  }),
  names: () => ({
    anyOf: [
      { type: 'array', items: { type: 'string', pattern: whole(NAME) } },
      { type: ['string', 'null'], pattern: listOf(NAME) },
    ],
  }),
  stacks: () => ({
    anyOf: [
      { type: 'array', items: { type: 'string', pattern: whole(STACK_PATTERN) } },
      { type: ['string', 'null'], pattern: listOf(STACK_PATTERN) },
    ],
  }),
  images: () => itemsOf(IMAGE_NAME),
  'image-patterns': () => itemsOf(IMAGE_PATTERN),
  volume: () => ({ type: ['string', 'null'], pattern: whole(VOLUME) }),
  // A quantity in Gi may be a plain number in the environment only.
  quantity: () => ({ type: ['string', 'null'], pattern: whole(QUANTITY) }),
  decimal: () => ({ type: ['number', 'string', 'null'], pattern: whole(DECIMAL), minimum: 0.01 }),
  network: () => ({ type: ANY_SCALAR, pattern: whole(NETWORK) }),
  address: () => ({ type: ['string', 'null'], pattern: whole(ADDRESS) }),
  addresses: () => itemsOf(ADDRESS),
  none: () => ({}),
};

function itemsOf(item: string): Shape {
  return {
    anyOf: [
      { type: 'array', items: { type: 'string', pattern: whole(item) } },
      { type: ['string', 'null'], pattern: listOf(item) },
    ],
  };
}

function wholeNumber(minimum: number, maximum: number): Shape {
  return { type: ['integer', 'string', 'null'], minimum, maximum, pattern: whole('[0-9]{1,9}') };
}

/**
 * The JSON Schema (draft 7, which editors know best) of a configuration file. A key that is not in the table is refused,
 * although the agent only warns of it: an editor is where a slip should show.
 */
export function configJsonSchema(): Shape {
  const keys = KEY_NAMES.filter((key) => fileKey(key) !== undefined);
  const property = (key: (typeof keys)[number]): Shape => {
    const definition = definitionOf(key);
    const preset = presetOf(definition);
    return {
      description: isOfficial(key) ? definition.help : `${definition.help} Not a key of Pulumi's own agent.`,
      ...SHAPES[definition.type](definition),
      ...(preset !== undefined && { default: preset }),
    };
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: CONFIG_FILE_NAME,
    description:
      "Configuration of an agent for Pulumi's customer-managed workflows. Generated: edit src/config/schema.ts.",
    type: ['object', 'null'],
    properties: Object.fromEntries(keys.map((key) => [key, property(key)])),
    additionalProperties: false,
  };
}

/** The default as it would stand in a file. */
function presetOf({ type, default: preset }: KeyDefinition): Json | undefined {
  if (preset === undefined) return undefined;
  if (isListType(type)) return splitList(preset);
  if (type === 'boolean') return preset === 'true';
  return type === 'count' || type === 'port' ? Number(preset) : preset;
}
