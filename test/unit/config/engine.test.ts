import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { ConfigError } from '../../../src/config/problem.ts';
import { definitionOf } from '../../../src/config/schema.ts';
import { manifestOf, read } from '../../support/documents/pages.ts';

const PLACES = { workingDirectory: '/current', homeDirectory: '/home', agentDirectory: '/agent' };
const FILE = '/current/pulumi-workflow-agent.yaml';

/** What is wrong with a configuration file, in sentences. */
function problems(text: string): string[] {
  try {
    loadConfig({ ...PLACES, environment: { PULUMI_AGENT_TOKEN: 'pul-1' }, file: FILE, readFile: () => text });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message }) => message);
  }
}

it.each([
  ['insights_scan', 'names insights_scan'],
  ['[deployment, policy_evaluation, insights_scan]', 'names policy_evaluation and insights_scan'],
])("the engine own refuses work that it doesn't serve: %s", (types, names) => {
  const advice = "which this agent doesn't serve; take it out, or set engine to pulumi";
  expect(problems(`enabled_workflow_types: ${types}\n`)).toEqual([`enabled_workflow_types ${names}, ${advice}`]);
  expect(problems(`enabled_workflow_types: ${types}\nengine: pulumi\nsingle_run: true\n`)).toEqual([]);
});

it('the engine pulumi serves single runs', () => {
  expect(problems('engine: pulumi\n')).toEqual([
    "engine is pulumi, which serves single runs only; set single_run to true, or start Pulumi's agent by itself",
  ]);
  expect(problems('engine: pulumi\nsingle_run: true\n')).toEqual([]);
});

it('the engine pulumi refuses what it would let slip, and says which settings it does not know', () => {
  const given = 'engine: pulumi\nsingle_run: true\n';
  const clause =
    "has no effect with the engine pulumi, as Pulumi's agent doesn't know it; take it out, or set engine to own";
  expect(
    problems(
      `${given}allowed_images: [acme/*]\nrequire_digest: true\ntrigger: a/b/c\noperation: preview\naccess_token: pul-2\n`,
    ),
  ).toEqual([`allowed_images ${clause}`, `require_digest ${clause}`, `trigger ${clause}`]);
  const reason = "has no effect: the engine is pulumi, and what it gives to jobs is up to Pulumi's agent.";
  const noticesOf = (text: string) => {
    const environment = { PULUMI_AGENT_TOKEN: 'pul-1' };
    return loadConfig({ ...PLACES, environment, file: FILE, readFile: () => given + text }).notices;
  };
  expect(noticesOf('require_digest: false\nmemory: 1Gi\ncontainer_network: bridge\n')).toEqual([
    `memory (${FILE}:4) ${reason}`,
    `container_network (${FILE}:5) ${reason}`,
  ]);
  expect(noticesOf('deploy_target: kubernetes\nmemory: 1Gi\nnamespace: jobs\n')).toEqual([
    `namespace (${FILE}:5) ${reason}`,
  ]);
});

it('the documents name the version that is pinned', () => {
  const pinned = definitionOf('engine_version').default ?? '';
  expect(manifestOf('.').inputs['engine-version']?.description).toContain(`Default \`${pinned}\``);
  expect(read('docs/inputs.md')).toContain(`| \`engine-version\` | \`${pinned}\` |`);
  expect(read('docs/pulumi-agent.md')).toContain(`\`engine-version\` (\`${pinned}\`;`);
});
