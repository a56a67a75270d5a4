import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { defaultWords } from '../src/base/config/reference.ts';
import {
  definitionOf,
  environmentNames,
  isKey,
  isOfficial,
  KEY_NAMES,
  type KeyName,
} from '../src/base/config/schema.ts';
import { SUBJECTS } from '../src/base/config/subjects.ts';
import { ACTION_INPUTS, AGENT_INPUTS } from '../src/ci-step/hosts/github/inputs.ts';
import { CI_DEFAULTS } from '../src/ci-step/settings.ts';

const ROOT = join(import.meta.dirname, '..');

/** The most values that a cell lists; the JSON Schema has them all. */
const MOST_CHOICES = 6;

type ActionInput = keyof typeof ACTION_INPUTS;

interface Table {
  readonly heading: string;
  /** Those without a key. */
  readonly inputs?: readonly ActionInput[];
}

/** The table of each subject of settings. */
const TABLES: Readonly<Record<string, Table>> = {
  'sign-in': { heading: 'Sign in', inputs: ['config-file'] },
  work: { heading: 'Wait for work', inputs: ['on-no-work', 'doctor'] },
  trigger: {
    heading: 'Start deployments',
    inputs: ['comment-on-pr', 'comment-on-pr-number', 'github-token'],
  },
  time: { heading: 'Time limits and cancelling', inputs: ['job-status'] },
  variables: { heading: 'Variables, secrets and hooks' },
  images: { heading: 'Images and caches' },
  jobs: { heading: "A job's limits and network" },
  kubernetes: { heading: 'Kubernetes' },
  network: { heading: 'Calls to Pulumi Cloud' },
  results: {
    heading: 'Results, logs and health',
    inputs: ['upload-artifact', 'artifact-name', 'artifact-retention-days'],
  },
  engine: { heading: "Pulumi's own agent" },
};

/** Every key and every input without a key, under the heading of its table. */
const SECTIONS: readonly (readonly [heading: string, names: readonly (KeyName | ActionInput)[]])[] = [
  ...SUBJECTS.map(({ name, keys }) => {
    const { heading, inputs = [] } = TABLES[name] ?? { heading: name };
    return [heading, [...keys, ...inputs]] as const;
  }),
  ['Without effect', KEY_NAMES.filter((key) => definitionOf(key).noEffect !== undefined)],
];

/** What docs/configuration.md says of a setting elsewhere, by its key or, without one, its input. */
const MORE: Readonly<Record<string, string>> = {
  token: 'recipes.md#a-static-pool-token',
  'config-file': 'security.md#who-configures-the-action',
  ca_certificate: 'network.md#authorities',
  ca_certificate_in_jobs: 'network.md#authorities',
  allowed_stacks: 'security.md#which-deployments-can-run',
  allowed_operations: 'security.md#which-deployments-can-run',
  plain_variables: 'redaction.md#which-variables-are-secret',
  secret_variables: 'redaction.md#which-variables-are-secret',
  hook_before_job: 'hooks.md',
  deploy_target: 'kubernetes/README.md',
  allowed_images: 'registries.md#which-images-may-run',
  cache_volume: 'registries.md#the-cache-volume',
  memory_soft_limit: 'reliability.md#soft-limits',
  soft_timeout: 'reliability.md#soft-limits',
  container_runtime: 'isolation.md#another-runtime',
  container_mtu: 'network.md#jobs-networks',
  container_subnet: 'network.md#jobs-networks',
  allow_metadata: 'isolation.md#the-metadata-service',
  cancel_grace_period: 'cancel.md',
  trigger: 'drift.md',
  expected_version: 'drift.md#approved-means-unchanged',
  engine: 'pulumi-agent.md',
  engine_digest: 'pulumi-agent.md#where-it-comes-from',
  engine_record: 'pulumi-agent.md#recordings',
  pod_template: 'kubernetes/pod-template.md',
  service_account: 'kubernetes/identity.md',
  'comment-on-pr': 'what-you-see.md#in-the-pull-request',
};

