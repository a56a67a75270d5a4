import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A program whose only business is one call to a port where nobody listens. */
const program = (call: string) => `
  import { Agent } from 'undici';
  import { CloudHttp } from './src/cloud/http.ts';
  const http = new CloudHttp({
    serviceUrl: 'http://127.0.0.1:9', requestTimeoutMs: 5000, retryCount: 2, retryWaitMs: 100, retryMaxWaitMs: 100,
    circuitBreakerFailures: 9, circuitBreakerTimeoutMs: 1000, userAgent: 'a/1 (b; c)', dispatcher: new Agent(), now: Date.now,
  });
  const signal = new AbortController().signal;
  await http.${call}.catch((error) => console.log(error.message));
  console.log('went on');`;

const outcome = (call: string) =>
  run(process.execPath, ['--input-type=module', '--eval', program(call)], { cwd: root }).then(({ stdout }) => stdout);

describe('a process', () => {
  it('that waits for nothing but a retry stays alive', async () => {
    const stdout = await outcome("call({ method: 'GET', path: '/', purpose: 'ask', signal })");
    expect(stdout).toMatch(/^Failed to ask .*ECONNREFUSED.*\nwent on\n$/);
  });

  it.each(['call', 'once'])('survives a call (%s) that was aborted before it began', async (how) => {
    const stdout = await outcome(
      `${how}({ method: 'GET', path: '/', purpose: 'ask', signal: AbortSignal.abort(new Error('stopped')) })`,
    );
    expect(stdout).toBe('stopped\nwent on\n');
  });
});
