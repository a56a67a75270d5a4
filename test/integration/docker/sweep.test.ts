import { describe, expect, it } from 'vitest';
import { docker, JOB_IMAGE } from './images.ts';
import { NEVER, workbench } from './workbench.ts';

const bench = workbench();

async function make(labels: Record<string, string>, { start = false, AutoRemove = false } = {}): Promise<string> {
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
  it('removes what carries all labels, in whatever state, and nothing else', async () => {
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
  });

  it('finds nothing the second time', async () => {
    await make({}, { start: true });
    expect(await bench.target.sweep(bench.labels, NEVER)).toHaveLength(1);
    expect(await bench.target.sweep(bench.labels, NEVER)).toEqual([]);
  });

  it('bears others that remove the same at the same time', async () => {
    for (let i = 0; i < 3; i += 1) await make({}, { start: true, AutoRemove: i % 2 === 0 });
    await Promise.all([
      bench.target.sweep(bench.labels, NEVER),
      bench.newTarget().sweep(bench.labels, NEVER),
      ...(await bench.containers()).map((id) =>
        docker
          .getContainer(id)
          .kill()
          .catch(() => undefined),
      ),
    ]);
    expect(await bench.containers()).toEqual([]);
  });

  it('refuses to go without labels, for everything would be swept', async () => {
    await expect(bench.target.sweep({}, NEVER)).rejects.toThrow('a sweep needs labels');
  });
});
