import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Work } from '../../../../src/agent/job/definition.ts';
import {
  type EnvironmentSources,
  furtherVariables,
  hideSecrets,
  jobEnvironment,
  parseEnvironmentFile,
} from '../../../../src/agent/job/environment.ts';
import { Redactor } from '../../../../src/base/log/redactor.ts';
import { JobDefinitionError } from '../../../../src/cloud/errors.ts';

const SERVICE = 'https://api.pulumi.com';

interface Given extends Partial<Pick<EnvironmentSources, 'claim' | 'caBundle'>> {
  readonly work?: Pick<Work, 'env' | 'credentials'>;
  readonly allowlist?: string[];
  readonly plain?: string[];
  readonly secret?: string[];
  readonly host?: EnvironmentSources['environment'];
  readonly serviceUrl?: string;
}
const environment = ({
  allowlist = [],
  plain: plainVariables = [],
  secret: secretVariables = [],
  host = {},
  work = { env: {} },
  serviceUrl = SERVICE,
  ...sources
}: Given = {}) =>
  jobEnvironment(work, {
    claim: { oidcToken: undefined },
    config: { serviceUrl, envForwardAllowlist: allowlist, plainVariables, secretVariables },
    environment: host,
    ...sources,
  });
const plain = (env: Record<string, string>) => ({
  env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, { value, secret: false }])),
});

describe('what a job’s steps see', () => {
  it('is the job’s variables, and nothing from the host', () => {
    const made = environment({
      work: { env: { FOO: { value: 'bar', secret: false }, KEY: { value: 's3cret', secret: true } } },
      host: { PATH: '/bin', HOME: '/root', SECRET: 'host' },
    });
    expect(made.variables).toEqual({ FOO: 'bar', KEY: 's3cret', PULUMI_SERVICE_URL: `${SERVICE}/api` });
    expect(made).toMatchObject({ secrets: ['s3cret'], forwarded: [], warnings: [] });
  });

  it('names the service unless the job does', () => {
    const own = { PULUMI_SERVICE_URL: 'https://other.example/api' };
    expect(environment({ work: plain(own) }).variables).toEqual(own);
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ['https://pulumi.example.com', {}, 'https://pulumi.example.com'],
    ['https://pulumi.example.com', { PULUMI_API: 'https://own.example.com' }, 'https://own.example.com'],
    ['https://pulumi.example.com', { PULUMI_BACKEND_URL: 's3://state' }, undefined],
    [SERVICE, {}, undefined],
  ])('leads the Pulumi CLI to %s, unless the job has %j', (serviceUrl, own, expected) => {
    const { variables } = environment({ work: plain(own), serviceUrl });
    expect(variables['PULUMI_API']).toBe(expected);
    expect(variables['PULUMI_BACKEND_URL']).toBe(own['PULUMI_BACKEND_URL']);
  });

  it('includes the claim’s OIDC token, in the environment and in a file that others can’t read', () => {
    const { variables, files } = environment({ claim: { oidcToken: 'eyJ.claim' } });
    expect(variables['PULUMI_OIDC_TOKEN']).toBe('eyJ.claim');
    expect(files).toContainEqual({ path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: 'eyJ.claim' });
  });
});

