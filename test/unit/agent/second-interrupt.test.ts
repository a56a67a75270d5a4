import { expect, it } from 'vitest';
import { jobOf } from './claimed-run.ts';
import { agentOf } from './cloud-agent.ts';

const SAVES = 'trap "echo interrupted; sleep 1; echo saved; exit 5" INT; echo ready; while :; do sleep 0.02; done';

it('whatever comes behind the first interrupt takes nothing of the grace period', async () => {
  const { agent, cloud, enqueue, send, target, result } = await agentOf({ config: { cancel_grace_period: '15s' } });
  const deployment = enqueue(jobOf(SAVES));
  const ended = agent.run();
  const printed = (text: string) =>
    cloud.waitFor(() => deployment.steps[1]?.lines.some(({ l }) => l === `${text}\n`) === true, 15_000);
  await printed('ready');
  send('SIGINT');
  await printed('interrupted');
  // As GitHub's runner, post and a service manager do, should they reach the agent.
  for (const name of ['SIGTERM', 'SIGTERM', 'SIGINT', 'SIGHUP']) send(name);
  await ended;
  expect(target.containers[0]!.signals).toEqual(['SIGINT']);
  // What Pulumi Cloud gets of it is another question: it may be dropped from here on.
  expect(await result()).toMatchObject({ outcome: 'interrupted', steps: [{}, { exitCode: 5 }] });
});
