import { expect, test } from 'vitest';
import { isPlainVariable, secretValues, variableSecrets } from '../../../src/log/plain-names.ts';

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

const MARKED = { value: 'marked-1', secret: true };
const unmarked = (...values: [string, string][]) =>
  Object.fromEntries(values.map(([name, value]) => [name, { value, secret: false }]));
const none = { plainVariables: [], secretVariables: [] };

test('where a definition marks a value, others are plain unless their name or shape says credential', () => {
  const variables = unmarked(
    ['BUCKET', 'acme-state-eu-west-1'],
    ['ROLE', 'arn:aws:iam::123456789012:role/deploy'],
    ['GIT_AUTHOR_NAME', 'Ada Lovelace'],
    ['KEYBOARD', 'de-latin1'],
    ['CONNECTION_TIMEOUT', '30 seconds'],
    ['PULUMI_CI_STACK', 'pr-web-123'],
    ['ENCRYPTION_KEY', 'correct horse'],
    ['BASIC_AUTH', 'me:horse'],
    ['SENTRY_DSN', 'battery'],
    ['SLACK_WEBHOOK_URL', 'https://hooks.example.com/T0'],
    ['SESSION_COOKIE', 'staple-9'],
    ['STORAGE_SAS', 'sas-words'],
    ['HEADER', 'Bearer abcdefgh'],
    ['PULUMI_CI_PROJECT', `pul-${'0123456789abcdef'.repeat(2)}`],
  );
  expect(variableSecrets({ ...variables, MARKED }, none)).toEqual([
    'correct horse',
    'me:horse',
    'battery',
    'https://hooks.example.com/T0',
    'staple-9',
    'sas-words',
    'Bearer abcdefgh',
    `pul-${'0123456789abcdef'.repeat(2)}`,
    'marked-1',
  ]);
});

test.each([
  ['none', {}],
  ['only a blank one', { BLANK: { value: '  ', secret: true } }],
])('where it marks %s, every value that may be secret is', (_, marked) => {
  const variables = unmarked(
    ['BUCKET', 'acme-state-eu-west-1'],
    ['ENVIRONMENT', 'production'],
    ['PULUMI_CI_STACK', 'pr-web-123'],
  );
  expect(variableSecrets({ ...variables, ...marked }, none)).toContain('acme-state-eu-west-1');
  expect(variableSecrets({ ...variables, ...marked }, none)).not.toContain('pr-web-123');
});

test('names that users give count before names and shapes, but a mark counts before all', () => {
  const variables = { ...unmarked(['API_TOKEN', 'shown-1'], ['BUCKET', 'hidden-1'], ['BOTH', 'hidden-2']), MARKED };
  const named = { plainVariables: ['API_TOKEN', 'MARKED', 'BOTH'], secretVariables: ['BUCKET', 'BOTH'] };
  expect(variableSecrets(variables, named)).toEqual(['hidden-1', 'hidden-2', 'marked-1']);
});
