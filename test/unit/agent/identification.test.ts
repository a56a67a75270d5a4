import { expect, it } from 'vitest';
import { Identification, type IdentificationOptions } from '../../../src/agent/identification.ts';
import type { RecordEventBody } from '../../../src/record/schema.ts';

const config = { serviceUrl: 'https://api.pulumi.com' };
const claims = { org: 'acme', project: 'network', stack: 'prod', operation: 'refresh', deployment: '3' };
const oidcToken = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const variables = (stack: string, operation = 'refresh') => ({
  PULUMI_CI_ORGANIZATION: { value: 'acme', secret: false },
  PULUMI_CI_PROJECT: { value: 'network', secret: false },
  PULUMI_CI_STACK: { value: stack, secret: false },
  PULUMI_CI_OPERATION: { value: operation, secret: false },
});
const never = new AbortController().signal;

function identified(known: { readonly oidcToken?: string; readonly started?: IdentificationOptions['started'] }) {
  const [events, notices]: [RecordEventBody[], string[]] = [[], []];
  const identification = new Identification({
    claim: { jobId: 'j', jobToken: 't', oidcToken: known.oidcToken, runId: 'r', deploymentId: 'd' },
    config,
    started: known.started,
    record: { event: (event) => events.push(event) },
    redact: (text) => text.replaceAll('hunter2', '***'),
    notice: (_, message) => notices.push(message),
  });
  return { identification, events, notices };
}

it('a token names the deployment at the claim, and equal variables add nothing', async () => {
  const { identification, events, notices } = identified({ oidcToken });
  const atClaim = identification.named;
  expect(await identification.identify(variables('prod', 'detect-drift'), never)).toMatchObject({ proven: true });
  expect(identification.named).toBe(atClaim);
  expect([events, notices]).toEqual([[], []]);
});

it('the token counts where variables differ, with one notice', async () => {
  const { identification, events, notices } = identified({ oidcToken });
  expect(await identification.identify(variables('dev'), never)).toMatchObject({ stack: 'prod', proven: true });
  expect(events).toEqual([]);
  expect(notices).toEqual([
    'Pulumi Cloud calls this deployment acme/network/prod · refresh · #3, its own variables call it acme/network/dev · refresh: the first counts.',
  ]);
});

it('a deployment that the agent started needs no token', () => {
  const page = 'https://pulumi.example/deployments/4';
  const started = { stack: 'acme/network/dev', operation: 'update', deploymentId: 'd', version: 4, consoleUrl: page };
  expect(identified({ started }).identification.named).toEqual({
    identity: { organization: 'acme', project: 'network', stack: 'dev', operation: 'update', version: 4, proven: true },
    deploymentUrl: page,
  });
});

it('without a token the variables name it, recorded as not proven', async () => {
  const { identification, events } = identified({});
  expect(identification.named).toEqual({});
  await identification.identify(variables('prod'), never);
  const identity = { organization: 'acme', project: 'network', stack: 'prod', operation: 'refresh', proven: false };
  expect(events).toEqual([{ type: 'identified', identity }]);
  expect(identification.named).toEqual({ identity });
});

it('variables that quote a secret name nothing', async () => {
  const { identification, events } = identified({});
  expect(await identification.identify(variables('hunter2'), never)).toBeUndefined();
  expect([identification.named, events]).toEqual([{}, []]);
});
