#!/usr/bin/env node
// Generates the JSON Schema of the types of Pulumi Cloud's API that the tests hold answers to, from the Go types of Pulumi's SDK.
// Usage: scripts/pulumi-types.ts           writes test/support/pulumi-types/schema.json
//        scripts/pulumi-types.ts --print   prints it instead
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The types of the answers that we read or emulate. The schema holds these and all that they refer to. */
const WANTED = [
  'AgentPoolDetail',
  'AgentWorkflowDefinition',
  'AppBatchDecryptResponse',
  'AppBatchEncryptResponse',
  'AppCapabilitiesResponse',
  'AppCreateStackResponse',
  'AppDecryptValueResponse',
  'AppDeploymentV3',
  'AppEncryptValueResponse',
  'AppGetDefaultOrganizationResponse',
  'AppListStacksResponse',
  'AppRenewUpdateLeaseResponse',
  'AppStack',
  'AppStartUpdateResponse',
  'AppUntypedDeployment',
  'AppUpdateInfo',
  'AppUpdateProgramResponse',
  'AppUpdateResults',
  'CreateDeploymentResponse',
  'DeploymentLogsBase',
  'DeploymentSettings',
  'DockerImage',
  'GetDeploymentResponse',
  'GetUpdateEventsResponse',
  'JobStatus',
  'ListAgentPoolsResponse',
  'ListDeploymentResponseV2',
  'ListDriftRunsResponse',
  'OrgDeploymentsMetadataResponse',
  'SecretValue',
  'StackDeploymentsMetadataResponse',
  'StackDriftStatus',
  'StackOutputsResponse',
  'TokenExchangeGrantResponse',
  'UpdateInfo',
  'User',
];

type Schema = Record<string, unknown>;

