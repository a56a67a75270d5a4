import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sweep } from '../../../src/cli/sweep.ts';
import { ownOwner } from '../../../src/record/owner.ts';
import { folder } from '../../support/agent/claimed-run.ts';
import { docker, JOB_IMAGE, testImage } from '../../support/docker/images.ts';

/** Sweeps after a run whose record names this container and this owner. Returns what was printed. */
async function sweptAfter(owner: object, id: string): Promise<string> {
  const directory = await folder();
  const events = [
    { type: 'agent-started', version: '0', owner },
    { type: 'place', place: { target: 'docker' } },
    { type: 'container', id, name: 'job' },
  ].map((event) => `${JSON.stringify({ t: '2026-11-22T00:00:00.000Z', ...event })}\n`);
  await writeFile(join(directory, 'events.ndjson'), events.join(''));
  const printed: string[] = [];
  await sweep({
    command: { name: 'sweep', runDirectory: directory, graceMs: 5_000 },
    process: { stdout: { write: (text: string | Uint8Array) => printed.push(String(text)) > 0 } },
    environment: { HOME: directory },
    workingDirectory: directory,
    agentDirectory: directory,
  });
  return printed.join('');
}

it('a sweep ends the container of a run whose process is dead, and leaves that of one that lives', async () => {
  await testImage('job');
  const container = await docker.createContainer({
    Image: JOB_IMAGE,
    Cmd: [
      'bash',
      '-c',
      'trap : INT; bash -c "trap \'echo interrupted; exit\' INT; while :; do sleep 0.1; done"; exit 0',
    ],
  });
  await container.start();
  try {
    expect(await sweptAfter(ownOwner(), container.id)).not.toContain(container.id.slice(0, 12));
    expect((await container.inspect()).State.Running).toBe(true);
    const dead = { host: hostname(), pid: process.pid, started: 'long ago' };
    expect(await sweptAfter(dead, container.id)).toContain(
      `Ended and removed container job (${container.id.slice(0, 12)})`,
    );
    await expect(container.inspect()).rejects.toMatchObject({ statusCode: 404 });
  } finally {
    await container.remove({ force: true }).catch(() => undefined);
  }
});
