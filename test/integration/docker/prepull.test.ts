import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Executor, JobContainer } from '../../../src/executor/executor.ts';
import { imagePolicy } from '../../../src/executor/image-policy.ts';
import { BUSYBOX_IMAGE, deriveImage, docker, makeImages } from '../../support/docker/images.ts';
import { type Registry, startRegistry } from '../../support/docker/registry.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let registry: Registry;
/** Two images whose last layer nobody else has. */
let [one, two] = ['', ''];
/** Layers that the registry was asked for. */
let blobs: string[] = [];
/** The images' configurations, a few hundred bytes that every pull asks for. */
const configs: string[] = [];
/** Holds back the blobs while it is there. */
let gate: PromiseWithResolvers<void> | undefined;
let reached = Promise.withResolvers<void>();

beforeAll(async () => {
  await makeImages();
  registry = await startRegistry();
  const push = async (name: string) => {
    const source = await deriveImage(BUSYBOX_IMAGE, { script: `head -c 40000 /dev/urandom >/unlike-${name}` });
    configs.push((await docker.getImage(source).inspect()).Id);
    const image = await registry.push(source, `open/${name}:1`);
    await docker.getImage(source).remove();
    return image;
  };
  one = await push('one');
  two = await push('two');
});
afterAll(() => registry.close());
beforeEach(() => {
  blobs = [];
  gate = undefined;
  reached = Promise.withResolvers();
  registry.fault = (call, answer) => {
    const { method, url = '' } = call;
    if (method !== 'GET' || !url.includes('/blobs/') || configs.some((config) => url.includes(config))) return false;
    blobs.push(url);
    if (gate === undefined) return false;
    reached.resolve();
    void gate.promise.then(() => registry.pass(call, answer));
    return true;
  };
});
afterEach(async () => {
  gate?.resolve();
  for (const image of [one, two])
    await docker
      .getImage(image)
      .remove()
      .catch(() => undefined);
});

/** Pulls ahead with the runner's login. */
function prepull(image: string, signal: AbortSignal = NEVER, target: Executor = signedIn()) {
  return target.prepull?.(image, undefined, signal) ?? expect.fail('it can’t pull ahead');
}

const environment = () => ({ ...process.env, DOCKER_CONFIG: registry.dockerConfig });
const signedIn = () => bench.newExecutor({ environment: environment() });

/** A job's container, and the lines of step 0. */
async function job(image: string, target: Executor, lines: string[] = []): Promise<JobContainer> {
  const container = await target.prepare(
    bench.spec({ image, pull: true }),
    async (line) => void lines.push(line),
    NEVER,
  );
  await container.remove();
  return container;
}

it('an image that was pulled ahead is there for the job: its step 0 shows no download', async () => {
  const target = signedIn();
  const line = await prepull(one, NEVER, target);
  expect(line).toMatch(/^\S+\/open\/one@sha256:[0-9a-f]{64} \(linux\/\w+\)$/);
  expect(blobs.length).toBeGreaterThan(0);
  blobs = [];
  const lines: string[] = [];
  expect(line).toContain((await job(one, target, lines)).imageDigest);
  expect(blobs).toEqual([]);
  expect(lines).toContainEqual(expect.stringMatching(/^Status: Image is up to date/));
});

it('a pull ahead ends with its executor', async () => {
  gate = Promise.withResolvers();
  const target = signedIn();
  const ahead = expect(prepull(two, NEVER, target)).rejects.toThrow('the executor is closed');
  await reached.promise;
  await target.close();
  await ahead;
});

it('an image that can’t be pulled ahead, or may not run, is said to be', async () => {
  const bare = bench.newExecutor({ environment: { ...process.env, DOCKER_CONFIG: '/nonexistent' } });
  await expect(prepull(one, NEVER, bare)).rejects.toThrow(/no basic auth credentials/);
  const policy = imagePolicy({ allowed: ['pulumi/*'], requireDigest: false });
  await expect(signedIn().prepull?.(one, policy, NEVER)).rejects.toThrow(/is not allowed/);
  await expect(prepull('not//a name')).rejects.toThrow(/not a valid image name/);
});
