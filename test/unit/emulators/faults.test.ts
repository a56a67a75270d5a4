import { expect, it } from 'vitest';
import { JobInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
import { ModelScene } from '../../support/emulators/model-calls.ts';

const never = new AbortController().signal;
const JOB = { image: { reference: 'x' }, steps: ['Setup', 'One'].map((name) => ({ name, run: '' })) };
const LINES = [{ t: '2026-06-18T10:00:00.123Z', l: 'a\n' }];

/** A claimed job whose first step is begun. */
async function begun() {
  const scene = new ModelScene();
  const { cloud } = scene;
  const job = JobInProcess.claim(cloud, JOB);
  await job.stepStatus(0, 'running', never);
  const path = `/api/workflow/jobs/${job.deployment.jobId}`;
  const token = cloud.issuedTokens.at(-1) ?? '';
  const send = (method: string, below: string, body: object) => scene.call(method, path + below, token, body);
  const log = async (offset: number) => (await send('POST', '/0/logs', { offset, lines: LINES })).status;
  return { scene, cloud, job, path, send, log };
}

it('take the place of calls that are checked all the same', async () => {
  const { scene, cloud, path, send, log } = await begun();
  const script = cloud.script({ path: /./, times: 20, answer: 'reset' });
  const user = cloud.userToken;
  const wrong: [RegExp, () => Promise<unknown>][] = [
    [/no such call/, () => scene.call('GET', '/api/nothing', user)],
    [/Accept/, () => scene.call('GET', '/api/deployments/poll', user, undefined, { accept: '' })],
    [/takes a job token/, () => scene.call('POST', `${path}/heartbeat`, user, {})],
    [/body: unknown id/, () => send('POST', '/heartbeat', { id: 1 })],
    [/step 1 started while step 0 is running/, () => send('PATCH', '/1/status', { status: 'running' })],
    [/the call's offset is 1/, () => log(1)],
    [/operation/, () => scene.call('POST', '/api/stacks/acme/web/dev/deployments', user, { operation: 'up' })],
    [/no Authorization/, () => scene.call('POST', '/api/oauth/token', user, {})],
  ];
  for (const [said, call] of wrong) await scene.violates(said, call);
  expect(script.hits).toBe(wrong.length);
});
