import { expect, it } from 'vitest';
import { readResult } from '../../../src/record/reader.ts';
import { openScene } from './scene.ts';

/**
 * Raises a rejection and an exception that nothing in the agent handles, on each SIGUSR2. It keeps the token, which the
 * agent takes out of its process's variables.
 */
const FAULTY = `data:text/javascript,const token = process.env.PULUMI_AGENT_TOKEN; process.on('SIGUSR2', () => {
  setImmediate(() => { throw new Error('nor this one'); });
  Promise.reject(new Error('no such field in ' + token));
})`;

it('an uncaught error ends the job gracefully', async () => {
  const { cloud, token, runs, start, enqueue } = await openScene();
  const deployment = enqueue(
    'trap "echo saved; exit 130" INT; echo ready; until [ -e /go ]; do sleep 0.1; done',
    'dev',
  );
  const environment = { NODE_OPTIONS: `--import=${FAULTY.replaceAll(/\s+/g, '%20')}` };
  const agent = start({ SINGLE_RUN: 'true' }, environment);
  await cloud.waitFor(() => deployment.steps[1]?.lines.length === 1, 60_000);
  agent.child.kill('SIGUSR2');
  const { code, stderr } = await agent.ended;
  expect(code).toBe(1);
  const step = deployment.steps[1];
  expect({ status: step?.status, lines: step?.lines.map(({ l }) => l) }).toEqual({
    status: 'failed',
    lines: expect.arrayContaining(['saved\n']),
  });
  expect(deployment.endReason).toBe('steps');
  expect(await readResult(runs)).toMatchObject({
    outcome: 'failed',
    exitCode: 1,
    message: expect.stringMatching(/^Failed to run the agent for the pool: no such field in \*\*\*/),
    steps: [{}, { exitCode: 130 }],
  });
  expect(stderr).toMatch(/ error {3}Uncaught error: no such field in \*\*\*/);
  expect(stderr).toMatch(/ at .*data:text/);
  expect(stderr).not.toContain(token);
  expect(cloud.violations).toEqual([]);
}, 120_000);