describe('what the host forwards', () => {
  it('is what is on the list, even in place of the job’s own value', () => {
    const made = environment({
      work: plain({ REGION: 'eu', OTHER: 'job' }),
      allowlist: ['REGION', 'TEAM'],
      host: { REGION: 'us', TEAM: '', OTHER: 'host' },
    });
    expect(made.variables).toMatchObject({ REGION: 'us', TEAM: '', OTHER: 'job' });
    expect(made.forwarded).toEqual(['REGION', 'TEAM']);
    expect(made.warnings).toEqual([]);
  });

  it('includes DOCKER_HOST once whenever it is set', () => {
    const host = { DOCKER_HOST: 'unix:///run/docker.sock' };
    expect(environment({ host })).toMatchObject({ variables: host, forwarded: ['DOCKER_HOST'] });
    expect(environment({ host, allowlist: ['DOCKER_HOST'] }).forwarded).toEqual(['DOCKER_HOST']);
    expect(environment().variables).not.toHaveProperty('DOCKER_HOST');
    expect(environment().warnings).toEqual([]);
  });

  it('causes a warning if it is missing', () => {
    const warnings = ['REGION is on the allowlist but not set here, so it was not forwarded.'];
    expect(environment({ allowlist: ['REGION'] })).toEqual({ ...environment(), warnings });
  });

  it('causes a warning, without the tokens, if it changes the job’s identity', () => {
    const own = environment({
      work: plain({ PULUMI_ACCESS_TOKEN: 'pul-job' }),
      allowlist: ['PULUMI_ACCESS_TOKEN'],
      host: { PULUMI_ACCESS_TOKEN: 'pul-host' },
    });
    expect(own.variables['PULUMI_ACCESS_TOKEN']).toBe('pul-host');
    expect(own.warnings).toEqual([
      expect.stringMatching(/^PULUMI_ACCESS_TOKEN (?!.*pul-).*acts with a different identity/),
    ]);
  });
});

describe('what a job should trust', () => {
  const file = '/mnt/pulumi/ca-certificates.crt';
  const names =
    'SSL_CERT_FILE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO AWS_CA_BUNDLE';

  it('is a file that any user can read, set for each program that looks for one', () => {
    const { variables, files } = environment({ caBundle: 'PEM' });
    expect(files).toContainEqual({ path: file, mode: 0o644, content: 'PEM' });
    expect(variables).toMatchObject(Object.fromEntries(names.split(' ').map((name) => [name, file])));
  });

  it('does not override what the job or the host sets', () => {
    const { variables } = environment({
      caBundle: 'PEM',
      work: plain({ CURL_CA_BUNDLE: '/job', GIT_SSL_CAINFO: '' }),
      allowlist: ['SSL_CERT_FILE'],
      host: { SSL_CERT_FILE: '/host' },
    });
    const named = { CURL_CA_BUNDLE: '/job', GIT_SSL_CAINFO: '', SSL_CERT_FILE: '/host' };
    expect(variables).toMatchObject({ ...named, AWS_CA_BUNDLE: file });
  });
});

describe('the file for variables between steps', () => {
  it.each<[string, Given, string, true?]>([
    ['the default unless the job names another', {}, '/PULUMI_ENV'],
    ['the one that the job names', { work: plain({ PULUMI_ENV_FILE: '/tmp/env' }) }, '/tmp/env', true],
    [
      'the default even if the job gives an empty name',
      { work: plain({ PULUMI_ENV_FILE: '' }) },
      '/PULUMI_ENV',
    ],
    [
      'the one that the host names if the steps see that name',
      { allowlist: ['PULUMI_ENV_FILE'], host: { PULUMI_ENV_FILE: '/host/env' } },
      '/host/env',
    ],
    [
      'the one that the host names in place of the job’s',
      {
        work: plain({ PULUMI_ENV_FILE: '/tmp/env' }),
        ...{ allowlist: ['PULUMI_ENV_FILE'], host: { PULUMI_ENV_FILE: '/host/env' } },
      },
      '/host/env',
    ],
  ])('is %s', (_, sources, expected, isNamed) => {
    const { environmentFile, files } = environment(sources);
    expect(environmentFile).toBe(expected);
    expect(files).toEqual([{ path: expected, mode: 0o600, content: '', ...(isNamed && { isNamed }) }]);
  });

  it.each<[string, Record<string, string>]>([
    ['KEY=value\r\nOTHER=2\r\n', { KEY: 'value', OTHER: '2' }],
    ['KEY=a=b==', { KEY: 'a=b==' }],
    [' KEY =v\nB= a b ', { KEY: 'v', B: ' a b ' }],
    ['# KEY=value\n#OTHER=1\n  # THIRD=1\n\n \n', {}],
    ['KEY="quoted # not a comment"', { KEY: '"quoted # not a comment"' }],
    ['KEY=1\nKEY=2', { KEY: '2' }],
    ['no separator\n=value\n1KEY=v\nA-B=v\nA B=v\nexport KEY=v\nÄ=v', {}],
    ['KEY=a\0b\nGOOD=1', { GOOD: '1' }],
  ])('is read from %j as %j', (text, expected) => {
    expect(parseEnvironmentFile(text)).toEqual(expected);
  });
});

