import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Body } from '../../../src/pulumi-agent/proxy/call.ts';
import { compareWire } from '../../../src/pulumi-agent/recorder/wire-comparison.ts';
import { WireFile } from '../../../src/pulumi-agent/recorder/wire-file.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { proxiedAgent } from '../../support/pulumi-agent/proxied-agent.ts';

const SECRETS = ['marked-5d8e1f', 'plain-looking-value', 'https://user:pa55word@host'];

/** The text of a recording of our own agent running a job that holds secrets. */
async function recorded(config: Readonly<Record<string, string>> = {}) {
  const scene = await proxiedAgent(config);
  const deployment = scene.enqueue({
    ...jobOf('echo "$A"; seq 1 100', 'true'),
    env: { A: { secret: SECRETS[0] }, B: SECRETS[1], C: SECRETS[2] },
  });
  expect(await scene.agent.run()).toBe(0);
  const directory = await folder();
  const file = new WireFile(directory, scene.redact);
  // Copied, as a call that nothing waits for may still end.
  const calls = [...scene.calls];
  for (const call of calls) file.write(call);
  file.close();
  return { scene, calls, deployment, text: await readFile(join(directory, 'wire.ndjson'), 'utf8') };
}

const lineOf = (text: string, path: RegExp) => text.split('\n').find((line) => path.test(line))!;

describe('a recording', () => {
  it('holds every call, and none of the secrets', async () => {
    const { scene, calls, text } = await recorded();
    expect(text.split('\n').filter((line) => line !== '')).toHaveLength(calls.length);
    const tokens = calls.map(({ requestHeaders }) => String(requestHeaders['authorization']).split(' ')[1]!);
    const found = [...SECRETS, 'pa55word', ...tokens].filter((secret) => text.includes(secret));
    expect(found).toEqual([]);
    const claim = JSON.parse(lineOf(text, /deployments\/poll.*jobToken/));
    expect(claim).toMatchObject({
      method: 'GET',
      status: 200,
      request: { headers: { authorization: 'token ***', accept: 'application/vnd.pulumi+8' }, bytes: 0 },
      response: { json: { jobToken: '***', jobID: scene.job.claim?.jobId } },
    });
    const { A, ...others } = JSON.parse(lineOf(text, /"env":/)).response.json.env;
    expect(A).toEqual({ secret: '***' });
    expect(others).toMatchObject({ B: '***', C: '***' });
    // Whatever a log can show: a recording has no value of a variable.
    expect(new Set(Object.values(others))).toEqual(new Set(['***']));
    expect(text).toMatch(/"lines":\[.*\{"more":\d+\}\]/);
    // A secret that its program wraps is whole in no line of them.
    const lines = [...text.matchAll(/"l":"([^"]*)"/g)].map(([, line]) => line);
    expect(new Set(lines)).toEqual(new Set(['***\\n']));
  });

  it('hides the values of secret fields in any format, and lines whose secrets are unknown', async () => {
    const directory = await folder();
    const file = new WireFile(directory, (text) => text.replace('a job’s 7hidden', '***'));
    const bodyOf = (text: string) => {
      const body = new Body(1_000);
      body.add(Buffer.from(text));
      return body;
    };
    const take = (kind: 'logs' | 'other', sent: string, path: string, isReadable: boolean) => {
      const times = { started: { now: 0, steady: 0 }, durationMs: 0 };
      const endpoint = kind === 'logs' ? ({ kind, job: 'j', step: 0 } as const) : ({ kind } as const);
      const requestHeaders = { authorization: 'pul-0hidden' };
      const bodies = { requestHeaders, request: bodyOf(sent), responseHeaders: {}, response: bodyOf('') };
      file.write({ ...times, endpoint, method: 'POST', path, status: 200, ...bodies }, isReadable);
    };
    take('logs', '{"offset":0,"lines":[{"l":"is hidden\\n"}]}', '/api/workflow/jobs/j/0/logs', false);
    take('other', '{"accessKey":"1hidden","passphrase":"2hidden"}', '/api/x?y=1&access_token=3hidden', true);
    take('other', '{"jobToken":"4hidden"}\n{"jobToken": "5hidden"}\n', '/api/x', true);
    take('other', 'a=1&client_assertion=6hidden&b=2', '/api/x', true);
    take('other', '{"a job’s 7hidden":1}', '/api/x', true);
    file.close();
    const text = await readFile(join(directory, 'wire.ndjson'), 'utf8');
    expect(text.match(/\w*\W?hidden/g)).toBeNull();
    expect(JSON.parse(text.split('\n')[0]!).request).toEqual({
      headers: { authorization: '***' },
      bytes: expect.any(Number),
    });
    expect(text).toContain('a=1&client_assertion=***&b=2');
  });

  it('of our own agent shows no difference from it', async () => {
    const { text } = await recorded();
    const { differences, kinds } = compareWire(text);
    expect(differences).toEqual([]);
    expect([...kinds.keys()]).toEqual(
      expect.arrayContaining(['GET /api/deployments/poll', 'PATCH /api/workflow/jobs/:id/:id/status']),
    );
  });

  it.each([
    ['"status":"running"', '"status":"running","at":1', /sends what ours would not.*at/],
    ['"status":"succeeded"', '"status":"done"', /sends what ours would not: status/],
    ['"offset":0', '"offset":7', /offset is 7, after 0 lines/],
    ['"jobID"', '"job"', /answer is not what ours reads: jobID/],
    ['"jobID"', '"kind":"x","jobID"', /fields that ours ignores: kind/],
    ['/heartbeat"', '/renew"', /our agent never makes this call/],
    ['token ***', 'Bearer ***', /authorizes by Bearer, ours by token/],
  ])('shows the difference when %s becomes %s', async (ours, theirs, difference) => {
    const { text } = await recorded();
    expect(compareWire(text.replace(ours, theirs)).differences).toEqual(
      expect.arrayContaining([expect.stringMatching(difference)]),
    );
  });

  it('is compared also where the bodies of log calls were left out', async () => {
    const { text } = await recorded();
    const lines = text.split('\n').map((line) => {
      if (!/"path":"[^"]*\/logs"/.test(line)) return line;
      const call = JSON.parse(line);
      delete call.request.json;
      return JSON.stringify(call);
    });
    expect(compareWire(lines.join('\n')).calls).toBe(compareWire(text).calls);
  });

  it('is refused with the number of a line that does not belong in it', () => {
    expect(() => compareWire('\n{"t":1}\n')).toThrow('line 2 is not part of a recording');
  });
});
