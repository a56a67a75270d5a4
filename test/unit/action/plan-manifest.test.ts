import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { AGENT_INPUTS } from '../../../src/action/input-text.ts';
import { readPlanInputs } from '../../../src/action/plan/inputs.ts';
import { renderPlanSummary } from '../../../src/action/plan/summary.ts';
import { ConfigError } from '../../../src/config/problem.ts';
import type { PlanReport } from '../../../src/record/plan-report.ts';
import { inputVariable } from '../../emulators/github/action-manifest.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../../..');
let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

function sources(inputs: Record<string, string>, environment: Record<string, string> = {}) {
  const given = Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]);
  return {
    environment: { ...environment, ...Object.fromEntries(given) },
    idTokenFile: '/private/id-token',
    checkoutDirectory: join(directory, 'checkout'),
    workingDirectory: directory,
    homeDirectory: join(directory, 'home'),
    agentDirectory: join(directory, 'agent'),
  };
}

async function problemsOf(inputs: Record<string, string>): Promise<string[]> {
  const error = await readPlanInputs(sources(inputs)).catch((reason: unknown) => reason);
  return error instanceof ConfigError ? error.problems.map(({ message }) => message) : [];
}

const POOL = { organization: 'acme', 'runner-pool-id': 'pool-1' };

describe('plan/action.yml', () => {
  test('declares inputs of the action, its own and no defaults', async () => {
    const manifest = parse(await readFile(join(ROOT, 'plan/action.yml'), 'utf8'));
    const known = [...Object.keys(AGENT_INPUTS), 'max', 'config-file'];
    expect(Object.keys(manifest.inputs).filter((name) => !known.includes(name))).toEqual([]);
    for (const input of Object.values<{ default?: string }>(manifest.inputs)) expect(input.default).toBeUndefined();
    expect(Object.keys(manifest.outputs)).toEqual(['matrix', 'count', 'queued', 'started']);
    expect(manifest.runs).toEqual({ using: 'node24', main: '../dist/plan/index.js' });
  });

  test('says of an input in common what action.yml says', async () => {
    const read = async (path: string) => parse(await readFile(join(ROOT, path), 'utf8')).inputs;
    const [plan, action] = [await read('plan/action.yml'), await read('action.yml')];
    for (const name of ['operation', 'trigger-jitter', 'access-token-scope', 'service-url', 'ca-certificate'])
      expect(plan[name]).toEqual(action[name]);
  });
});

describe('the inputs of plan/', () => {
  test("are the agent's settings, with the job's own ID token", async () => {
    const read = await readPlanInputs(
      sources({ ...POOL, max: '20', trigger: 'acme/*/prod', operation: 'detect-drift', 'trigger-jitter': '5m' }),
    );
    expect(read.config).toMatchObject({
      planMax: 20,
      trigger: ['acme/*/prod'],
      operation: 'detect-drift',
      triggerJitterMs: 300_000,
      oidcTokenFile: '/private/id-token',
    });
    expect(read.idTokenAudience).toBe('urn:pulumi:org:acme');
    expect(read.agentVariables).toMatchObject({
      PULUMI_AGENT_PLAN_MAX: '20',
      PULUMI_AGENT_TRIGGER: 'acme/*/prod',
      PULUMI_AGENT_OIDC_TOKEN_FILE: '/private/id-token',
    });
  });

  test('take an access token from the input, the environment or the file instead', async () => {
    const input = await readPlanInputs(sources({ ...POOL, 'access-token': 'pul-1' }));
    expect([input.idTokenAudience, input.config.accessToken]).toEqual([undefined, 'pul-1']);
    expect(input.agentVariables).not.toHaveProperty('PULUMI_AGENT_OIDC_TOKEN_FILE');
    const variable = await readPlanInputs(sources(POOL, { PULUMI_AGENT_ACCESS_TOKEN: 'pul-2' }));
    expect(variable.idTokenAudience).toBeUndefined();
    await mkdir(join(directory, 'checkout'));
    await writeFile(join(directory, 'checkout/agent.yaml'), 'access_token: pul-3\n');
    const file = await readPlanInputs(sources({ ...POOL, 'config-file': 'agent.yaml' }));
    expect([file.idTokenAudience, file.config.accessToken]).toEqual([undefined, 'pul-3']);
    expect(file.configFile).toBe(join(directory, 'checkout/agent.yaml'));
  });

  test("are told by their own names when something is wrong; a pool's token is none", async () => {
    expect(await problemsOf({ max: '0', trigger: 'acme/web', 'access-token-scope': 'all' })).toEqual([
      'input trigger "acme/web" is not of the form org/project/stack',
      'input access-token-scope "all" is none of admin, team:<name> and user:<login>',
      'input max "0" is not a whole number from 1 to 999999',
      'input organization is required to plan jobs; set it (or PULUMI_AGENT_ORGANIZATION_NAME)',
      'input runner-pool-id is required to plan jobs; set it (or PULUMI_AGENT_RUNNER_POOL_ID)',
    ]);
    expect(await problemsOf({ ...POOL, trigger: 'acme/web/*', operation: 'destroy' })).toEqual([
      'input operation is destroy, and "acme/web/*" is a pattern; name each stack to destroy in full',
    ]);
  });
});

test('the summary of a plan is no way for markup to get in', () => {
  const evil = '<img src=x onerror=alert(1)>\n\n# heading | `code` ::error::';
  const started = {
    stack: `acme/${evil}/prod`,
    operation: evil,
    deploymentId: evil,
    consoleUrl: 'https://x/"><script>',
  };
  const report: PlanReport = {
    schema: 1,
    version: '1.2.3',
    outcome: 'failed',
    exitCode: 1,
    message: evil,
    started: [started, { ...started, assumed: true, consoleUrl: 'javascript:alert(1)' }],
    failed: [{ stack: evil, outcome: 'failed', message: evil }],
    queued: 2,
    count: 1,
    matrix: { include: [{ index: 0 }] },
    notices: [evil],
  };
  const text = renderPlanSummary(report);
  expect(text).not.toMatch(/<img|<script|javascript:/);
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual(['## Planned jobs']);
  expect(text).toContain('found; the answer was lost');
});
