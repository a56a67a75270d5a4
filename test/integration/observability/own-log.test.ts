import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SyslogDaemon } from '../../support/syslog/syslog-daemon.ts';
import { openScene } from './scene.ts';

it('goes to syslog instead of stderr, and a deployment does not care whether its daemon lives', async () => {
  const daemon = await SyslogDaemon.start();
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  const { cloud, token, runs, start, enqueue } = await openScene();
  const deployment = enqueue('echo at work; until [ -e /go ]; do sleep 0.1; done', 'dev');
  const agent = start({ SYSLOG: 'true', SYSLOG_SOCKET: daemon.socket, SINGLE_RUN: 'true' });
  await cloud.waitFor(() => deployment.steps[1]?.lines.length === 1, 60_000);
  const logged = async () => (await readFile(join(runs, 'agent.log'), 'utf8')).split('\n').slice(0, -1);
  await daemon.arrived((await logged()).length);
  await daemon.stop('SIGKILL');
  const before = await daemon.messages();
  agent.child.kill('SIGINT');
  const { code, stderr } = await agent.ended;
  expect(code).toBe(7);
  expect(deployment.steps[1]!.status).toBe('failed');

  const own = { facility: 3, app: 'pulumi-runner-agent', procid: String(agent.child.pid) };
  for (const message of before) expect(message).toMatchObject(own);
  const texts = before.map(({ text }) => text);
  expect(texts[0]).toMatch(/^pulumi-runner-agent \d/);
  expect(texts).toContainEqual(expect.stringContaining('Claimed deployment'));
  // The file has everything; stderr says that the daemon is away.
  const file = (await logged()).map((line) => line.slice(33));
  expect(file.at(-1)).toMatch(/^interrupted: /);
  expect(stderr).toContain('Failed to write to syslog for the agent: ');
  const onStderr = stderr.split('\n').map((line) => line.slice(33));
  for (const message of texts) expect(onStderr).not.toContain(message);
  expect(`${texts.join('\n')}${stderr}${file.join('\n')}`).not.toContain(token);
}, 180_000);

it('is JSON on stderr, names the run that is served, and tells each request at level debug', async () => {
  const { token, runs, start, enqueue } = await openScene();
  const deployment = enqueue('echo hello');
  const agent = start({ LOG_FORMAT: 'json', LOG_LEVEL: 'debug', SINGLE_RUN: 'true' });
  const { code, stderr } = await agent.ended;
  expect(code).toBe(0);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const { id: deploymentId, runId, jobId } = deployment;
  for (const line of lines) {
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(['debug', 'info', 'warning', 'error']).toContain(line['level']);
    expect(line['message']).not.toContain(token);
  }
  const claimed = lines.findIndex(({ message = '' }) => message.startsWith('Claimed deployment'));
  expect(Object.keys(lines[0]!)).toEqual(['time', 'level', 'message']);
  const outcome = lines.findIndex(({ message = '' }) => message.startsWith('succeeded: '));
  expect(outcome).toBeGreaterThan(claimed);
  for (const line of lines.slice(claimed, outcome + 1)) expect(line).toMatchObject({ deploymentId, runId, jobId });
  const said = lines.map(({ level, message }) => `${level}: ${message}`);
  expect(said).toContainEqual(expect.stringMatching(/^debug: GET \/api\/deployments\/poll: 200 in \d+ ms$/));
  expect(said).toContainEqual(
    expect.stringMatching(`^debug: POST /api/workflow/jobs/${jobId}/1/logs: 200 in \\d+ ms$`),
  );
  // The run directory's copy is text, for whoever reads it.
  const file = (await readFile(join(runs, 'agent.log'), 'utf8')).split('\n').slice(0, -1);
  expect(file.map((line) => line.slice(33))).toEqual(lines.map(({ message }) => message));
}, 120_000);
