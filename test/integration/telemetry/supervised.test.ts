import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ActionPhase } from '../../../src/ci-step/hosts/github/host.ts';
import { mainPhase, postPhase } from '../../../src/ci-step/hosts/github/phases.ts';
import { traceIdOf } from '../../../src/record/trace.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { commandFiles } from '../../support/hosts/command-files.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const AGENT = fileURLToPath(new URL('../hosts/stand-in-agent.ts', import.meta.url));
const TOKEN = { token: 'pul-0123456789abcdef' };
const CANARY = 'canary-4711';
const TRACE = traceIdOf('dep-1');

let directory: string;
let files: Awaited<ReturnType<typeof commandFiles>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
  files = await commandFiles(directory);
});

function step(standIn: string, endpoint: string, more: Partial<ActionPhase> = {}) {
  const environment = {
    STAND_IN: standIn,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}`,
  };
  return stepIn(directory, TOKEN, { environment, agentScript: AGENT, ...more });
}

const resultOf = (server: ScriptedServer) =>
  /"cicd\.pipeline\.result","value":\{"stringValue":"(\w+)"/.exec(server.received[0]?.text ?? '')?.[1];

describe('a step of CI', () => {
  it('sends the trace of its run once, and names it', async () => {
    const server = await ScriptedServer.inOrder({ status: 200, json: {} });
    const stdout = captureStdout();
    expect(await mainPhase(step('succeed', server.url))).toBe(0);
    expect((await files.outputs())['trace-id']).toBe(TRACE);
    expect(await files.summary()).toContain(`<p>Trace: <code>${TRACE}</code></p>`);
    expect(resultOf(server)).toBe('success');
    expect(stdout.read().masks).toContain(CANARY);

    await files.keepState();
    await postPhase(step('succeed', server.url));
    expect(server.received).toHaveLength(1);
  });

  it('sends that of an agent that was killed: its result is an error', async () => {
    const server = await ScriptedServer.inOrder({ status: 200, json: {} });
    captureStdout();
    expect(await mainPhase(step('die', server.url))).toBe(1);
    expect(resultOf(server)).toBe('error');
    expect(server.received[0]?.text).toContain('"pulumi update"');
    expect(server.received).toHaveLength(1);
  });

  it('leaves that of a cancelled CI job to post: its result is a cancellation', async () => {
    const server = await ScriptedServer.inOrder({ status: 200, json: {} });
    const stdout = captureStdout();
    const cancel = new AbortController();
    const phase = mainPhase(step('wait', server.url, { cancelled: cancel.signal }));
    await expect.poll(stdout.text, { timeout: 20_000, interval: 20 }).toContain('before');
    cancel.abort(new Error('cancelled'));
    expect(await phase).toBe(130);
    expect(server.received).toEqual([]);

    await files.keepState();
    await postPhase(step('wait', server.url));
    expect(resultOf(server)).toBe('cancellation');
    expect(await files.summary()).toContain(`<code>${TRACE}</code>`);
  });

  it.each([
    ['refuses', { status: 401 } as const],
    ['hangs', 'hang' as const],
  ])('ends the same with a collector that %s', async (_, reply) => {
    captureStdout();
    expect(await mainPhase(step('succeed', ''))).toBe(0);
    expect((await files.outputs())['trace-id']).toBe('');

    const server = await ScriptedServer.inOrder(reply);
    const stdout = captureStdout();
    expect(await mainPhase(step('succeed', server.url))).toBe(0);
    const { annotations } = stdout.read();
    const warnings = annotations.filter(({ level }) => level === 'warning').map(({ message }) => message);
    expect(warnings).toEqual([
      expect.stringMatching(/^Failed to send the trace .* --send\. See PRA-TRACE-01/),
    ]);
    expect(warnings.join()).not.toContain(CANARY);
    expect(await files.outputs()).toMatchObject({ outcome: 'succeeded', 'trace-id': TRACE });
  });

  it('loads nothing for it otherwise, and says nothing', async () => {
    const stdout = captureStdout();
    expect(await mainPhase(step('succeed', ''))).toBe(0);
    expect(stdout.text()).not.toMatch(/trace/i);
    expect(await files.summary()).not.toContain('Trace');
  });
});