/** An action's manifest; `folder` is `.` or `plan`. */
function manifestOf(folder: string): Record<'inputs' | 'outputs', Record<string, { description: string }>> {
  return parse(readFileSync(join(ROOT, folder, 'action.yml'), 'utf8'));
}

/**
 * Replaces what is between the markers in docs/configuration.md with the tables of settings and
 * outputs. Throws if the text lacks a marker, or a subject a setting.
 */
export function withTables(text: string): string {
  const inputs = new Map(Object.entries(AGENT_INPUTS).map(([input, key]) => [key, input]));
  const shown = new Set<string>(SECTIONS.flatMap(([, names]) => names));
  const missing = [...KEY_NAMES, ...Object.keys(ACTION_INPUTS)].filter((name) => !shown.has(name));
  if (missing.length > 0) throw new Error(`name a subject for ${missing.join(', ')}`);

  const settings = SECTIONS.flatMap(([heading, names]) => [
    `\n### ${heading}\n`,
    '|Setting|Input|Default|What it sets|',
    '|---|---|---|---|',
    ...names.map((name) => (isKey(name) ? keyRow(name, inputs.get(name)) : inputRow(name))),
  ]);

  const tables = {
    settings,
    outputs: outputTable('.'),
    'plan-outputs': outputTable('plan'),
  };

  return Object.entries(tables).reduce((page, [name, rows]) => {
    const between = new RegExp(`(?<=<!-- ${name} -->\n).*(?=<!-- /${name} -->)`, 's');
    if (!between.test(page)) throw new Error(`there is no <!-- ${name} --> in the text`);
    return page.replace(between, () => `${rows.join('\n')}\n`);
  }, text);
}

function keyRow(key: KeyName, input: string | undefined): string {
  const { default: preset, help, kind } = definitionOf(key);
  const words = defaultWords(key) ?? '–';
  const usual = preset !== undefined && words === preset ? code(words) : words;
  const here = key in CI_DEFAULTS ? CI_DEFAULTS[key as keyof typeof CI_DEFAULTS] : undefined;
  const choices = kind.words.split(kind.list ? ', ' : ' | ');
  const names = environmentNames(key);
  const others = names.filter((name) => name !== `PULUMI_AGENT_${key.toUpperCase()}`).map(code);
  const also = others.length < names.length ? 'Also' : 'Variable:';

  return cells(
    `${code(key)}${isOfficial(key) ? ' °' : ''}`,
    input === undefined ? '–' : code(input),
    here === undefined ? usual : `${usual}; action: ${code(here)}`,
    `${help.replaceAll('<', '&lt;')}${oneOf(choices)}${others.length === 0 ? '' : ` ${also} ${others.join(', ')}.`}${more(key)}`,
  );
}

/** The values that a setting may have, where they are few and the rest of its row doesn't show them. */
function oneOf(choices: readonly string[]): string {
  if (choices.length < 2) return '';
  return ` ${choices.slice(0, MOST_CHOICES).map(code).join(', ')}${choices.length > MOST_CHOICES ? ' …' : '.'}`;
}

/** An input that is no setting of the agent: its description in action.yml says its values. */
function inputRow(input: ActionInput): string {
  const { description = '' } = manifestOf('.').inputs[input] ?? {};
  const preset = ACTION_INPUTS[input];
  return cells('–', code(input), preset === '' ? '–' : code(preset), `${escaped(description)}${more(input)}`);
}

function outputTable(folder: string): string[] {
  const rows = Object.entries(manifestOf(folder).outputs).map(([name, { description }]) =>
    cells(code(name), escaped(description)),
  );
  return ['|Output|What it is|', '|---|---|', ...rows];
}

function more(name: string): string {
  const page = MORE[name];
  return page === undefined ? '' : ` [More](${page})`;
}

/** A description without markup but code: outside of code, `<` would begin a tag. */
function escaped(description: string): string {
  return description
    .trim()
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');
}

function cells(...texts: string[]): string {
  return `|${texts.map((text) => text.replaceAll('|', '\\|')).join('|')}|`;
}

function code(text: string): string {
  return `\`${text}\``;
}
