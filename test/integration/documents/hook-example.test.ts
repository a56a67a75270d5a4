import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hookVariables } from '../../../src/agent/hooks/hook-facts.ts';
import { read, snippetsOf } from '../../support/documents/pages.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  program('hook', snippetsOf(read('docs/hooks.md'), 'sh')[0] ?? '');
  // Vault, which is asked for a role, and jq.
  program('vault', `#!/bin/sh\necho "$3" >>'${folder}/asked'\necho lease\n`);
  program('jq', '#!/bin/sh\ncat\n');
});

function program(name: string, script: string): void {
  writeFileSync(join(folder, name), script);
  chmodSync(join(folder, name), 0o755);
}

/** Runs the page's first hook for a stack; returns the roles that it asked Vault for. */
function rolesFor(
  name: string,
  proven: boolean,
  operation?: string,
): { readonly status: number | null; readonly roles: string } {
  const [organization = '', project = '', stack = ''] = name.split('/');
  const facts = { deploymentId: 'd', runId: 'r', jobId: 'j', image: undefined, runDirectory: undefined };
  const { status } = spawnSync(join(folder, 'hook'), {
    env: {
      PATH: `${folder}:/usr/bin:/bin`,
      PULUMI_RUNNER_ENV: join(folder, 'env'),
      PULUMI_RUNNER_REFUSE: '10',
      ...hookVariables({ ...facts, identity: { organization, project, stack, operation, proven } }),
    },
  });
  const asked = join(folder, 'asked');
  return { status, roles: existsSync(asked) ? readFileSync(asked, 'utf8') : '' };
}

describe('the first hook of docs/hooks.md', () => {
  it('asks for a role that no other stack has, and gives its keys', () => {
    expect(rolesFor('acme/payments/prod', true, 'update')).toEqual({
      status: 0,
      roles: 'aws/creds/acme@payments@prod\n',
    });
    expect(readFileSync(join(folder, 'env'), 'utf8')).toBe(
      'AWS_ACCESS_KEY_ID=lease\nAWS_SECRET_ACCESS_KEY=lease\n',
    );
    expect(rolesFor('acme/sandbox/prod', true, 'refresh').roles).toContain('aws/creds/acme@sandbox@prod\n');
  });

  it.each(['preview', undefined])(
    'asks for another role for %s, as a preview can run a pull request’s code',
    (operation) => {
      expect(rolesFor('acme/payments/prod', true, operation)).toEqual({
        status: 0,
        roles: 'aws/creds/acme@payments@prod@preview\n',
      });
    },
  );

  it('is broken, and gives nothing, if a program that reads the keys fails', () => {
    program('jq', '#!/bin/sh\nexit 4\n');
    expect(rolesFor('acme/payments/prod', true, 'update').status).toBe(4);
    expect(existsSync(join(folder, 'env'))).toBe(false);
  });

  it('refuses a deployment whose name only its own variables say, and asks for nothing', () => {
    expect(rolesFor('acme/payments/prod', false)).toEqual({ status: 10, roles: '' });
  });
});
