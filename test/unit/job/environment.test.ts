import { describe, expect, it } from 'vitest';
import { type EnvironmentSources, jobEnvironment } from '../../../src/job/environment.ts';

const SERVICE = 'https://api.pulumi.com';

const environment = (sources: Partial<EnvironmentSources> = {}) =>
  jobEnvironment({
    definition: { env: {} },
    claim: { oidcToken: undefined },
    serviceUrl: SERVICE,
    allowlist: [],
    host: {},
    ...sources,
  });
const plain = (env: Record<string, string>) => ({
  env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, { value, secret: false }])),
});

describe('what a job’s steps see', () => {
  it('is the job’s variables, and of the host nothing', () => {
    const made = environment({
      definition: { env: { FOO: { value: 'bar', secret: false }, KEY: { value: 's3cret', secret: true } } },
      host: { PATH: '/bin', HOME: '/root', SECRET: 'host' },
    });
    expect(made.variables).toEqual({ FOO: 'bar', KEY: 's3cret', PULUMI_SERVICE_URL: `${SERVICE}/api` });
    expect(made).toMatchObject({ marked: ['s3cret'], forwarded: [], warnings: [] });
  });

  it('names the service only where the job does not', () => {
    const definition = plain({ PULUMI_SERVICE_URL: 'https://other.example/api' });
    expect(environment({ definition }).variables['PULUMI_SERVICE_URL']).toBe('https://other.example/api');
  });

  it('is given the claim’s OIDC token, in the environment and in a file that others can’t read', () => {
    const { variables, files } = environment({ claim: { oidcToken: 'eyJ.claim' } });
    expect(variables['PULUMI_OIDC_TOKEN']).toBe('eyJ.claim');
    expect(files).toContainEqual({ path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: 'eyJ.claim' });
  });

  it('has neither without a token', () => {
    const { variables, files } = environment();
    expect(variables).not.toHaveProperty('PULUMI_OIDC_TOKEN');
    expect(files.map(({ path }) => path)).toEqual(['/PULUMI_ENV']);
  });
});

describe('what the host forwards', () => {
  it('is what is on the list, even over the job’s own value', () => {
    const made = environment({
      definition: plain({ REGION: 'eu', OTHER: 'job' }),
      allowlist: ['REGION', 'TEAM'],
      host: { REGION: 'us', TEAM: '', OTHER: 'host' },
    });
    expect(made.variables).toMatchObject({ REGION: 'us', TEAM: '', OTHER: 'job' });
    expect(made.forwarded).toEqual(['REGION', 'TEAM']);
    expect(made.warnings).toEqual([]);
  });

  it('is DOCKER_HOST too whenever it is set, once', () => {
    const host = { DOCKER_HOST: 'unix:///run/docker.sock' };
    expect(environment({ host })).toMatchObject({ variables: host, forwarded: ['DOCKER_HOST'] });
    expect(environment({ host, allowlist: ['DOCKER_HOST'] }).forwarded).toEqual(['DOCKER_HOST']);
    expect(environment().variables).not.toHaveProperty('DOCKER_HOST');
    expect(environment().warnings).toEqual([]);
  });

  it('is told when it is missing here', () => {
    const { warnings, variables, forwarded } = environment({ allowlist: ['REGION'], host: {} });
    expect(warnings).toEqual(['REGION is on the allowlist but not set here, so it was not forwarded.']);
    expect(variables).not.toHaveProperty('REGION');
    expect(forwarded).toEqual([]);
  });

  it('is told loudly when it changes who the job acts as, and without the tokens', () => {
    const own = environment({
      definition: plain({ PULUMI_ACCESS_TOKEN: 'pul-job' }),
      allowlist: ['PULUMI_ACCESS_TOKEN'],
      host: { PULUMI_ACCESS_TOKEN: 'pul-host' },
    });
    expect(own.variables['PULUMI_ACCESS_TOKEN']).toBe('pul-host');
    expect(own.warnings).toHaveLength(1);
    expect(own.warnings[0]).toMatch(/^PULUMI_ACCESS_TOKEN .*acts as somebody else/);
    expect(own.warnings[0]).not.toMatch(/pul-/);
  });

  it.each([
    ['the same', { PULUMI_ACCESS_TOKEN: 'pul-host' }],
    ['none', {}],
  ])('is not told when the job had %s', (_, env: Record<string, string>) => {
    const allowlist = ['PULUMI_ACCESS_TOKEN'];
    const host = { PULUMI_ACCESS_TOKEN: 'pul-host' };
    expect(environment({ definition: plain(env), allowlist, host }).warnings).toEqual([]);
  });
});

describe('what a job is to trust', () => {
  const file = '/mnt/pulumi/ca-certificates.crt';
  const names = [
    'SSL_CERT_FILE',
    'NODE_EXTRA_CA_CERTS',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'GIT_SSL_CAINFO',
    'AWS_CA_BUNDLE',
  ];

  it('is a file that everybody can read, named to everybody who looks for one', () => {
    const { variables, files } = environment({ caBundle: 'PEM' });
    expect(files).toContainEqual({ path: file, mode: 0o644, content: 'PEM' });
    expect(variables).toMatchObject(Object.fromEntries(names.map((name) => [name, file])));
  });

  it('leaves what the job or the host names as it is', () => {
    const { variables } = environment({
      caBundle: 'PEM',
      definition: plain({ CURL_CA_BUNDLE: '/job', GIT_SSL_CAINFO: '' }),
      allowlist: ['SSL_CERT_FILE'],
      host: { SSL_CERT_FILE: '/host' },
    });
    expect(variables).toMatchObject({
      CURL_CA_BUNDLE: '/job',
      GIT_SSL_CAINFO: '',
      SSL_CERT_FILE: '/host',
      AWS_CA_BUNDLE: file,
    });
  });

  it('is nothing unless it is asked for', () => {
    const { variables, files } = environment();
    expect(names.filter((name) => name in variables)).toEqual([]);
    expect(files.map(({ path }) => path)).not.toContain(file);
  });
});

describe('the file that steps hand on variables in', () => {
  it.each<[string, Partial<EnvironmentSources>, string]>([
    ['unless the job names another', {}, '/PULUMI_ENV'],
    ['as the job names it', { definition: plain({ PULUMI_ENV_FILE: '/tmp/env' }) }, '/tmp/env'],
    ['even if the job names none by an empty name', { definition: plain({ PULUMI_ENV_FILE: '' }) }, '/PULUMI_ENV'],
    [
      'as the host names it where that is what the steps see',
      { allowlist: ['PULUMI_ENV_FILE'], host: { PULUMI_ENV_FILE: '/host/env' } },
      '/host/env',
    ],
  ])('is, %s', (_, sources, expected) => {
    const { environmentFile, files, variables } = environment(sources);
    expect(environmentFile).toBe(expected);
    expect(files).toEqual([{ path: expected, mode: 0o600, content: '' }]);
    expect(variables['PULUMI_ENV_FILE'] || '/PULUMI_ENV').toBe(expected);
  });
});
