import { expect, it } from 'vitest';
import { consoleUrl, deploymentUrl } from '../../../src/cloud/organization-wire.ts';

it.each([
  ['https://api.pulumi.com', 'acme', 'https://app.pulumi.com/acme/deployments'],
  ['https://api.pulumi.example.com/base', 'a/b c', 'https://app.pulumi.example.com/a%2Fb%20c/deployments'],
  ['https://api.pulumi.com', undefined, undefined],
  ['http://127.0.0.1:4000', 'acme', undefined],
])('the console of the service at %s for %s is %s', (serviceUrl, organization, expected) => {
  expect(consoleUrl({ serviceUrl }, organization)).toBe(expected);
});

it.each([
  ['https://pulumi.bank.example', 'console.bank.example:8443', 'https://console.bank.example:8443'],
  ['http://127.0.0.1:4000', 'localhost:3000', 'http://localhost:3000'],
  ['https://api.pulumi.com', 'pulumi.bank.example', 'https://pulumi.bank.example'],
])(
  'the console of the service at %s is where PULUMI_CONSOLE_DOMAIN says, %s',
  (serviceUrl, consoleDomain, origin) => {
    const service = { serviceUrl, consoleDomain };
    const stack = { organization: 'acme', project: 'web', stack: 'prod' };
    expect(consoleUrl(service, 'acme')).toBe(`${origin}/acme/deployments`);
    expect(deploymentUrl(service, stack, { version: 7 })).toBe(`${origin}/acme/web/prod/deployments/7`);
  },
);

const api = 'https://api.pulumi.com';
const named = 'https://console.example.com/x/1';
const made = 'https://app.pulumi.com/acme/web%20site/prod/deployments/7';
it.each([
  ['is the one that Pulumi Cloud names', 'http://127.0.0.1:4000', { version: 7, consoleUrl: named }, named],
  ['is built from the version when none was named', api, { version: 7 }, made],
  [
    'is built from the version when what was named is not a web address',
    api,
    { version: 7, consoleUrl: 'javascript:1' },
    made,
  ],
  [
    'is built from the version when what was named is not an address',
    api,
    { version: 7, consoleUrl: 'https://a b' },
    made,
  ],
  ['is unknown without a version', api, {}, undefined],
  ['is unknown when there is no console', 'https://pulumi.example.com', { version: 7 }, undefined],
])('the page of a deployment %s', (_, serviceUrl, known, expected) => {
  const stack = { organization: 'acme', project: 'web site', stack: 'prod' };
  expect(deploymentUrl({ serviceUrl }, stack, known)).toBe(expected);
});
