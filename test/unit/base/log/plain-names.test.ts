import { describe, expect, it, test } from 'vitest';
import {
  isPlainVariable,
  type NamedVariables,
  saysCredential,
  secretValues,
  suspectedSecrets,
  variableSecrets,
} from '../../../../src/base/log/plain-names.ts';
import { drawing } from '../../../support/log/credential-examples.ts';

const NONE: NamedVariables = { plainVariables: [], secretVariables: [] };
const TOKEN = `pul-${drawing(1)('hex', 40)}`;

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
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318', true],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://collector/v1/traces', true],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:hunter22@collector', false],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'any text', false],
  ['TRACEPARENT', `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, true],
  ['TRACEPARENT', 'any text', false],
  ['WEBHOOK_URL', 'https://hooks.example.com/T000/B000', false],
])('%s=%s stays readable: %s', (name, value, plain) => {
  expect(isPlainVariable(name, value)).toBe(plain);
  expect(secretValues({ [name]: value }).includes(value)).toBe(!plain);
});

test('values of 4 or more characters are secret unless they or their names are plain', () => {
  const environment = {
    HOME: '/home/me',
    SHORT: 'abc',
    BLANK: '      ',
    FLAG: 'true',
    PIN: '1234',
    TOKEN: 'pul-0123',
  };
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

describe('a variable that names the deployment', () => {
  it.each([
    ['PULUMI_CI_STACK', 'pr-web-123', true],
    ['PULUMI_CI_PROJECT', 'infra-v2', true],
    ['PULUMI_CI_OPERATION', 'detect-drift', true],
    ['PULUMI_CI_BUILD_NUMBER', '1042', true],
    ['PULUMI_CI_BUILD_ID', '550e8400-e29b-41d4-a716-446655440000', true],
    ['PULUMI_CI_BUILD_URL', 'https://app.pulumi.com/acme/infra-v2/pr-web-123/deployments/1042', true],
    ['PULUMI_CI_STACK', TOKEN, false],
    ['PULUMI_CI_BUILD_URL', `https://app.pulumi.com/${TOKEN}`, false],
    ['PULUMI_CI_STACK', 'a stack', false],
    ['PULUMI_CI_OTHER', 'pr-web-123', false],
  ])('%s=%s stays readable: %s', (name, value, plain) => {
    expect(isPlainVariable(name, value)).toBe(plain);
    expect(suspectedSecrets({ [name]: value }, NONE)).toEqual(plain ? [] : [value]);
  });
});

describe('where no value is marked, a variable', () => {
  const SUSPECT =
    'PULUMI_ACCESS_TOKEN=pul-1234 DB_PASSWORD=production MY_API_KEY=123456 SSH_PRIVATE=word DB_PASS=correct-horse ' +
    'MYSQL_PWD=swordfish SETTING=Zq9-44! PIN=12345678 STACK=pr-web-123';
  const PLAIN =
    'ENVIRONMENT=production REPLICAS=42 REGION=west-europe REPO=acme/web PWD=/deployment BYPASS=proxy PASSWORD=abc ' +
    'AWS_REGION=eu-central-1 PULUMI_SERVICE_URL=https://api.pulumi.com/api USE_TOKEN=true EMPTY= AUTH_MODE=oidc';

  it.each(SUSPECT.split(' '))('can be secret: %s', (line) => {
    const [name = '', value = ''] = line.split('=');
    expect(variableSecrets({ [name]: { value, secret: false } }, NONE)).toEqual([value]);
  });

  it.each(PLAIN.split(' '))('is not secret, or not worth hiding: %s', (line) => {
    const [name = '', value = ''] = line.split('=');
    expect(variableSecrets({ [name]: { value, secret: false } }, NONE)).toEqual([]);
  });
});

