import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Executor, JobContainer } from '../../../src/executor/executor.ts';
import { imagePolicy } from '../../../src/executor/image-policy.ts';
import { BUSYBOX_IMAGE, deriveImage, docker, makeImages } from '../../support/docker/images.ts';
import { type Registry, startRegistry } from '../../support/docker/registry.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let registry: Registry;
let folder: string;
let target: Executor;
/** Two images whose last layer nobody else has. */
const images: string[] = [];
/** Blobs that the registry was asked for. */
let blobs: string[] = [];
/** What a held blob waits for. */
let gate = Promise.withResolvers<void>();
let holding = false;
let reached = Promise.withResolvers<void>();

beforeAll(async () => {
  await makeImages();
  registry = await startRegistry();
  folder = await mkdtemp(join(tmpdir(), 'docker-config-'));
  const auth = Buffer.from(`${registry.credentials.username}:${registry.credentials.password}`).toString('base64');
  await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
  target = bench.newExecutor({ environment: { ...process.env, DOCKER_CONFIG: folder } });
  for (const name of ['one', 'two']) {
    const source = await deriveImage(BUSYBOX_IMAGE, { script: `head -c 40000 /dev/urandom >/unlike-${name}` });
    images.push(await registry.push(source, `open/${name}:1`));
    await docker.getImage(source).remove();
  }
});
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  blobs = [];
  holding = false;
  gate = Promise.withResolvers();
  reached = Promise.withResolvers();
  registry.fault = (call, answer) => {
    if (call.method !== 'GET' || !call.url?.includes('/blobs/')) return false;
    blobs.push(call.url);
    if (!holding) return false;
    reached.resolve();
    void gate.promise.then(() => registry.pass(call, answer));
    return true;
  };
});
afterEach(async () => {
  gate.resolve();
  for (const image of images)
    await docker
      .getImage(image)
      .remove()
      .catch(() => undefined);
  expect(await bench.containers()).toEqual([]);
});

const [one, two] = [() => images[0] ?? '', () => images[1] ?? ''];

/** What step 0 of a job says. */
function prepare(image: string, signal: AbortSignal = NEVER, more: Parameters<typeof bench.spec>[0] = {}) {
  const lines: string[] = [];
  const joined = Promise.withResolvers<void>();
  const progress = async (line: string) => {
    lines.push(line);
    if (line.startsWith('Its pull began')) joined.resolve();
  };
  const container = target.prepare(bench.spec({ image, pull: true, ...more }), progress, signal);
  return { lines, joined: joined.promise, container };
}

async function removed(container: Promise<JobContainer>): Promise<string> {
  const made = await container;
  await made.remove();
  return made.imageDigest;
}

describe('an image that was pulled ahead', () => {
  it('is there for the job: its step 0 shows no download', async () => {
    const line = await target.prepull?.(one(), undefined, NEVER);
    expect(line).toMatch(/^\S+\/open\/one@sha256:[0-9a-f]{64} \(linux\/\w+\)$/);
    expect(blobs.length).toBeGreaterThan(0);
    blobs = [];
    const { lines, container } = prepare(one());
    expect(line).toContain(await removed(container));
    expect(blobs).toEqual([]);
    expect(lines.slice(0, 5)).toEqual([
      `Pulling image ${one()}.`,
      `Signing in to ${registry.host} with the runner's Docker configuration.`,
      '1: Pulling from open/one',
      expect.stringMatching(/^Digest: /),
      expect.stringMatching(/^Status: Image is up to date/),
    ]);
  });

  it('is waited for while it is being pulled, and not pulled twice', async () => {
    holding = true;
    const ahead = target.prepull?.(one(), undefined, NEVER);
    await reached.promise;
    const { lines, joined, container } = prepare(one());
    await joined;
    gate.resolve();
    await removed(container);
    await ahead;
    expect(new Set(blobs).size).toBe(blobs.length);
    expect(lines.filter((line) => /Pulling from|Signing in/.test(line))).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/Pull complete$/));
    expect(lines).toContainEqual(expect.stringMatching(/^Status: Downloaded newer image/));
  });

  it('goes on for the job that waits for it when the agent is told to stop', async () => {
    holding = true;
    const stop = new AbortController();
    const ahead = target.prepull?.(one(), undefined, stop.signal);
    await reached.promise;
    const { lines, joined, container } = prepare(one());
    await joined;
    stop.abort(new Error('stopping'));
    await expect(ahead).rejects.toThrow('stopping');
    gate.resolve();
    await removed(container);
    // It began no pull of its own.
    expect(lines.filter((line) => /Pulling from|Signing in/.test(line))).toEqual([]);
  });

  it('is let go at once when the agent is told to stop, and by a job that is', async () => {
    holding = true;
    const [stop, cancel] = [new AbortController(), new AbortController()];
    const ahead = target.prepull?.(one(), undefined, stop.signal);
    await reached.promise;
    const { joined, container } = prepare(one(), cancel.signal);
    await joined;
    cancel.abort(new Error('cancelled'));
    await expect(container).rejects.toThrow('cancelled');
    stop.abort(new Error('stopping'));
    await expect(ahead).rejects.toThrow('stopping');
    gate.resolve();
    // Nothing of it is left that a later job would wait for.
    const later = prepare(one());
    await removed(later.container);
    expect(later.lines.filter((line) => line.startsWith('Its pull began'))).toEqual([]);
  });

  it('makes way for the pull that a job needs', async () => {
    holding = true;
    const ahead = target.prepull?.(two(), undefined, NEVER);
    await reached.promise;
    holding = false;
    const { lines, container } = prepare(one());
    await expect(ahead).rejects.toThrow('a job needs the network');
    await removed(container);
    expect(lines).toContainEqual(expect.stringMatching(/^Status: Downloaded newer image/));
  });

  it("is pulled by the job itself where that failed, with the job's own credentials", async () => {
    const bare = bench.newExecutor({ environment: { ...process.env, DOCKER_CONFIG: '/nonexistent' } });
    await expect(bare.prepull?.(one(), undefined, NEVER)).rejects.toThrow(/no basic auth credentials/);
    await removed(
      bare.prepare(
        bench.spec({ image: one(), pull: true, credentials: registry.credentials }),
        async () => undefined,
        NEVER,
      ),
    );
  });

  it('is one that may run', async () => {
    const policy = imagePolicy({ allowed: ['pulumi/*'], requireDigest: false });
    await expect(target.prepull?.(one(), policy, NEVER)).rejects.toThrow(/is not allowed/);
    await expect(target.prepull?.('not//a name', undefined, NEVER)).rejects.toThrow(/not a valid image name/);
    expect(blobs).toEqual([]);
  });

  it('ends with its target', async () => {
    holding = true;
    const short = bench.newExecutor({ environment: { ...process.env, DOCKER_CONFIG: folder } });
    const ahead = short.prepull?.(one(), undefined, NEVER);
    await reached.promise;
    const ended = expect(ahead).rejects.toThrow();
    await short.close();
    await ended;
  });
});