const text = { type: 'string' };
/** What a decoder of Go takes for any value that can be nil. */
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const reference = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const object = (properties: Schema, required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const PLAIN: Readonly<Record<string, Schema>> = {
  any: {},
  'json.RawMessage': {},
  bool: { type: 'boolean' },
  int: { type: 'integer' },
  int64: { type: 'integer' },
  uint64: { type: 'integer', minimum: 0 },
  float64: { type: 'number' },
  string: text,
  '[]byte': { type: 'string', contentEncoding: 'base64' },
  'time.Duration': { type: 'integer' },
  'time.Time': { type: 'string', format: 'date-time' },
  // github.com/blang/semver, whose encoder writes its text.
  'ext1.Version': text,
};

/** The other forms of types with a decoder of their own, which takes more than their fields show. */
const DECODED: Readonly<Record<string, (own: Schema) => Schema>> = {
  // docker_image_impl.go
  DockerImage: (own) => ({ anyOf: [text, own] }),
  // secret_value.go: its fields are not those of its JSON. It takes the keys in any case too.
  SecretValue: () => ({
    anyOf: [
      orNull(text),
      object({ plaintext: orNull(text) }, []),
      object({ secret: orNull(text), ciphertext: orNull(text) }, []),
      object({ isSecret: { type: 'boolean' }, value: orNull(text) }, ['isSecret']),
      object({ isSecret: { const: true }, ciphertext: text }, ['isSecret', 'ciphertext']),
    ],
  }),
};

const folder = execFileSync(join(import.meta.dirname, 'programs'), ['pulumi-types'], {
  encoding: 'utf8',
}).trim();
const files = readdirSync(folder).filter((file) => file.endsWith('.go'));
const source = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');

/** The bodies of the structs, by name, and of the private ones that encode a variant of a union, by the variant's name. */
const structs = new Map([...source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)].map(bodyOf));
const variants = new Map(
  [
    ...source.matchAll(
      /\(m \*?(\w+)Impl\) MarshalJSON\(\).*\n\ttype marshaller struct \{\n([\s\S]*?)^\t\}/gm,
    ),
  ].map(bodyOf),
);
/** Other named types, such as `type JobStatus string`, with the values of those that are a list of them. */
const named = new Map(
  [...source.matchAll(/^type (\w+) =? ?([^\s{]+(?:\[\w+\])?\S*)$/gm)].map(([, name = '', type = '']) => [
    name,
    type,
  ]),
);
const values = Map.groupBy(source.matchAll(/^\t\w+\s+(\w+)\s+= "([^"]*)"$/gm), ([, name = '']) => name);

function bodyOf([, name = '', body = '']: RegExpExecArray): [string, string] {
  return [name, body];
}

const found = new Map<string, Schema>();

/** The fields of a struct, those of the structs that it embeds included. */
function fieldsOf(body: string): { properties: Schema; required: string[] } {
  const properties: Schema = {};
  const required: string[] = [];
  for (const line of body.split('\n').map((each) => each.trim())) {
    const embedded = /^\*?(\w+)$/.exec(line)?.[1];
    if (embedded !== undefined) {
      const inner = fieldsOf(structs.get(embedded) ?? '');
      Object.assign(properties, inner.properties);
      required.push(...inner.required);
    }
    const [, type = '', tag] = /^\w+\s+(\S+)\s+`json:"([^"]+)"/.exec(line) ?? [];
    if (tag === undefined || tag === '-') continue;
    const [name = '', ...options] = tag.split(',');
    properties[name] = schemaOf(type);
    if (!options.some((option) => /^omit/.test(option))) required.push(name);
  }
  return { properties, required };
}

/** The schema of a type as Go writes it, such as `[]*DeploymentJob`. Throws for one that it can't read. */
function schemaOf(type: string): Schema {
  const plain = PLAIN[type];
  if (plain !== undefined) return plain;
  const [, pointed] = /^\*(.+)$/.exec(type) ?? [];
  if (pointed !== undefined) return orNull(schemaOf(pointed));
  const [, item] = /^\[\](.+)$/.exec(type) ?? [];
  if (item !== undefined) return orNull({ type: 'array', items: schemaOf(item) });
  const [, value] = /^map\[\w+\](.+)$/.exec(type) ?? [];
  if (value !== undefined) return orNull({ type: 'object', additionalProperties: schemaOf(value) });
  const [, inner] = /^jsonvalue\.Value\[(.+)\]$/.exec(type) ?? [];
  if (inner !== undefined) return orNull(schemaOf(inner));
  if (!found.has(type)) {
    found.set(type, {});
    found.set(type, definitionOf(type));
  }
  return reference(type);
}

function definitionOf(type: string): Schema {
  const body = structs.get(type);
  if (body !== undefined) {
    const { properties, required } = fieldsOf(body);
    const own = object(properties, required);
    return DECODED[type]?.(own) ?? own;
  }
  const members = [...source.matchAll(new RegExp(`\\(m \\*(\\w+)Impl\\) is${type}\\(\\)`, 'g'))];
  if (members.length > 0) return { anyOf: members.flatMap(([, member = '']) => variantOf(member)) };
  const list = values.get(type)?.map(([, , value]) => value);
  if (list !== undefined) return { enum: list };
  const other = named.get(type);
  if (other === undefined) throw new Error(`Failed to read Pulumi's type ${type}: it is not in ${folder}.`);
  return schemaOf(other);
}

/** One type of a union: its discriminator, which the encoder always sets, has its name. None for a base without one. */
function variantOf(member: string): Schema[] {
  const { properties, required } = fieldsOf(variants.get(member) ?? '');
  const [, value] =
    new RegExp(`\\(m \\*${member}Impl\\) GetDiscriminatorValue.*\\n\\treturn "([^"]*)"`).exec(source) ?? [];
  const [discriminator = ''] = Object.keys(properties);
  if (value === undefined || value === '') return [];
  return [object({ ...properties, [discriminator]: { const: value } }, [discriminator, ...required])];
}

for (const type of WANTED) schemaOf(type);

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $comment: [
    `Types of Pulumi Cloud's API, generated by scripts/pulumi-types.ts from github.com/pulumi/pulumi-cloud-sdk/go ${basename(folder).replace('pulumi-types-', 'v')}`,
    'Copyright 2026, Pulumi Corporation. Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0',
    'Changed: a part of the types, as JSON Schema',
  ].join('. '),
  $defs: Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1))),
};

if (process.argv.includes('--print')) process.stdout.write(`${JSON.stringify(schema, undefined, 2)}\n`);
else {
  const file = join(import.meta.dirname, '../test/support/pulumi-types/schema.json');
  writeFileSync(file, JSON.stringify(schema));
  execFileSync(join(import.meta.dirname, '../node_modules/.bin/biome'), ['format', '--write', file]);
}
