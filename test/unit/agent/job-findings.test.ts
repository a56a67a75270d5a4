import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobEnd } from '../../../src/agent/job/job-end.ts';
import { jobFindings } from '../../../src/agent/job-findings.ts';
import { DeploymentApi } from '../../../src/cloud/deployment-api.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const END: JobEnd = {
  outcome: 'interrupted',
  message: 'It was interrupted.',
  steps: [],
  forwarded: [],
  reported: true,
};

/** The calls that findings about a job make, by what they read. */
async function callsFor(proven: boolean): Promise<string[]> {
  const calls: string[] = [];
  const http = cloudHttp('http://127.0.0.1:1');
  const asked = new Proxy(http, {
    get: (target, key) =>
      key === 'once'
        ? (call: { path: string }) => {
            calls.push(call.path);
            return Promise.reject(new Error('no answer'));
          }
        : Reflect.get(target, key, target),
  });
  const findings = await jobFindings({
    end: END,
    deploymentId: 'dep-1',
    identity: { organization: 'acme', project: 'web', stack: 'dev', proven },
    directory: '/nowhere',
    deployments: new DeploymentApi(asked, new StaticToken('pul-1', ORGANIZATION)),
    redact: (text) => text,
    log: () => undefined,
    signal: never,
  });
  // Nothing tells more, and no failure of a call is one of the job.
  expect(findings).toEqual({});
  return calls.toSorted();
}

test.each([
  [true, ['/api/stacks/acme/web/dev', '/api/stacks/acme/web/dev/deployments/dep-1/updates']],
  [false, []],
])('are read from Pulumi Cloud for a proven name alone: %s', async (proven, calls) => {
  expect(await callsFor(proven)).toEqual(calls);
});

test.each([
  ['Updating (dev)\n^C received; cancelling.\n', { state: 'unknown', step: 'up', interrupted: true }],
  ['Updating (dev)\n^C received; cancelling.\nDuration: 2s\n', { state: 'released' }],
  // Stopped before it said anything.
  ['', undefined],
])('tell without a token whether the stack may be locked, by the output %j', async (output, lock) => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'steps'));
  await writeFile(join(directory, 'steps/01.log'), output);
  const cloud = { sent: 0, undelivered: 0 };
  const step = {
    index: 1,
    name: 'up',
    status: 'failed',
    log: 'steps/01.log',
    lines: 2,
    bytes: 9,
    cloud,
  } as const;
  const findings = await jobFindings({
    end: { ...END, steps: [step] },
    deploymentId: 'dep-1',
    identity: undefined,
    directory,
    deployments: undefined,
    redact: (text) => text,
    log: () => undefined,
    signal: never,
  });
  expect(findings.lock).toEqual(lock);
});
