import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parsePositiveDuration } from '../../src/base/config/duration.ts';
import { CONTAINER_KEYS, IMAGE_KEYS, volumeProblem } from '../../src/base/config/keys/jobs.ts';
import { loadConfig } from '../../src/base/config/load.ts';
import { ConfigError } from '../../src/base/config/problem.ts';
import { definitionOf, isKey, KEY_NAMES, KEYS } from '../../src/base/config/schema.ts';
import { VERSION } from '../../src/base/version.ts';
import { CI_DEFAULTS } from '../../src/ci-step/settings.ts';
import { MAX_STACKS } from '../../src/cloud/deployments/stacks.ts';
import { CAPABILITIES, PIDS_LIMIT } from '../../src/executor/docker/container/host-config.ts';
import { ORPHAN_GRACE_SECONDS } from '../../src/executor/docker/container/main-process.ts';
import { METADATA_ADDRESSES } from '../../src/executor/docker/container/network.ts';
import { imagePolicy } from '../../src/executor/image-policy.ts';
import { podFor } from '../../src/executor/kubernetes/pod/pod.ts';
import {
  LEASE_SECONDS,
  ORPHAN_GRACE_SECONDS as POD_GRACE_SECONDS,
} from '../../src/executor/kubernetes/pod/pod-scripts.ts';
import { codesOf, manifestOf, PAGES, ROOT, read, tableOf, yamlOf } from '../support/documents/pages.ts';

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | number>>;
}

it('the workflow that detects drift in one step reads what it found from outputs that exist', () => {
  const { jobs } = parse(read('examples/workflows/drift-one-by-one.yml'));
  expect(jobs.drift.permissions).toMatchObject({ 'id-token': 'write' });
  const [step, report] = jobs.drift.steps;
  expect(report.if).toBe(`\${{ !cancelled() && steps.${step.id}.outputs.drift == 'true' }}`);
  expect(report.env.DEPLOYMENTS).toBe(`\${{ steps.${step.id}.outputs.deployments }}`);
  for (const name of ['drift', 'deployments']) expect(manifestOf('.').outputs).toHaveProperty(name);
});

it.each([
  ['drift', '${{ !cancelled() && needs.plan.outputs.count > 0 }}'],
  ['matrix', "needs.plan.outputs.count != '0'"],
])('the workflow %s passes the plan to its matrix', (name, condition) => {
  const { jobs } = parse(read(`examples/workflows/${name}.yml`));
  for (const job of Object.values<{ permissions: unknown }>(jobs))
    expect(job.permissions).toMatchObject({ 'id-token': 'write' });
  for (const [output, expression] of Object.entries(jobs.plan.outputs)) {
    expect(expression).toBe(`\${{ steps.${jobs.plan.steps[0].id}.outputs.${output} }}`);
    expect(manifestOf('plan').outputs).toHaveProperty(output);
  }
  const { plan, ...others } = jobs;
  expect(Object.values(others)).toEqual([
    expect.objectContaining({
      needs: 'plan',
      strategy: { 'fail-fast': false, matrix: '${{ fromJSON(needs.plan.outputs.matrix) }}' },
      if: condition,
    }),
  ]);
});

it('the page on drift names every operation, every input and the limit on stacks', () => {
  const page = read('docs/drift.md');
  const keys = [
    'trigger',
    'operation',
    'trigger-jitter',
    'access-token',
    'access-token-scope: team:platform',
  ];
  for (const word of [...KEYS.operation.kind.words.split(' | '), ...keys])
    expect(page).toContain(`\`${word}\``);
  expect(page).toContain(`more than ${MAX_STACKS} stacks`);
});

/** Whether the chart has this value; below `settings.` are the agent's keys. */
function isChartValue(path: string): boolean {
  const [first, ...below] = path.split('.');
  if (first === 'settings') return isKey(below.join('.'));
  return path.split('.').reduce((at, key) => at?.[key], parse(read('deploy/helm/values.yaml'))) !== undefined;
}

const PLACES = { workingDirectory: '/current', environment: {} };

/** How our agent treats these keys of a file for Pulumi's agent. */
function takes(keys: object): string {
  const text = JSON.stringify({ token: 'pul-1', ...keys });
  try {
    const { warnings, notices } = loadConfig({
      ...PLACES,
      purpose: 'run',
      file: '/f.yaml',
      readFile: () => text,
    });
    return Object.keys(keys).every((key) => [...warnings, ...notices].some((one) => one.includes(key)))
      ? 'no effect'
      : 'as it stands';
  } catch (error) {
    if (error instanceof ConfigError) return 'refused';
    throw error;
  }
}

