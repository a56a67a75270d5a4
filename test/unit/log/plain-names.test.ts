import { expect, test } from 'vitest';
import { isPlainVariable, secretValues } from '../../../src/log/plain-names.ts';

test.each<[string, string, boolean]>([
  ['PULUMI_BACKEND_URL', 'https://api.pulumi.com', true],
  ['PULUMI_BACKEND_URL', 's3://state-bucket', true],
  ['PULUMI_BACKEND_URL', 'file:///state', true],
  ['PULUMI_BACKEND_URL', 'postgres://user:hunter22@db/state', false],
  ['PULUMI_BACKEND_URL', 'azblob://state?sas=sv%3D2024', false],
  ['PULUMI_BACKEND_URL', 'not a url', false],
  ['HTTPS_PROXY', 'user:hunter22@proxy:3128', false],
  ['https_proxy', 'http://token@proxy:3128', false],
  ['DOCKER_HOST', 'unix:///var/run/docker.sock', true],
  ...['AWS_REGION', 'LC_ALL', 'PATH', 'PULUMI_STACK'].map(
    (name) => [name, 'any text', true] as [string, string, boolean],
  ),
  ...['AWS_ACCESS_KEY_ID', 'KUBECONFIG', 'LC_', 'path', 'constructor'].map(
    (name) => [name, 'any text', false] as [string, string, boolean],
  ),
  ['WEBHOOK_URL', 'https://hooks.example.com/T000/B000', false],
])('%s=%s stays readable: %s', (name, value, plain) => {
  expect(isPlainVariable(name, value)).toBe(plain);
  expect(secretValues({ [name]: value }).includes(value)).toBe(!plain);
});

test('values of 4 or more characters are secret unless they or their names are plain', () => {
  const environment = { HOME: '/home/me', SHORT: 'abc', BLANK: '      ', FLAG: 'true', PIN: '1234', TOKEN: 'pul-0123' };
  expect(secretValues(environment)).toEqual(['1234', 'pul-0123']);
});

test("a URL's password is a secret of its own", () => {
  expect(secretValues({ DATABASE: 'postgres://me:p%40ssword@db/x' })).toEqual([
    'postgres://me:p%40ssword@db/x',
    'p%40ssword',
    'p@ssword',
  ]);
  expect(secretValues({ DATABASE: 'x://me:100%25%zz@db' })).toContain('100%25%zz');
});
