import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, yamlOf } from '../../support/documents/pages.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { runScript } from '../../support/script.ts';

const run = promisify(execFile);

interface Step {
  readonly if: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

/** The steps that docs/on-call.md gives to copy. */
const [snippet = ''] = yamlOf(read('docs/on-call.md'));
const [slack, issue] = parse(snippet) as [Step, Step];

/** Runs a step's command as GitHub's runner does, with these variables. */
const bash = (command: string, env: Readonly<Record<string, string>>) =>
  run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', command], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });

it('the step for Slack posts its text as JSON, and fails when it is refused', async () => {
  const got: { type: string | undefined; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    got.push({ type: request.headers['content-type'], body: JSON.parse(await text(request)) });
    response.statusCode = got.length === 1 ? 200 : 404;
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const WEBHOOK = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T/B/x`;
  const TEXT = 'failed: acme/web/prod "$(touch /tmp/x)" <https://github.com/acme/x/actions/runs/1>';
  try {
    expect(Object.keys(slack.env)).toEqual(['WEBHOOK', 'TEXT']);
    await bash(slack.run, { WEBHOOK, TEXT });
    expect(got).toEqual([{ type: 'application/json', body: { text: TEXT } }]);
    await expect(bash(slack.run, { WEBHOOK, TEXT })).rejects.toMatchObject({ code: expect.any(Number) });
  } finally {
    server.close();
  }
});

it('the step for an issue passes title and body to gh as single words', async () => {
  const folder = await temporaryDirectory();
  const words = join(folder, 'words');
  await writeFile(join(folder, 'gh'), `#!/bin/sh\nprintf '%s\\n' "$@" >'${words}'\n`);
  await chmod(join(folder, 'gh'), 0o755);
  const env = { TITLE: 'Deployment failed: acme/web/prod; `id`', BODY: 'https://github.com/acme/x · -F' };
  await bash(issue.run, { ...env, PATH: `${folder}:${process.env['PATH']}` });
  const expected = ['issue', 'create', '--title', env.TITLE, '--body', env.BODY];
  expect((await readFile(words, 'utf8')).trimEnd().split('\n')).toEqual(expected);
});

it('both steps pass actionlint behind the step of the quick start, whose outputs they name', async () => {
  const folder = await temporaryDirectory();
  const workflow = read('examples/workflows/deploy.yml')
    .replace(
      '      - uses: org/pulumi-runner-action',
      '      - id: pulumi\n        uses: org/pulumi-runner-action',
    )
    .replace('contents: read', 'contents: read\n      issues: write');
  const file = join(folder, 'deploy.yml');
  await writeFile(file, `${workflow}${snippet.replace(/^(?=.)/gm, '      ')}`);
  const { code, stdout } = await runScript('actionlint', ['-ignore', 'label ".+" is unknown', file]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const { outputs } = parse(read('action.yml'));
  for (const { if: condition, env } of [slack, issue]) {
    expect(condition).toBe('${{ failure() }}');
    for (const [, output = ''] of Object.values(env)
      .join(' ')
      .matchAll(/steps\.pulumi\.outputs\.([\w-]+)/g))
      expect(outputs).toHaveProperty(output);
  }
});