it('docs/migrating.md says what becomes of a file for Pulumi’s agent, and names chart values that exist', () => {
  const page = read('docs/migrating.md');
  const said = tableOf(page, 'file').map(([, becomes = '']) => becomes);
  const become = [
    takes({ oidc_token_file: '/token', organization_name: 'acme', runner_pool_id: 'pool-1' }),
    takes({ enabled_workflow_types: ['deployment', 'insights_scan'] }),
    '`deployment` alone is served',
    takes({ deploy_target: 'ecs' }),
    takes({ ecs: { cluster: 'jobs' } }),
    takes({ working_directory: '/a', shared_volume_directory: '/b', version: 'v0.0.5' }),
  ];
  expect(said.map((text, index) => text.slice(0, become[index]?.length))).toEqual(become);

  const values = [...tableOf(page, 'chart'), ...tableOf(page, 'pulumi-chart')];
  const named = values.flatMap(([, value = '']) => codesOf(value));
  const paths = named.filter((name) => /^[a-z]\w*(\.\w+)*$/.test(name) && name !== 'token');
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !isChartValue(path))).toEqual([]);
});

/** Milliseconds for which a step of AWS or Google fetches credentials; an hour is the default of both. */
function lifetimeOf({ uses = '', with: inputs = {} }: Step): number {
  expect(uses).toMatch(/^(?:aws-actions\/configure-aws-credentials|google-github-actions\/auth)@/);
  return 1000 * Number(inputs['role-duration-seconds'] ?? 3_600);
}

/** Milliseconds from a step's start to the end of the longest deployment that it runs. */
function longestOf({ with: inputs = {} }: Step): number {
  const of = (input: string, preset: string) => {
    const text = String(inputs[input] ?? preset);
    // A workflow that is called lets its caller choose from a list.
    const listed = [...text.matchAll(/"([1-9]\d*[smh])"/g)].map(([, each = '']) => each);
    return Math.max(...(listed.length > 0 ? listed : [text]).map((each) => parsePositiveDuration(each)));
  };
  const grace = of('cancel-grace-period', KEYS.cancelGracePeriodMs.default);
  return of('max-wait', CI_DEFAULTS.max_wait) + of('soft-timeout', '') + grace;
}

it('workflows to copy end a deployment before its credentials expire, and before the CI job times out', () => {
  const paths = globSync('examples/{workflows,arc}/*.yml', { cwd: ROOT });
  const jobs = paths.flatMap((path): { path: string; minutes: number; steps: Step[] }[] => {
    const all: { 'timeout-minutes': number; steps?: Step[] }[] = Object.values(parse(read(path)).jobs ?? {});
    // A job that calls a workflow has no steps of its own.
    return all.map(({ 'timeout-minutes': minutes, steps = [] }) => ({ path, minutes, steps }));
  });
  const recipes = yamlOf(read('docs/recipes.md'))
    .map((text) => parse(text))
    .filter((steps) => Array.isArray(steps) && steps.some(({ with: inputs }) => inputs?.['soft-timeout']))
    .map((steps: Step[]) => ({ path: 'docs/recipes.md', minutes: 60, steps }));
  expect(recipes).toHaveLength(1);

  // What one-by-one starts outlives any hour together: it says so, and fetches nothing.
  const running = [...jobs, ...recipes].filter(
    ({ path, steps }) =>
      !path.endsWith('one-by-one.yml') && steps.some(({ uses }) => uses?.includes('runner-action@')),
  );
  expect(running.length).toBeGreaterThan(5);
  for (const { path, minutes, steps } of running) {
    const deployment = steps.at(-1);
    if (deployment === undefined) throw new Error(`${path} lacks a step`);
    expect(longestOf(deployment), path).toBeLessThan(minutes * 60_000);
    // The called workflow forwards no credentials.
    const [credentials] = path.endsWith('/called.yml') ? [] : steps;
    if (credentials === undefined) continue;
    expect(deployment.with, path).toHaveProperty('env-forward-allowlist');
    expect(longestOf(deployment), path).toBeLessThan(lifetimeOf(credentials));
  }
});

/** Whether a pattern of allowed images is valid and matches this image. */
function allows(pattern: string, image: string): boolean {
  try {
    return imagePolicy({ allowedImages: [pattern], requireDigest: false })?.(image) !== undefined;
  } catch {
    return false;
  }
}

