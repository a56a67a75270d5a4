import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownerOf } from '../../../src/base/owner.ts';
import { ownerLabels } from '../../../src/executor/owner-labels.ts';
import { RunRecord } from '../../../src/record/run-record.ts';
import { eventsOf } from '../../support/docker/events.ts';
import { docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { orphan } from '../../support/docker/orphan.ts';
import { begin, isGone, NEVER, workbench } from '../../support/docker/workbench.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const bench = workbench();

async function make(
  labels: Record<string, string>,
  { start = false, AutoRemove = false } = {},
): Promise<string> {
  const container = await docker.createContainer({
    Image: JOB_IMAGE,
    Cmd: ['sleep', '600'],
    Labels: { ...bench.labels, ...labels },
    NetworkDisabled: true,
    HostConfig: { AutoRemove },
  });
  if (start) await container.start();
  return container.id;
}

describe('a sweep', () => {
  it('removes what carries all labels, in any state, and nothing else', async () => {
    const mine = [
      await make({ owner: 'a', kind: 'x' }, { start: true }),
      await make({ owner: 'a', kind: 'y' }, { start: true, AutoRemove: true }),
      await make({ owner: 'a' }),
    ];
    const other = await make({ owner: 'b' }, { start: true });
    const lines = await bench.target.sweep({ ...bench.labels, owner: 'a' }, NEVER);
    const ids = lines.map((line) => /\((\w{12})\)\.$/.exec(line)?.[1]);
    expect(ids.toSorted()).toEqual(mine.map((id) => id.slice(0, 12)).toSorted());
    expect(lines[0]).toMatch(/^Removed container \S+ \(\w{12}\)\.$/);
    expect(await bench.containers()).toEqual([other]);
    expect(await bench.target.sweep({ ...bench.labels, owner: 'a' }, NEVER)).toEqual([]);
  });

  it('removes the networks too, once their containers are gone', async () => {
    await bench.prepare();
    expect(await bench.target.sweep(bench.labels, NEVER)).toEqual([
      expect.stringMatching(/^Removed container /),
      expect.stringMatching(/^Removed network pulumi-runner-\w+ \(\w{12}\)\.$/),
    ]);
    expect(await bench.networks()).toEqual([]);
  });

  it('removes only the selected containers among those with the labels', async () => {
    const mine = await make({ liveness: 'dead' }, { start: true });
    const other = await make({ liveness: 'alive' }, { start: true });
    const lines = await bench.target.sweep(bench.labels, NEVER, {
      only: ({ liveness }) => liveness === 'dead',
    });
    expect(lines).toEqual([expect.stringContaining(mine.slice(0, 12))]);
    expect(await bench.containers()).toEqual([other]);
  });

  it('goes by the owner’s process, whatever its host is called by then', async () => {
    const agent = spawn('sleep', ['600']);
    onTestFinished(() => void agent.kill('SIGKILL'));
    const owner = ownerOf(agent.pid ?? expect.fail('it did not start'));
    const container = await make(ownerLabels(owner), { start: true });
    const directory = await temporaryDirectory();
    const record = new RunRecord({ version: '1', owner, now: Date.now, redact: (text) => text });
    record.open(directory);
    record.event({ type: 'agent-started', version: '1', owner });
    record.event({ type: 'place', place: { target: 'docker' } });
    const rename = 'echo another-name >/proc/sys/kernel/hostname && exec "$@"';
    const command = [process.execPath, fileURLToPath(new URL('../../../src/cli/index.ts', import.meta.url))];
    const swept = async () => {
      const words = [
        '-u',
        'sh',
        '-c',
        rename,
        'sh',
        ...command,
        'sweep',
        '--run-directory',
        directory,
        '--grace',
        '0s',
      ];
      return (await promisify(execFile)('unshare', words)).stdout;
    };
    expect(await swept()).not.toContain(container.slice(0, 12));
    expect(await bench.containers()).toEqual([container]);
    agent.kill('SIGKILL');
    await once(agent, 'exit');
    expect(await swept()).toContain(`(${container.slice(0, 12)}) still ends its step`);
    expect(await bench.containers()).toEqual([container]);
  });

  it('lets running containers end by themselves for as long as their grace lasts, and no longer', async () => {
    const ending = await bench.prepare();
    const staying = await make({}, { start: true });
    const created = await make({});
    // The test interrupts this step as an orphan's main process would; it then ends gracefully.
    const step = await begin(
      ending,
      'trap "echo saved; sleep 0.5; echo all >&2; exit 0" INT; echo up; while :; do sleep 0.05; done',
    );
    await step.shows('up');
    const skipGrace = new AbortController();
    const hurried = bench.target.sweep(bench.labels, NEVER, { graceMs: 60_000, skipGrace: skipGrace.signal });
    skipGrace.abort();
    const leftToEnd = (id: string) =>
      expect.stringMatching(new RegExp(`^Container .*\\(${id.slice(0, 12)}\\) still ends its step`));
    const lines = await hurried;
    expect(lines[0]).toContain(created.slice(0, 12));
    expect(lines.slice(1).toSorted()).toEqual(expect.arrayContaining([ending.id, staying].map(leftToEnd)));
    const swept = bench.target.sweep(bench.labels, NEVER, { graceMs: 5_000 });
    await step.signal('SIGINT');
    expect(await step.exit).toMatchObject({ code: 0 });
    expect(step.output()).toContain('saved\nall\n');
    expect((await swept).join()).toContain(staying.slice(0, 12));
    expect(await bench.containers()).toEqual([]);
    await ending.remove();
  });

  it('without the time that a container needs to end by itself leaves it to its guard', async () => {
    const { id } = await orphan('trap "sleep 3; exit 0" INT; echo up; while :; do sleep 0.05; done', {
      image: JOB_IMAGE,
      labels: bench.labels,
    });
    const swept = await bench.target.sweep(bench.labels, NEVER, { graceMs: 0, leavesRunning: true });
    expect(swept).toEqual([expect.stringMatching(/^Container \S+ \(\w{12}\) still ends its step/)]);
    await isGone(id);
    expect(await eventsOf(id, ['kill', 'die'])).toEqual(['die 0']);
    expect(await bench.target.sweep(bench.labels, NEVER)).toEqual([
      expect.stringMatching(/^Removed network /),
    ]);
  });

  it('removes every network that is free, even if the engine fails to remove a container', async () => {
    const stuck = await bench.prepare();
    const kept = [stuck.id, ...(await bench.networks())];
    const other = await bench.prepare();
    // Another attempt follows the first of these answers, and none the second.
    let status = 409;
    const freed = isGone(other.id).then(() => {
      status = 400;
    });
    const message = `removal of container ${stuck.id} is already in progress`;
    const { target } = await bench.behindProxy({
      refuse: (line) =>
        line.startsWith('DELETE') && kept.some((id) => line.includes(id)) ? { status, message } : undefined,
    });
    await expect(target.sweep(bench.labels, NEVER)).rejects.toThrow(
      `Failed to remove container ${stuck.id} for the job: removal of container`,
    );
    await freed;
    expect(await bench.networks()).toEqual(kept.slice(1));
  });

  it('copes with others that remove the same containers at the same time', async () => {
    for (const AutoRemove of [true, false, true]) await make({}, { start: true, AutoRemove });
    const killed = async (id: string) =>
      void (await docker
        .getContainer(id)
        .kill()
        .catch(() => undefined));
    await Promise.all([
      bench.target.sweep(bench.labels, NEVER),
      bench.newExecutor().sweep(bench.labels, NEVER),
      ...(await bench.containers()).map(killed),
    ]);
    expect(await bench.containers()).toEqual([]);
  });

  it('refuses to run without labels, which would sweep everything', async () => {
    await expect(bench.target.sweep({}, NEVER)).rejects.toThrow('a sweep requires labels');
  });
});
