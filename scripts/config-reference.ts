#!/usr/bin/env node
// Generates the JSON Schema for editors and the tables of docs/configuration.md, from the configuration keys and action.yml.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configJsonSchema } from './config-documents.ts';
import { withTables } from './settings-tables.ts';

const root = join(import.meta.dirname, '..');
const schema = join(root, 'docs/pulumi-workflow-agent.schema.json');
const reference = join(root, 'docs/configuration.md');
writeFileSync(schema, JSON.stringify(configJsonSchema()));
execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', schema]);
writeFileSync(reference, withTables(readFileSync(reference, 'utf8')));
