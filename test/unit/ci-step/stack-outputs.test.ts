import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStackOutputs } from '../../../src/ci-step/outputs.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

async function read(text: string | undefined, secrets: readonly string[] = []) {
  const file = join(await temporaryDirectory(), 'stack-outputs.json');
  if (text !== undefined) await writeFile(file, text);
  const said: string[] = [];
  const outputs = await readStackOutputs({ info: (sentence) => said.push(sentence) }, file, secrets);
  return { outputs, said };
}

test('the outputs of stacks are those that the engine left, under whatever name', async () => {
  const text =
    '{"acme/web/dev":{"__proto__":{"a":1},"outcome":"forged","constructor":null},"acme/web/prod":{}}';
  expect(await read(text)).toEqual({ outputs: text, said: [] });
});

test('a later step that prints them prints no command of Azure Pipelines or TeamCity', async () => {
  const values = ['##vso[task.prependpath]/tmp', '###', '####', '\\##', '#'];
  const { outputs } = await read(JSON.stringify({ 'acme/web/dev': { '##teamcity[a]': values } }));
  expect(outputs).not.toContain('##');
  expect(JSON.parse(outputs)).toEqual({ 'acme/web/dev': { '##teamcity[a]': values } });
});

test('outputs with a text that the step masks are left out, also within a text and encoded', async () => {
  const secret = 'ghs_hunter2hunter2';
  const base64 = Buffer.from(secret).toString('base64');
  const outputs = { url: `https://x:${secret}@y`, deep: [{ [secret]: 1 }], encoded: base64, ok: 'ghs_' };
  expect(await read(JSON.stringify({ 'acme/web/dev': outputs }), [secret])).toEqual({
    outputs: '{"acme/web/dev":{"ok":"ghs_"}}',
    said: [
      'stack-outputs leaves out outputs of acme/web/dev that hold a text that this step hides: url, deep, encoded.',
    ],
  });
});

test('the name of an output that is left out shows no part of what the step masks', async () => {
  const secret = 'ghs_hunter2hunter2';
  const { said } = await read(JSON.stringify({ 'acme/web/dev': { [`${'n'.repeat(400)}${secret}`]: 1 } }), [
    secret,
  ]);
  expect(said).toEqual([expect.stringMatching(/ n{400}\*\*\*\.$/)]);
});

test.each([undefined, '', '{"acme/web/dev":', 'null'])('there are none with the file %j', async (text) => {
  expect(await read(text)).toEqual({ outputs: '', said: [] });
});
