import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identityText } from '../../../src/base/stack.ts';
import { identityOfToken, identityOfVariables } from '../../../src/cloud/identity.ts';

const CLOUD = 'https://api.pulumi.com';
const SERVICE = { serviceUrl: CLOUD };
const ID = '9e05ab8f-4e2f-4e59-8a3a-1d2f7a6f9c11';

function tokenWith(claims: unknown): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
}

const CLAIMS = { org: 'acme', project: 'network', stack: 'prod', operation: 'update', deployment: '1042' };
const VARIABLES = {
  ORGANIZATION: 'acme',
  PROJECT: 'network',
  STACK: 'prod',
  OPERATION: 'detect-drift',
  BUILD_ID: ID,
  BUILD_NUMBER: '7',
};

function variablesWith(
  more: Readonly<Record<string, string | undefined>> = {},
  secret: readonly string[] = [],
) {
  const all = Object.entries({ ...VARIABLES, ...more }).filter(
    (each): each is [string, string] => each[1] !== undefined,
  );
  return Object.fromEntries(
    all.map(([name, value]) => [`PULUMI_CI_${name}`, { value, secret: secret.includes(name) }]),
  );
}
const named = (variables: ReturnType<typeof variablesWith>, serviceUrl = CLOUD) =>
  identityOfVariables(variables, { service: { serviceUrl }, deploymentId: ID });

describe('the identity in a claim’s token', () => {
  it('is proven, and its page is derived', () => {
    const token = identityOfToken(tokenWith(CLAIMS), SERVICE);
    expect(token).toEqual({
      identity: {
        organization: 'acme',
        project: 'network',
        stack: 'prod',
        operation: 'update',
        version: 1042,
        proven: true,
      },
      deploymentUrl: 'https://app.pulumi.com/acme/network/prod/deployments/1042',
    });
    expect(token && identityText(token.identity)).toBe('acme/network/prod · update · #1042');
  });

  it.each([
    ['a number for its version', { ...CLAIMS, deployment: 1042 }, 1042],
    ['no version', { ...CLAIMS, deployment: undefined }, undefined],
    ['markup for its version', { ...CLAIMS, deployment: '1<b>' }, undefined],
    ['an object for its version that has no text', { ...CLAIMS, deployment: { toString: 1 } }, undefined],
  ])('can have %s', (_, claims, version) => {
    expect(identityOfToken(tokenWith(claims), SERVICE)?.identity.version).toBe(version);
  });

  it.each([
    '',
    'no token',
    'a.b.c',
    tokenWith(null),
    tokenWith({ ...CLAIMS, org: undefined }),
    tokenWith({ ...CLAIMS, stack: ['prod'] }),
    tokenWith({ ...CLAIMS, project: '..' }),
    tokenWith({ ...CLAIMS, stack: '::error::no' }),
    tokenWith({ ...CLAIMS, stack: 'x'.repeat(10_000) }),
  ])('is none in %#', (oidcToken) => {
    expect(identityOfToken(oidcToken, SERVICE)).toBeUndefined();
  });

  it('holds plain names alone, whatever the claims are', () => {
    const claim = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.jsonValue(),
      fc.constantFrom('acme', 'prod', 'update', '12'),
    );
    // One name that doesn't fit hides what the others are.
    const fit = { weight: 4, arbitrary: fc.constantFrom('acme', 'prod') };
    const name = fc.oneof(fit, { weight: 1, arbitrary: claim });
    const claims = fc.record({
      org: name,
      project: name,
      stack: name,
      operation: claim,
      deployment: claim,
    });
    fc.assert(
      fc.property(claims, (those) => {
        const read = identityOfToken(tokenWith(those), SERVICE);
        const text = read === undefined ? 'a/b/c' : identityText(read.identity);
        expect(text).toMatch(
          /^[\w.-]{1,100}\/[\w.-]{1,100}\/[\w.-]{1,100}( · [a-z-]{1,80})?( · #[0-9]{1,9})?$/,
        );
        expect(text).not.toMatch(/(^|\/)\.+(\/|$| )/);
      }),
    );
  });
});

describe('the identity in a job’s variables', () => {
  it('is not proven', () => {
    expect(named(variablesWith())).toEqual({
      identity: {
        organization: 'acme',
        project: 'network',
        stack: 'prod',
        operation: 'detect-drift',
        version: 7,
        proven: false,
      },
      deploymentUrl: 'https://app.pulumi.com/acme/network/prod/deployments/7',
    });
  });

  it('counts without a deployment’s ID, but not with another’s', () => {
    expect(named(variablesWith({ BUILD_ID: undefined }))).toBeDefined();
    expect(named(variablesWith({ BUILD_ID: 'another' }))).toBeUndefined();
  });

  it('is never a value that is marked as secret', () => {
    expect(named(variablesWith({}, ['STACK']))).toBeUndefined();
    expect(named(variablesWith({}, ['OPERATION']))?.identity).toMatchObject({
      stack: 'prod',
      operation: undefined,
    });
  });

  it.each([
    'https://pulumi.bank.example/acme/network/prod/deployments/7',
    'https://evil.example/acme/network/prod/deployments/7',
  ])('has no page at the address %s that they say, where the console’s place is unknown', (url) => {
    expect(named(variablesWith({ BUILD_URL: url }), 'https://pulumi.bank.example')).toEqual({
      identity: expect.objectContaining({ stack: 'prod', version: 7 }),
    });
  });

  it('never has an address elsewhere where the console’s place is known', () => {
    const page = named(variablesWith({ BUILD_URL: 'https://evil.example/acme/network/prod/deployments/7' }));
    expect(page?.deploymentUrl).toBe('https://app.pulumi.com/acme/network/prod/deployments/7');
  });
});