it('the page on registries is right about patterns, the refusal, the settings and volumes', () => {
  const page = read('docs/registries.md');
  const rows = tableOf(page, 'patterns').map((row) => row.map(codesOf));
  expect(rows.length).toBeGreaterThan(5);
  for (const [[pattern = ''] = [], taken = [], refused = []] of rows) {
    expect(taken.length > 0).toBe(true);
    expect(refused.length > 0).toBe(true);
    expect(taken.filter((image) => !allows(pattern, image))).toEqual([]);
    expect(refused.filter((image) => allows(pattern, image))).toEqual([]);
  }
  const quoted = page.replaceAll('\n> ', ' ');
  expect(() =>
    imagePolicy({ allowedImages: ['pulumi/*'], requireDigest: false })?.('evil.example.com/pulumi/pulumi'),
  ).toThrow(
    expect.objectContaining({ message: expect.toSatisfy((message: string) => quoted.includes(message)) }),
  );
  for (const { key } of Object.values(IMAGE_KEYS)) {
    expect(page).toContain(key);
    expect(manifestOf('.').inputs).toHaveProperty(key.replaceAll('_', '-'));
  }
  const volumes = codesOf(page.replaceAll(/```[\s\S]*?```/g, '')).filter((code) =>
    /^[\w-]+=\/\S+$/.test(code),
  );
  const inYaml = [...page.matchAll(/^cache_volume: (\S+)$/gm)].map(([, volume = '']) => volume);
  expect([...volumes, ...inYaml].length).toBeGreaterThan(1);
  expect([...volumes, ...inYaml].filter((volume) => volumeProblem(volume) !== undefined)).toEqual([]);
});

it('the pages on isolation list the capabilities, the blocked addresses, and every limit, which each have an input', () => {
  const page = read('docs/isolation.md');
  const code = (text: string) => `\`${text}\``;
  const kept = tableOf(read('docs/internals/security-evidence.md'), 'capabilities');
  expect(kept.map(([name]) => name)).toEqual(Object.keys(CAPABILITIES).map(code));
  for (const address of METADATA_ADDRESSES) expect(page).toContain(address);
  const [, limits = ''] = /## Limits, and how to change them\n([\s\S]*?)\n##/.exec(page) ?? [];
  const { inputs } = manifestOf('.');
  for (const { key } of Object.values(CONTAINER_KEYS)) {
    expect(limits).toMatch(new RegExp(`\`${key}[\`:]`));
    expect(inputs).toHaveProperty(key.replaceAll('_', '-'));
  }
  expect(CONTAINER_KEYS.pidsLimit.default).toBe(String(PIDS_LIMIT));
});

it('the example unit ends from outside what a killed agent left, once that had the time to end by itself', () => {
  const unit = read('examples/systemd/pulumi-runner-agent.service');
  const [, directory, grace] =
    /^ExecStopPost=-\S+ sweep --run-directory (\S+) .*--grace (\d+)s$/m.exec(unit) ?? [];
  expect(unit).toContain(`PULUMI_AGENT_RUN_DIRECTORY=${directory} `);
  expect(Number(grace)).toBeGreaterThan(ORPHAN_GRACE_SECONDS + 2);
});

it('the pages name the times that a step has after the death of its agent', () => {
  const [docker, pod] = [ORPHAN_GRACE_SECONDS, POD_GRACE_SECONDS];
  const cancel = read('docs/cancel.md');
  expect(cancel).toContain(`It has ${docker} seconds in Docker.`);
  expect(cancel).toContain(`${LEASE_SECONDS} seconds after the last heartbeat and gives ${pod} seconds.`);
  expect(cancel).toContain(`A running step then has ${docker} more seconds`);
  expect(cancel).toContain(`has ${docker} seconds to write its state`);
  const reliability = read('docs/reliability.md');
  expect(reliability).toContain(
    `| the agent dies, or \`docker stop\` of the container | ${docker} seconds |`,
  );
  expect(reliability).toContain(`| the agent dies, and the deployment runs in a pod | ${pod} seconds |`);
  expect(reliability).toContain(`ends by itself within ${docker} seconds`);
  expect(read('docs/isolation.md')).toContain(`more than some ${docker} seconds`);
  expect(read('docs/internals/endings.md')).toContain(`SIGINT and has ${docker} seconds.`);
});

