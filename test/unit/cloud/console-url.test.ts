import { describe, expect, it } from 'vitest';
import { consoleUrl } from '../../../src/cloud/console-url.ts';

describe('the console of a service', () => {
  it.each([
    ['https://api.pulumi.com', 'acme', 'https://app.pulumi.com/acme/deployments'],
    ['https://api.pulumi.example.com/base', 'a/b c', 'https://app.pulumi.example.com/a%2Fb%20c/deployments'],
    ['https://api.pulumi.com', undefined, undefined],
    ['https://pulumi.example.com', 'acme', undefined],
    ['http://127.0.0.1:4000', 'acme', undefined],
  ])('at %s for %s is %s', (serviceUrl, organization, expected) => {
    expect(consoleUrl(serviceUrl, organization)).toBe(expected);
  });
});
