import { expect, test } from 'vitest';
import { DeploymentApi } from '../../../../src/cloud/deployment-api.ts';
import { stackLock } from '../../../../src/cloud/deployments/stack-lock.ts';
import { ORGANIZATION, StaticToken } from '../../../../src/cloud/token.ts';
import { lockText } from '../../../../src/record/stack-lock.ts';
import { cloudHttp, never } from '../../../support/cloud/cloud-http.ts';

test('the holder of a lock is named in one short line, whatever a service says', async () => {
  const currentOperation = {
    kind: `update\n::error::${'k'.repeat(1_000_000)}`,
    author: '\u202edev\u0007\r\n`pulumi stack rm`',
    started: 1e300,
  };
  const http = new Proxy(cloudHttp('http://127.0.0.1:1'), {
    get: (target, key) =>
      key === 'once'
        ? () => Promise.resolve({ status: 200, json: { stackName: 'dev', currentOperation }, headers: {} })
        : Reflect.get(target, key, target),
  });
  const lock = await stackLock(
    { sign: 'conflict', step: 'up' },
    {
      api: new DeploymentApi(http, new StaticToken('pul-1', ORGANIZATION)),
      stack: { organization: 'acme', project: 'web', stack: 'dev' },
      log: () => undefined,
      signal: never,
    },
  );
  const text = lock && lockText(lock, 'acme/web/dev');
  expect(text).toMatch(
    /^acme\/web\/dev is locked: update ::error::k+… by dev `pulumi stack rm`, by Pulumi Cloud's record\./,
  );
  expect(text?.length).toBeLessThan(500);
});
