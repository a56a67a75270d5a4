import { expect, it } from 'vitest';
import type { PhaseHandle } from '../emulators/github/phase.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { agentPid, definition, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

/** Enqueues a job that prints its name, runs for a while or until it is stopped, and ends as its name says. */
function enqueueOwn(name: string): Deployment {
  const own = `own-secret-of-${name}`;
  const seconds = name === 'healthy' || name === 'failing' ? 4 : 60;
  return stage.enqueue(
    definition(
      {
        Work: `for i in $(seq 300); do echo "${name} $i $OWN"; done; echo "${name} at work"; sleep ${seconds}; echo "${name} done"`,
        End: name === 'failing' ? 'exit 9' : 'echo end',
      },
      { env: { OWN: { secret: own } } },
    ),
    { stack: name },
  );
}

it('four jobs on one machine do not affect each other, even when one fails, one is cancelled and one is killed', async () => {
  const names = ['healthy', 'failing', 'cancelled', 'killed'];
  const deployments = new Map(names.map((name) => [name, enqueueOwn(name)]));
  const jobs = await Promise.all(names.map(() => stage.job({}, {}, { job: 'matrix' })));
  const mains = await Promise.all(jobs.map((job) => job.startMain()));
  // Any of them may claim any deployment.
  const holders = new Map<string, PhaseHandle>(
    await Promise.all(
      mains.map(async (main) => {
        const [, name = ''] = await main.waitForConsole(/^(\w+) at work$/m, 60_000);
        return [name, main] as const;
      }),
    ),
  );
  expect([...holders.keys()].sort()).toEqual([...names].sort());

  const held = (name: string): PhaseHandle => {
    const main = holders.get(name);
    if (main === undefined) throw new Error(`nobody holds ${name}`);
    return main;
  };
  process.kill(await agentPid(held('killed')), 'SIGKILL');
  await held('cancelled').cancel();
  await held('killed').exited;
  const posts = jobs.map((job) => job.post());

  const ends = await Promise.all(names.map((name) => held(name).exited));
  await Promise.all(posts);
  expect(ends.map(({ outputs }) => outputs['outcome'])).toEqual([
    'succeeded',
    'failed',
    'interrupted',
    'failed',
  ]);
  expect(new Set(ends.map(({ outputs }) => outputs['health-url'])).size).toBe(4);

  for (const [at, name] of names.entries()) {
    const deployment = deployments.get(name);
    const end = ends[at];
    expect(end?.outputs['deployment-id']).toBe(deployment?.id);
    const others = names.filter((other) => other !== name);
    const texts = [
      ...(deployment?.steps ?? []).flatMap(({ lines }) => lines.map(({ l }) => l)),
      ...(end?.console ?? []),
      end?.summary ?? '',
    ].join('\n');
    for (const other of others) expect(texts).not.toMatch(new RegExp(`^${other} \\d`, 'm'));
    expect(texts).not.toContain('own-secret');
    if (name !== 'killed') expect(deployment?.steps[1]?.lines.slice(0, 300)).toHaveLength(300);
  }
  expect(deployments.get('healthy')).toMatchObject({ status: 'succeeded' });
  expect(deployments.get('healthy')?.steps[1]?.lines.at(-1)?.l).toBe('healthy done\n');
  expect(stage.github.artifacts.list().map(({ finalized }) => finalized)).toEqual([true, true, true, true]);
  expect((await Promise.all(jobs.map((job) => job.cleanUpOrphans()))).flat()).toEqual([]);
});
