import { z } from 'zod';
import { CONFIG_FILE_NAME } from '../src/base/config/config-file.ts';
import { type Kind, splitList } from '../src/base/config/key-definition.ts';
import { definitionOf, isOfficial, KEY_NAMES, type KeyName } from '../src/base/config/schema.ts';

type Shape = z.core.JSONSchema.BaseSchema;

// The agent reads a scalar as written, so a name may be all digits. An empty value equals no key.
const ANY_SCALAR = ['string', 'number', 'boolean', 'null'];

/**
 * The JSON Schema of a configuration file, in draft 7, which editors support best. It rejects unknown keys, which the
 * agent only warns about: an editor should show the typo.
 */
export function configJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: CONFIG_FILE_NAME,
    description:
      "Configuration of an agent for Pulumi's customer-managed workflows. Generated: edit src/base/config/schema.ts.",
    type: ['object', 'null'],
    properties: Object.fromEntries(KEY_NAMES.map((key) => [key, property(key)])),
    additionalProperties: false,
  };
}

function property(key: KeyName): object {
  const { default: preset, help, kind } = definitionOf(key);
  const { $schema, ...shape } = z.toJSONSchema(kind.schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  return {
    description: isOfficial(key) ? help : `${help} Not a key of Pulumi's own agent.`,
    ...(kind.list ? listShape(shape) : scalarShape(shape)),
    ...(preset !== undefined && { default: presetOf(kind, preset) }),
  };
}

/** Lets a value be empty, and text look like a number. Other types stay as they are. */
function scalarShape(shape: Shape): object {
  if (shape.enum !== undefined) return { enum: [...shape.enum, null] };
  return shape.type === 'string' ? { ...shape, type: ANY_SCALAR } : shape;
}

/** A list may also be a single string. */
function listShape({ items = {} }: Shape): object {
  const { enum: choices, pattern = '' } = items as Shape;
  const item = choices?.join('|') ?? pattern.slice(1, -1);
  return {
    anyOf: [
      { type: 'array', items },
      { type: ['string', 'null'], pattern: `^[\\s,]*((${item})([\\s,]+|$))*$` },
    ],
  };
}

/** The default as written in a file. */
function presetOf(kind: Kind, preset: string): unknown {
  if (kind.list) return splitList(preset);
  return /^(true|false|\d+)$/.test(preset) ? JSON.parse(preset) : preset;
}