describe('what a job brings', () => {
  it('is secret if it is marked, forwarded, a credential, a token or suspect', () => {
    const { secrets } = environment({
      work: {
        env: {
          A: { value: 'marked1', secret: true },
          B_KEY: { value: 'k-8821', secret: false },
          B: { value: 'pr-web-123', secret: false },
          C: { value: 'plain', secret: false },
          D: { value: 'postgres://user:p%40ss-word@db/x', secret: true },
        },
        credentials: { username: 'user', password: 'reg1stry' },
      },
      claim: { oidcToken: 'eyJ' },
      allowlist: ['F', 'HOME'],
      host: { F: 'f0rwarded', HOME: '/root' },
    });
    // A program may print just the password of its URL.
    const ofUrl = ['postgres://user:p%40ss-word@db/x', 'p%40ss-word', 'p@ss-word'];
    expect(new Set(secrets)).toEqual(
      new Set(['marked1', 'k-8821', 'reg1stry', 'eyJ', 'f0rwarded', ...ofUrl]),
    );
  });

  it('is secret where secret_variables names it, forwarded or not', () => {
    const { secrets } = environment({
      work: plain({ HOME: '/home/me', LANG: 'C.UTF-8' }),
      allowlist: ['TZ'],
      secret: ['HOME', 'T*'],
      host: { TZ: 'Europe/Berlin' },
    });
    expect(secrets).toEqual(['/home/me', 'Europe/Berlin']);
  });
});

describe('the secrets of a job', () => {
  const secret = (characters: number) => ({
    value: randomBytes(characters / 2).toString('hex'),
    secret: true,
  });
  const hide = (env: Work['env'], redactor = new Redactor()) =>
    hideSecrets(environment({ work: { env } }), redactor.scope());

  it('are hidden up to 200 kB, in one value or in many', () => {
    const redactor = new Redactor();
    const [big, small] = [secret(100_000), secret(1_000)];
    hide(
      { BIG: big, ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`S${at}`, small])) },
      redactor,
    );
    expect(redactor.text(`[${big.value}] [${small.value}]`)).toBe('[***] [***]');
  });

  it.each<[string, Work['env'], RegExp]>([
    ['one', { SMALL: secret(100), BIG: secret(600_000) }, /the largest is BIG, 600 kB long\./],
    [
      'all together',
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`S${at}`, secret(1_000 + 2 * at)])),
      /the largest is S499, 2 kB long\./,
    ],
  ])('beyond it fail the job, which is told the largest: %s', (_, env, told) => {
    expect(() => hide(env)).toThrow(told);
    expect(() => hide(env)).toThrow(JobDefinitionError);
  });
});

describe('what a step writes to the environment file', () => {
  const taught = (written: string, given: Given) => {
    const { variables, named } = environment(given);
    const secrets: string[] = [];
    furtherVariables(variables, { add: (values) => secrets.push(...values) }, named)(written);
    return secrets;
  };

  it('is judged with today’s caution, whatever the definition marks', () => {
    const marks = { work: { env: { A: { value: 'marked-1', secret: true } } } };
    expect(taught('B=pr-web-123\nC=word\nDB_PASSWORD=word\n', marks)).toEqual(['pr-web-123', 'word']);
  });

  it('is secret under the name of a marked or forwarded value, which no setting shows', () => {
    const given: Given = {
      work: { env: { A: { value: '', secret: true } } },
      allowlist: ['B', 'HOME'],
      plain: ['A', 'B*', 'C', 'HOME'],
      host: { B: 'forwarded', HOME: '/root' },
    };
    expect(taught('A=word\nB=other\nC=pr-web-123\nHOME=/home/me\n', given)).toEqual(['word', 'other']);
  });
});
