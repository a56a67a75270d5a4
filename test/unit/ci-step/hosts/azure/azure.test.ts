import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { azure } from '../../../../../src/ci-step/hosts/azure/azure.ts';
import type { Dialect } from '../../../../../src/ci-step/hosts/ci-system.ts';
import { type AzureCommand, readAzureConsole } from '../../../../support/hosts/azure-console.ts';

const environment = { TF_BUILD: 'True', SYSTEM_JOBID: '12f1170f', AGENT_TEMPDIRECTORY: '/agent/temp' };

/** The commands to the agent by which a new process of the job does something. */
async function commandsOf(use: (dialect: Dialect) => unknown): Promise<readonly AzureCommand[]> {
  const stdout = new PassThrough();
  const { signal } = new AbortController();
  const dialect = azure.dialect({
    owner: { host: 'elsewhere', pid: 1, started: 'x' },
    interrupted: signal,
    cancelled: signal,
    now: Date.now,
    steady: () => 0,
    environment,
    stdout,
    workingDirectory: '/checkout',
    checkoutDirectory: '/checkout',
    stateDirectory: '/private',
    job: azure.job(environment),
  });
  await use(dialect);
  return readAzureConsole(String(stdout.read() ?? '')).commands;
}

it('no two steps of a job upload an artifact of the same name', async () => {
  const upload = {
    directory: '/checkout/pulumi-runner',
    deadlineMs: 1,
    signal: AbortSignal.abort(),
    last: true,
  };
  const names = [];
  for (const _ of [1, 2])
    names.push(...(await commandsOf((it) => it.upload?.(upload))).map((it) => it.properties['artifactname']));
  expect(names).toEqual([
    expect.stringMatching(/^pulumi-runner-12f1170f-1-/),
    expect.stringMatching(/^pulumi-runner-/),
  ]);
  expect(new Set(names).size).toBe(2);
});

it('each line of a secret is masked, except those that are hardly more than a brace', async () => {
  const commands = await commandsOf((it) => it.mask?.('{\r\n  "key": "a;b]c%"\n}'));
  expect(commands).toEqual([{ name: 'task.setsecret', properties: {}, data: '"key": "a;b]c%"' }]);
  expect(await commandsOf((it) => it.mask?.('pw'))).toMatchObject([{ data: 'pw' }]);
});

it('an output that names another variable, such as a secret one, is left out', async () => {
  const outputs = new Map([
    ['console-url', 'https://app.pulumi.com/acme?a=$1'],
    ['stack', 'acme/$(System.AccessToken)'],
    ['stack-outputs', 'x'.repeat(32 * 1024 + 1)],
  ]);
  const properties = { variable: 'console_url', isOutput: 'true' };
  expect(await commandsOf((it) => it.deliver?.(outputs))).toEqual([
    { name: 'task.setvariable', properties, data: 'https://app.pulumi.com/acme?a=$1' },
  ]);
});
