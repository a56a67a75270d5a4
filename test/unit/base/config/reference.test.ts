import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from '../../../../scripts/config-documents.ts';
import { withTables } from '../../../../scripts/settings-tables.ts';
import { definitionOf, isOfficial, KEY_NAMES } from '../../../../src/base/config/schema.ts';
import { codesOf, manifestOf, read, tableOf } from '../../../support/documents/pages.ts';

const reference = read('docs/configuration.md');
const committed: unknown = JSON.parse(read('docs/pulumi-workflow-agent.schema.json'));
const OUTDATED = 'outdated: run scripts/config-reference.ts and commit what it writes';

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(configJsonSchema());
/** The schema's errors for the text of a file. */
function complaints(text: string): string[] {
  validate(parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('the table of keys', () => {
  it('yields the committed JSON Schema', () => {
    expect(committed, OUTDATED).toEqual(configJsonSchema());
  });

  it("and action.yml yield the reference's tables: every setting, input and output, once", () => {
    expect(reference, OUTDATED).toBe(withTables(reference));
    const rows = tableOf(reference, 'settings');
    const named = (cell: number) => rows.flatMap((row) => codesOf(row[cell] ?? ''));
    expect(named(0).toSorted()).toEqual([...KEY_NAMES].toSorted());
    expect(named(1).toSorted()).toEqual(Object.keys(manifestOf('.').inputs).toSorted());
    const official = rows.map(([key = '']) => key).filter((key) => key.endsWith('°'));
    expect(official.flatMap(codesOf).toSorted()).toEqual(KEY_NAMES.filter(isOfficial).toSorted());
  });
});

it('the documents name the pinned version of Pulumi’s agent', () => {
  const pinned = definitionOf('engine_version').default ?? '';
  expect(manifestOf('.').inputs['engine-version']?.description).toContain(`Default \`${pinned}\``);
  expect(reference).toContain(`|\`engine-version\`|\`${pinned}\`|`);
  expect(read('docs/pulumi-agent.md')).toContain(`\`engine-version\` (\`${pinned}\`;`);
});

describe('the JSON Schema', () => {
  const sample = /```yaml\n([\s\S]*?)```/.exec(reference)?.[1] ?? '';

  it("accepts the reference's own example", () => {
    expect(sample).toMatch(
      /^# yaml-language-server: \$schema=\S+\/docs\/pulumi-workflow-agent\.schema\.json\n/,
    );
    expect(Object.keys(parse(sample))).toContain('oidc_token_file');
    expect(complaints(sample)).toEqual([]);
  });

  it.each([
    'token: pul-0123\nversion: v0.0.5\n',
    'env_forward_allowlist: [A, B]\nenabled_workflow_types:\n  - deployment\n  - insights_scan\n',
    'token_expiration: 3600\nmax_wait: 0\nhttp_server_port: 0\nrequest_retry_count: 3\n',
    'token_expiration: 1h30m\nmax_wait: .5s\nhttp_server_port: "0"\nsingle_run: T\npull_image: 0\n',
    'pod_template: {metadata: {labels: {team: a}}}\n',
    '',
  ])('accepts %j', (text) => {
    expect(complaints(text)).toEqual([]);
  });

  it.each([
    ['poling_interval: 1s\n', ' must NOT have additional properties'],
    ['polling_interval: 30\n', '/polling_interval must be string,null'],
    ['polling_interval: -1s\n', '/polling_interval must match pattern'],
    ['token_expiration: 0\n', '/token_expiration must be >= 1'],
    ['single_run: yes\n', '/single_run must match pattern'],
    ['http_server_port: 65536\n', '/http_server_port must be <= 65535'],
    ['deploy_target: dokcer\n', '/deploy_target must be equal to one of the allowed values'],
    [
      'enabled_workflow_types: [deploiment]\n',
      '/enabled_workflow_types/0 must be equal to one of the allowed values',
    ],
    ['env_forward_allowlist: [A-1]\n', '/env_forward_allowlist/0 must match pattern'],
    ['service_url: api.pulumi.com\n', '/service_url must match pattern'],
    ['token: [pul-1]\n', '/token must be string,number,boolean,null'],
    ['- token\n', ' must be object,null'],
  ])('complains about %j', (text, complaint) => {
    expect(complaints(text)).toContainEqual(expect.stringContaining(complaint));
  });
});