describe('where a value is marked, an unmarked one', () => {
  const MARK = { MARKED: { value: 'marked-1', secret: true } };
  const hiddenOf = (
    env: Record<string, string>,
    named: Partial<NamedVariables> = {},
    marks: object = MARK,
  ) => {
    const unmarked = Object.entries(env).map(([name, value]) => [name, { value, secret: false }]);
    const secrets = new Set(
      variableSecrets({ ...marks, ...Object.fromEntries(unmarked) }, { ...NONE, ...named }),
    );
    return Object.keys(env).filter((name) => secrets.has(env[name] ?? ''));
  };
  const URL = 'https://example.com/a-b-1';

  it('is plain unless its name or its shape says credential', () => {
    const env = {
      STACK_LABEL: 'pr-web-123',
      NOTE: 'Zq9-44!',
      SENTRY_DSN: URL,
      NAME: TOKEN,
      DB: `x://u:${TOKEN}@db`,
    };
    expect(hiddenOf(env)).toEqual(['SENTRY_DSN', 'NAME', 'DB']);
    expect(hiddenOf({ AWS_REGION: 'eu-west-1', TOKEN: 'word', AUTH: 'false', PWD: '/deployment' })).toEqual([
      'TOKEN',
    ]);
  });

  it('is secret where it equals a marked one', () => {
    expect(hiddenOf({ SAME: 'marked-1' })).toEqual(['SAME']);
  });

  it.each(['', 'abc', '   ab   ', 'true', 'False'])(
    'is judged as without a mark if that is on %j, which hides nothing',
    (value) => {
      expect(hiddenOf({ LABEL: 'pr-web-123' }, {}, { MARKED: { value, secret: true } })).toEqual(['LABEL']);
    },
  );

  it('is plain where its full name is in plain_variables, whatever it holds, and by a pattern unless it may be a credential', () => {
    const env = { APP_URL: URL, APP_TOKEN: 'word', APP_KEY: 'pr-web-123', APP_NAME: TOKEN };
    expect(hiddenOf(env, { plainVariables: ['APP_TOKEN', 'APP_KEY'] })).toEqual(['APP_NAME']);
    expect(hiddenOf(env, { plainVariables: ['APP_*'] }, {})).toEqual(['APP_TOKEN', 'APP_KEY', 'APP_NAME']);
  });

  it('is secret where secret_variables names it, and plain_variables changes no mark', () => {
    expect(
      hiddenOf({ HOME: '/home/me', A_1: 'word', B: 'word-2' }, { secretVariables: ['HOME', 'A_*'] }),
    ).toEqual(['HOME', 'A_1']);
    expect(variableSecrets(MARK, { ...NONE, plainVariables: ['MARKED', '*'] })).toEqual(['marked-1']);
  });
});

const CREDENTIAL_NAMES = `
  STRIPE_KEY SSH_KEYS KEY APIKEY storageAccountKey SIGNING_KEY_2 AWS_ACCESS_KEY_ID stripe-key BASIC_AUTH AUTH_HEADER
  OAUTH_CLIENT AUTHORIZATION AUTHENTICATION npm_config__auth SENTRY_DSN DSN MYSQL_DSN_2 DB_CONN CONNSTR SQLCONN
  CONNECTION_STRING ConnectionStrings__Default DATABASE_CONNECTION_URL DB_CONNECTION CONNECT_STRING AIRFLOW_CONN_DB SLACK_WEBHOOK
  WEBHOOK_URL SAS BLOB_SAS SAS_URL BLOBSASURL SESSION_COOKIE COOKIES GITHUB_PAT DB_PW PGPASSWORD my.secret
`;
const OTHER_NAMES = `
  AUTHOR AUTHORS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL AUTHORITY AZURE_AUTHORITY_HOST CONNECT CONNECT_TIMEOUT CONNECTED
  CONNECTION_TIMEOUT CONNECTION_TIMEOUT_MS MAX_CONNECTIONS KAFKA_CONNECT_WORKERS CONNECTOR_VERSION SASS SASS_PATH SASKIA
  KANSAS DISASTER_RECOVERY KEYBOARD KEYBOARD_LAYOUT KEYCLOAK_REALM KEYVAULT_NAME KEY_VAULT_URI KEYRING AUTH_METHOD
  AUTH_TYPE SSH_KEY_PATH COOKIE_NAME COOKIECUTTER_REPO WEBHOOK_PORT PATH PATTERN COMPASS CLOUDSNAPSHOT REDSNAPPER STACK
  REGION CLOUD_SQL_CONNECTION_NAME
`;

describe('a name', () => {
  it.each(CREDENTIAL_NAMES.trim().split(/\s+/))('says credential: %s', (name) => {
    expect(saysCredential(name)).toBe(true);
  });

  it.each(OTHER_NAMES.trim().split(/\s+/))('does not say credential: %s', (name) => {
    expect(saysCredential(name)).toBe(false);
  });
});
