import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ownOwner } from '../../../src/base/owner.ts';
import { DockerEngine } from '../../../src/executor/docker/engine/engine.ts';
import { endOrphanedContainers, JobContainers } from '../../../src/pulumi-agent/job-containers.ts';
import { folder } from '../../support/agent/claimed-run.ts';
import { docker, JOB_IMAGE, runningContainer, testImage } from '../../support/docker/images.ts';
import { here } from '../doctor/command.ts';

beforeAll(() => testImage('job'));

/** Sweeps after a run whose record names this container and this owner. Returns what was printed. */
async function sweptAfter(owner: object, id: string): Promise<string> {
  const directory = await folder();
  const events = [
    { type: 'agent-started', version: '0', owner },
    { type: 'place', place: { target: 'docker' } },
    { type: 'container', id, name: 'job' },
  ].map((event) => `${JSON.stringify({ t: '2026-11-22T00:00:00.000Z', ...event })}\n`);
  await writeFile(join(directory, 'events.ndjson'), events.join(''));
  const { stdout } = await here(['sweep', '--run-directory', directory, '--grace', '5s'], {
    home: directory,
  });
  return stdout;
}

describe('the containers of a run', () => {
  it('are ended without harming the container whose processes they share', async () => {
    const neighbour = await runningContainer('sleep 301; sleep 302');
    const left = await runningContainer('sleep 303; sleep 304', { PidMode: `container:${neighbour.id}` });
    const [line] = await endOrphanedContainers({}, [{ id: left.id, name: 'left' }], 3_000);
    expect(line).toMatch(/^Ended and removed container left/);
    const { Processes } = (await neighbour.top()) as { Processes: string[][] };
    expect(Processes.map((columns) => columns.at(-1))).toContain('sleep 301');
  });

  it('include one that its agent’s end left unstarted, and one started in that moment', async () => {
    const shared = await folder();
    const engine = new DockerEngine({});
    onTestFinished(() => engine.close());
    const watched = new AbortController();
    const found: string[] = [];
    const containers = new JobContainers({
      engine,
      isOurs: (description) => description.includes(shared),
      onFound: ({ id }) => found.push(id),
      signal: watched.signal,
    });
    const watching = containers.watch();
    const [unstarted, other] = await Promise.all(
      [shared, 'other'].map((value) => docker.createContainer({ Image: JOB_IMAGE, Env: [`OF=${value}`] })),
    );
    onTestFinished(() => other?.remove());
    onTestFinished(() => unstarted?.remove().catch(() => undefined));
    const late = await runningContainer('sleep 305', { Binds: [`${shared}:/mnt/shared`] });
    const lines = await containers.end(2_000, watched.signal);
    watched.abort();
    await watching;
    expect(lines).toHaveLength(2);
    expect(new Set(found)).toEqual(new Set([unstarted?.id, late.id]));
    expect((await other?.inspect())?.Id).toBe(other?.id);
    await expect(unstarted?.inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  it('are ended by a sweep once the run’s process is dead, and left alone while it lives', async () => {
    const step = "trap 'echo interrupted; exit' INT; while :; do sleep 0.1; done";
    const container = await runningContainer(`trap : INT; bash -c "${step}"; exit 0`);
    const shown = container.id.slice(0, 12);
    expect(await sweptAfter(ownOwner(), container.id)).not.toContain(shown);
    expect((await container.inspect()).State.Running).toBe(true);
    const dead = { ...ownOwner(), started: 'long ago' };
    expect(await sweptAfter(dead, container.id)).toContain(`Ended and removed container job (${shown})`);
    await expect(container.inspect()).rejects.toMatchObject({ statusCode: 404 });
  });
});
