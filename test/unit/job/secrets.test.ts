import { describe, expect, it } from 'vitest';
import { jobSecrets, suspectedSecrets } from '../../../src/job/secrets.ts';

describe('a variable that nobody marked', () => {
  it.each([
    ['PULUMI_ACCESS_TOKEN', 'pul-1234'],
    ['DB_PASSWORD', 'production'],
    ['AWS_SECRET_ACCESS_KEY', 'abcd'],
    ['MY_API_KEY', '123456'],
    ['SSH_PRIVATE', 'word'],
    ['DB_PASS', 'correct-horse'],
    ['MYSQL_PWD', 'swordfish'],
    ['PGPASS', '123456'],
    ['SETTING', 'Zq9-44!'],
    ['PIN', '12345678'],
  ])('%s=%s may be secret', (name, value) => {
    expect(suspectedSecrets({ [name]: value })).toEqual([value]);
  });

  it.each([
    ['ENVIRONMENT', 'production'],
    ['DEBUG', 'true'],
    ['REPLICAS', '42'],
    ['REGION', 'west-europe'],
    ['REPO', 'acme/web'],
    ['PATH', '/usr/local/bin:/usr/bin'],
    ['PWD', '/deployment'],
    ['BYPASS', 'proxy'],
    ['PASSIVE_MODE', 'proxy'],
    ['AWS_REGION', 'eu-central-1'],
    ['LC_ALL', 'C.UTF-8'],
    ['PULUMI_SERVICE_URL', 'https://api.pulumi.com/api'],
    ['HTTPS_PROXY', 'http://proxy.example:3128'],
    ['PASSWORD', 'abc'],
    ['USE_TOKEN', 'true'],
    ['EMPTY', ''],
  ])('%s=%s is not, or is not worth hiding', (name, value) => {
    expect(suspectedSecrets({ [name]: value })).toEqual([]);
  });

  it.each(['DATABASE_URL', 'PULUMI_BACKEND_URL'])(
    '%s with a password is secret, and so is the password alone',
    (name) => {
      const url = 'postgres://user:p%40ssword@host/db';
      expect(suspectedSecrets({ [name]: url })).toEqual([url, 'p%40ssword', 'p@ssword']);
    },
  );
});

describe('what a job brings', () => {
  it('is secret where it is marked, forwarded, a credential, a token, or suspect', () => {
    const secrets = jobSecrets({
      definition: {
        env: {
          A: { value: 'marked1', secret: true },
          B: { value: 'k-8821', secret: false },
          C: { value: 'plain', secret: false },
        },
        image: { reference: 'i', credentials: { username: 'user', password: 'reg1stry' } },
      },
      claim: { oidcToken: 'eyJ' },
      environment: {
        marked: ['marked1'],
        forwarded: ['F', 'HOME'],
        variables: { F: 'f0rwarded', HOME: '/root', C: 'plain' },
      },
    });
    expect(new Set(secrets)).toEqual(new Set(['marked1', 'k-8821', 'reg1stry', 'eyJ', 'f0rwarded']));
  });
});