it('the page on the mechanisms of security lists every setting and variable that names a file, folder or socket as taken on trust', () => {
  const trusted = codesOf(
    tableOf(read('docs/internals/security-mechanisms.md'), 'trusted-paths').flat().join(),
  );
  for (const key of KEY_NAMES.filter((each) => definitionOf(each).kind.locate))
    expect(trusted).toContain(key);
  const code = globSync('src/**/*.ts', { cwd: ROOT }).map((path) => read(path));
  const variables = code.flatMap((text) => [...text.matchAll(/(?:environment\[|read\()'([A-Z_]+)'/g)]);
  // The table writes the home directory as ~; the other one names nothing.
  const named = variables
    .map(([, name = '']) => name)
    .filter((name) => !/^(HOME|DOCKER_TLS_VERIFY)$/.test(name));
  expect(new Set(named).size).toBeGreaterThan(8);
  for (const name of named) expect(trusted).toContain(name);
});

it('the page on support names the versions that the code requires', () => {
  const page = read('docs/support.md');
  const [, api = ''] =
    /^const OLDEST_API = '(.+)';$/m.exec(read('src/executor/docker/engine/engine.ts')) ?? [];
  const [, cluster = ''] =
    /^>=(\d+\.\d+)\.0-0$/.exec(parse(read('deploy/helm/Chart.yaml')).kubeVersion) ?? [];
  const [, node = ''] = /^>=(\d+)$/.exec(JSON.parse(read('package.json')).engines.node) ?? [];
  expect(page).toContain(`API ${api} (`);
  expect(read('docs/docker-engines.md')).toContain(`API ${api} (`);
  expect(page).toContain(`| **Kubernetes** | ${cluster} or newer`);
  expect(page).toContain(`it brings Node.js ${node}<br>`);
  for (const action of ['action.yml', 'plan/action.yml'])
    expect(parse(read(action)).runs.using).toBe(`node${node}`);
});

it('the page on support has the versions that tests run, with their days', () => {
  const page = read('docs/support.md');
  const programs = [...read('scripts/programs').matchAll(/^(?:docker|kubernetes)-[\d.]+ +(\S+) /gm)];
  expect(programs.length).toBeGreaterThan(2);
  for (const [, version] of programs)
    expect(page).toMatch(new RegExp(`\\b${version}\\b\\)? on \\d{4}-\\d\\d-\\d\\d`));
});

it("the page on the pod template shows a job's pod as the code makes it", () => {
  const limits = {
    numCpus: 2,
    memoryBytes: 4 * 1024 ** 3,
    cancelGracePeriodMs: 120_000,
    podStartTimeoutMs: 600_000,
  };
  const pod = podFor(
    { image: 'pulumi/pulumi:latest', platform: 'linux/amd64', labels: {}, timeoutMs: 3_600_000 },
    { name: 'pulumi-workflow-3f9a1c20b7d4', settings: { serviceAccount: 'pulumi-workflow', ...limits } },
  );
  const shown = parse(yamlOf(read('docs/kubernetes/pod-template.md'))[0] ?? '');
  expect(pod).toMatchObject(shown);
  const [container] = pod.spec?.containers ?? [];
  expect(Object.keys(shown.spec).toSorted()).toEqual(Object.keys(pod.spec ?? {}).toSorted());
  expect([...Object.keys(shown.spec.containers[0]), 'command', 'args'].toSorted()).toEqual(
    Object.keys(container ?? {}).toSorted(),
  );
});

it('the pages on Kubernetes set values that the chart has', () => {
  const pages = PAGES.filter((path) => path.startsWith('docs/kubernetes/')).map(read);
  const set = pages.flatMap((page) => [...page.matchAll(/--set ([\w.]+)=/g)].map(([, path = '']) => path));
  const named = pages
    .flatMap(codesOf)
    .filter((code) => /^(?:jobs|oidc|scaledJob|serviceMonitor|serviceAccount)\.\w/.test(code));
  const paths = [...set, ...named.map((code) => code.replace(/=.*/, ''))];
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !isChartValue(path))).toEqual([]);
});

it('the page on operations quotes sentences from the code', () => {
  const source = globSync('src/executor/kubernetes/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const quoted = tableOf(read('docs/kubernetes/operations.md'), 'sentences').flatMap(([said = '']) =>
    codesOf(said),
  );
  expect(quoted.length).toBeGreaterThan(8);
  expect(quoted.filter((sentence) => !source.includes(sentence))).toEqual([]);
});

it('the page on observability states the keys’ defaults', () => {
  const page = read('docs/observability.md');
  const levels = KEYS.logLevel.kind.words.split(' | ').map((level) => `\`${level}\``);
  expect(page).toContain(`\`http_server_port\` (\`${KEYS.httpServerPort.default}\``);
  expect(page).toContain(`\`syslog_socket\` (\`${KEYS.syslogSocket.default}\`)`);
  expect(page).toContain(`\`log_level\` (${levels.join(', ')})`);
  for (const [name] of page.matchAll(/\b(?:log|syslog|health|http)_[a-z_]+\b/g))
    expect(isKey(name), name).toBe(true);
});

it('the page that compares has a version and a date in every cell, ours of this version, and tells what to use instead', () => {
  const rows = tableOf(read('docs/comparison.md'), 'comparison');
  expect(rows.length).toBeGreaterThan(10);
  const undated = rows.flatMap(([subject = '', ours = '', ...others]) => [
    ...(ours.endsWith('</sub>') && ours.includes(`<br><sub>${VERSION} · `) ? [] : [`${subject}: ${ours}`]),
    ...[ours, ...others]
      .filter((cell) => !/\S<br><sub>(?:\d+\.\d+\.\d+|service) · \d{4}-\d\d-\d\d<\/sub>$/.test(cell))
      .map((cell) => `${subject}: ${cell}`),
  ]);
  expect(undated).toEqual([]);
  expect(rows.filter((row) => row.length !== 5)).toEqual([]);
  expect(rows[0]?.[0]).toContain('Use instead');
});
