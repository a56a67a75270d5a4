import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openScene } from './scene.ts';

it('the agent’s log is JSON on stderr, names the run that is served, and shows each request at level debug', async () => {
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
  const stack = `acme/${deployment.project}/${deployment.stack}`;
  for (const line of lines) {
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(['debug', 'info', 'warning', 'error']).toContain(line['level']);
    expect(line['message']).not.toContain(token);
  }
  const claimed = lines.findIndex(({ message = '' }) => message.startsWith('Claimed acme/'));
  expect(Object.keys(lines[0]!)).toEqual(['time', 'level', 'message']);
  const outcome = lines.findIndex(({ message = '' }) => message.startsWith('succeeded: '));
  expect(outcome).toBeGreaterThan(claimed);
  for (const line of lines.slice(claimed, outcome + 1))
    expect(line).toMatchObject({ deploymentId, runId, jobId, stack, operation: 'update', version: 1 });
  const said = lines.map(({ level, message }) => `${level}: ${message}`);
  expect(said).toContainEqual(expect.stringMatching(/^debug: GET \/api\/deployments\/poll: 200 in \d+ ms$/));
  expect(said).toContainEqual(
    expect.stringMatching(`^debug: POST /api/workflow/jobs/${jobId}/1/logs: 200 in \\d+ ms$`),
  );
  // The run directory's copy is plain text, for people.
  const file = (await readFile(join(runs, 'agent.log'), 'utf8')).split('\n').slice(0, -1);
  expect(file.map((line) => line.slice(33))).toEqual(lines.map(({ message }) => message));
}, 120_000);
