import { describe, expect, it } from 'vitest';
import { Identification, type IdentificationOptions } from '../../../src/cloud/identification.ts';
import type { NamedDeployment } from '../../../src/cloud/identity.ts';

const claims = { org: 'acme', project: 'network', stack: 'prod', operation: 'refresh', deployment: '3' };
const oidcToken = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const variables = (stack: string, operation = 'refresh') => ({
  PULUMI_CI_ORGANIZATION: { value: 'acme', secret: false },
  PULUMI_CI_PROJECT: { value: 'network', secret: false },
  PULUMI_CI_STACK: { value: stack, secret: false },
  PULUMI_CI_OPERATION: { value: operation, secret: false },
});
const never = new AbortController().signal;

function identified(
  known: { readonly oidcToken?: string; readonly kind?: string } & Partial<IdentificationOptions>,
) {
  const [events, notices]: [NamedDeployment[], string[]] = [[], []];
  const identification = new Identification({
    claim: { jobId: 'j', oidcToken: known.oidcToken, runId: 'r', deploymentId: 'd', kind: known.kind },
    service: { serviceUrl: 'https://api.pulumi.com' },
    started: known.started,
    read: known.read,
    onNamed: (named) => events.push(named),
    redact: (text) => text.replaceAll('hunter2', '***'),
    notice: (message) => notices.push(message),
  });
  return { identification, events, notices };
}

it('a token names the deployment at the claim, and equal variables add nothing', async () => {
  const { identification, events, notices } = identified({ oidcToken });
  const atClaim = identification.named;
  expect(await identification.identify(variables('prod', 'detect-drift'), never)).toMatchObject({
    proven: true,
  });
  expect(identification.named).toBe(atClaim);
  expect({ events, notices }).toEqual({ events: [], notices: [] });
});

it('the token counts where variables differ, with one notice', async () => {
  const { identification, events, notices } = identified({ oidcToken });
  expect(await identification.identify(variables('dev'), never)).toMatchObject({
    stack: 'prod',
    proven: true,
  });
  expect(events).toEqual([]);
  expect(notices).toEqual([
    'Pulumi Cloud calls this deployment acme/network/prod · refresh · #3, but its own variables call it acme/network/dev · refresh: the first name counts.',
  ]);
});

it('a deployment that the agent started needs no token', () => {
  const identity = {
    organization: 'acme',
    project: 'network',
    stack: 'dev',
    operation: 'update',
    proven: true,
  };
  const started = { identity, deploymentUrl: 'https://pulumi.example/deployments/4' };
  expect(identified({ started }).identification.named).toBe(started);
});

it('without a token the variables name it, recorded as not proven', async () => {
  const { identification, events } = identified({});
  expect(identification.named).toEqual({});
  await identification.identify(variables('prod'), never);
  const identity = {
    organization: 'acme',
    project: 'network',
    stack: 'prod',
    operation: 'refresh',
    proven: false,
  };
  expect(events).toEqual([{ identity }]);
  expect(identification.named).toEqual({ identity });
});

it('variables that quote a secret name nothing', async () => {
  const { identification, events } = identified({});
  expect(await identification.identify(variables('hunter2'), never)).toBeUndefined();
  expect({ named: identification.named, events }).toEqual({ named: {}, events: [] });
});

it.each([
  ['shows the deployment below that stack', true, 'd'],
  ['does not know it there', false, 'd'],
  ['shows another deployment, such as the latest', true, 'other'],
  ['shows one without its ID', true, undefined],
])('variables are proven only where Pulumi Cloud, asked with an access token, %s', async (_, isThere, id) => {
  const own = id === undefined ? {} : { id };
  const view = { ...own, status: 'running', steps: [], version: 12, pulumiOperation: 'update', createdAt: 0 };
  const read = async () => (isThere ? view : Promise.reject(new Error('HTTP 404')));
  const isKnown = isThere && id === 'd';
  const { identification, events } = identified({ read });
  const identity = { organization: 'acme', project: 'network', stack: 'prod' };
  const proven = { ...identity, operation: 'update', version: 12, proven: true };
  expect(await identification.identify(variables('prod', 'preview'), never)).toEqual(
    isKnown ? proven : { ...identity, operation: 'preview', proven: false },
  );
  expect(events).toHaveLength(1);
});

describe('work that says it is of another kind', () => {
  const system = { PULUMI_CI_SYSTEM: { value: 'Pulumi Delivery', secret: false } };
  const shown = {
    id: 'd',
    status: 'running',
    steps: [],
    version: 12,
    pulumiOperation: 'update',
    createdAt: 0,
  };

  it.each<
    [where: string, kind: string | undefined, more: object, definition: string | undefined, expected: string]
  >([
    ['its claim', 'delivery', {}, undefined, 'delivery'],
    ['its definition', undefined, {}, 'delivery_job', 'delivery_job'],
    ['its variables', undefined, system, undefined, 'Pulumi Delivery'],
  ])(
    'in %s gets no stack and no operation from its variables',
    async (_, kind, more, definition, expected) => {
      const { identification, events } = identified(kind === undefined ? {} : { kind });
      const all = { ...variables('prod', 'detect-drift'), ...more };
      expect(await identification.identify(all, never, definition)).toBeUndefined();
      expect(identification).toMatchObject({ kind: expected, named: {} });
      expect(events).toEqual([]);
    },
  );

  it('is a deployment once Pulumi Cloud shows it below its stack, unless it says otherwise there too', async () => {
    const read = (view: object) => async () => ({ ...shown, ...view });
    const { identification } = identified({ kind: 'delivery', read: read({}) });
    expect(await identification.identify(variables('prod'), never)).toMatchObject({
      stack: 'prod',
      proven: true,
    });
    expect(identification.kind).toBeUndefined();
    const other = identified({ kind: 'delivery', read: read({ kind: 'delivery' }) }).identification;
    expect(await other.identify(variables('prod'), never)).toBeUndefined();
    expect(other.kind).toBe('delivery');
  });
});
