import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Body, type ProxiedCall } from '../../../src/pulumi-agent/proxy/call.ts';
import { WireFile } from '../../../src/pulumi-agent/recorder/wire-file.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

test('the limit of a recording counts bytes, of which a character can have several', async () => {
  const directory = await temporaryDirectory();
  const request = new Body(10_000);
  request.add(Buffer.from(JSON.stringify({ name: '漢'.repeat(1_000) })));
  const call: ProxiedCall = {
    endpoint: { kind: 'other' },
    started: { now: 0, steady: 0 },
    ...{ durationMs: 0, method: 'POST', path: '/api/x', status: 200 },
    ...{ requestHeaders: {}, request, responseHeaders: {}, response: new Body(0) },
  };
  const file = new WireFile(directory, (text) => text, 3_000);
  for (let count = 0; count < 3; count += 1) file.write(call);
  file.close();
  const text = await readFile(join(directory, 'wire.ndjson'), 'utf8');
  expect(text.match(/\n/g)).toHaveLength(1);
});
