import { randomBytes, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorUnavailableError, ImageError } from '../../../src/executor/executor.ts';
import { docker, JOB_IMAGE, removeImage, scratchImage } from '../../support/docker/images.ts';
import { type Registry, startRegistry } from '../../support/docker/registry.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let registry: Registry;
let image: string;
/** The digests of the image's layers. */
let layers: string[];
const pulled: string[] = [];
/** End the stalled downloads, which the engine would otherwise have the next pull join. */
const stalled: (() => void)[] = [];

beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.close());
/** Each test has an image of its own: the containerd store keeps layers after their image's removal. */
beforeEach(async () => {
  registry.fault = () => false;
  const source = await scratchImage([{ path: 'unlike', mode: 0o644, content: randomBytes(60_000) }]);
  const repository = `acme/unlike-${randomInt(1e9)}`;
  image = await registry.push(source, `${repository}:1`);
  await docker.getImage(source).remove();
  layers = await registry.layers(repository, '1');
});
afterEach(async () => {
  for (const end of stalled.splice(0)) end();
  for (const name of pulled.splice(0)) await removeImage(name).catch(() => undefined);
  expect(await bench.containers()).toEqual([]);
});

type Overrides = Parameters<typeof bench.spec>[0];

/** Pulls the image, which has no shell: even a pull that works ends in an error. */
async function pull(
  overrides: Overrides = {},
  target = bench.target,
  login: Overrides = { credentials: registry.credentials },
) {
  const lines: string[] = [];
  const spec = bench.spec({ image, pull: true, ...login, ...overrides });
  pulled.push(spec.image);
  const error = await bench.prepare(spec, target, lines).then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  return { lines, error };
}

const LAYER = { 'content-type': 'application/octet-stream', 'content-length': '60000' };
const isLayer = ({ method, url }: IncomingMessage) =>
  method === 'GET' && layers.some((digest) => url?.endsWith(digest) === true);

/** Sends one byte of each layer, then stalls. */
function stallLayers(onStall: () => void): void {
  registry.fault = (call, answer) => {
    if (!isLayer(call)) return false;
    answer.writeHead(200, LAYER).write('x');
    stalled.push(() => answer.destroy());
    onStall();
    return true;
  };
}

const PLATFORM = `linux/${process.arch === 'arm64' ? 'arm64' : 'amd64'}`;
const WORKED = /The image must have a POSIX shell named sh/;

describe('a pull', () => {
  it('brings an image from a registry that requires credentials, and the image runs', async () => {
    const name = await registry.push(JOB_IMAGE, 'acme/job:1');
    pulled.push(name);
    const lines: string[] = [];
    const spec = { image: name, pull: true, credentials: registry.credentials, platform: PLATFORM };
    const container = await bench.prepare(spec, bench.target, lines);
    expect(container.imageDigest).toMatch(new RegExp(`^${registry.host}/acme/job@sha256:[0-9a-f]{64}$`));
    expect(await run(container, 'echo pulled')).toMatchObject({ output: 'pulled\n' });
    expect(lines).toEqual([
      `Pulling image ${name}.`,
      '1: Pulling from acme/job',
      expect.stringMatching(/^Digest: sha256:/),
      expect.stringMatching(/^Status: /),
      `Image ${container.imageDigest} (${PLATFORM}).`,
      expect.stringMatching(/^Created container/),
      expect.stringMatching(/^Confined by/),
      expect.stringMatching(/^Started container/),
    ]);
    await container.remove();
  });

  it('uses the runner’s own login when the job brings no credentials', async () => {
    const secrets: string[] = [];
    const target = bench.newExecutor({
      environment: { ...process.env, DOCKER_CONFIG: registry.dockerConfig },
      onSecret: (secret) => secrets.push(secret),
    });
    const { lines, error } = await pull({}, target, {});
    expect(error?.message).toMatch(WORKED);
    expect(lines).toContain(`Signing in to ${registry.host} with the runner's Docker configuration.`);
    expect(lines).toContainEqual(expect.stringMatching(/^[0-9a-f]{12}: Pull complete$/));
    expect([...lines, ...bench.logged].join()).not.toContain(registry.credentials.password);
    expect(secrets).toEqual([registry.credentials.password]);
  });

  it('is tried again while the registry restarts, and when a layer is cut halfway', async () => {
    let refusals = 2;
    let cuts = 1;
    registry.fault = (call, answer) => {
      if (call.url?.includes('/manifests/') && refusals > 0) {
        refusals -= 1;
        answer.writeHead(503).end();
        return true;
      }
      if (!isLayer(call) || cuts === 0) return false;
      cuts -= 1;
      registry.cutAfter(1_000, call, answer);
      return true;
    };
    const { lines, error } = await pull();
    expect(error?.message).toMatch(WORKED);
    expect(
      lines.filter((line) => /^The pull failed: .* Trying again in 0\.0\d+ s\.$/.test(line)).length,
    ).toBeGreaterThan(0);
    expect({ refusals, cuts }).toEqual({ refusals: 0, cuts: 0 });
  });

  it('takes :latest, and only that, when there is no tag', async () => {
    const small = await scratchImage([{ path: 'x', mode: 0o644, content: 'latest' }]);
    const asked = new Set<string | undefined>();
    const tagged = await registry.push(small, 'acme/untagged:latest');
    await docker.getImage(small).remove();
    registry.fault = ({ url }) => {
      if (/\/(manifests|tags)\/(?!sha256:)/.test(url ?? '')) asked.add(url);
      return false;
    };
    const { error } = await pull({ image: tagged.replace(/:latest$/, '') });
    expect(error?.message).toMatch(WORKED);
    pulled.push(tagged);
    expect([...asked]).toEqual(['/v2/acme/untagged/manifests/latest']);
  });
});

describe('a pull fails', () => {
  async function refusal(overrides: Overrides = {}): Promise<string> {
    const { error } = await pull(overrides);
    expect(error).toBeInstanceOf(ImageError);
    expect(error?.message).toMatch(/^Failed to pull the image for the job: \S+: .*\. \S.*\.$/);
    return error?.message ?? '';
  }

  it('for wrong credentials, without showing them', async () => {
    const { lines, error } = await pull({
      credentials: { username: 'robot+acme', password: 'wrong-secret' },
    });
    expect(error?.message).toMatch(
      /(unauthorized|no basic auth credentials).*that the credentials in the deployment settings can read it\.$/i,
    );
    expect([...lines, ...bench.logged, String(error), JSON.stringify(error)].join()).not.toContain(
      'wrong-secret',
    );
  });

  it('for an unknown tag or repository', async () => {
    expect(await refusal({ image: image.replace(':1', ':2') })).toMatch(
      /(manifest unknown|not found).*Check the image's name and tag: the registry has no such image\.$/,
    );
    expect(await refusal({ image: `${registry.host}/acme/none:1` })).toContain(
      'the registry has no such image.',
    );
  });

  it('for a corrupt layer, although the failure comes in an answer with status 200', async () => {
    registry.fault = (call, answer) => {
      if (!isLayer(call)) return false;
      answer.writeHead(200).end(Buffer.alloc(61_000, 1));
      return true;
    };
    expect(await refusal()).toMatch(/(verification failed|unexpected|invalid|size|digest)/i);
  });

  it('when nothing comes any more', async () => {
    stallLayers(() => undefined);
    const { error } = await pull({}, bench.newExecutor({ pullIdleMs: 2_000 }));
    expect(error).toBeInstanceOf(ImageError);
    expect(error?.message).toMatch(
      /made no progress for 2 s\. Check the network between the engine and the registry, or set pull_image: false/,
    );
  });

  it('for an image that only the engine has, and says how to use it', async () => {
    const name = `${registry.host}/acme/local:1`;
    await docker.getImage(JOB_IMAGE).tag({ repo: `${registry.host}/acme/local`, tag: '1' });
    pulled.push(name);
    expect(await refusal({ image: name })).toMatch(
      /The engine has an image of that name: pull_image: false uses it\.$/,
    );
    const container = await bench.prepare({ image: name });
    expect(await run(container, 'echo local')).toMatchObject({ output: 'local\n' });
    await container.remove();
  });

  it('when the engine goes away halfway', async () => {
    const { proxy, target } = await bench.behindProxy({}, { stopMs: 500 });
    stallLayers(() => proxy.cut());
    const { error } = await pull({}, target);
    expect(error).toBeInstanceOf(ExecutorUnavailableError);
    expect(error?.message).toContain('the connection was cut');
  });
});

describe('a pull ahead of the job', () => {
  it('leaves the job nothing to download', async () => {
    const environment = { ...process.env, DOCKER_CONFIG: registry.dockerConfig };
    const target = bench.newExecutor({ environment });
    expect(await target.prepull?.(image, undefined, NEVER)).toMatch(
      /\/acme\/unlike-\d+@sha256:[0-9a-f]{64} \(linux\/\w+\)$/,
    );
    expect((await pull({}, target)).lines).toContainEqual(
      expect.stringMatching(/^Status: Image is up to date/),
    );
    await target.close();
  });

  it('ends with its executor', async () => {
    const environment = { ...process.env, DOCKER_CONFIG: registry.dockerConfig };
    const target = bench.newExecutor({ environment });
    const reached = Promise.withResolvers<void>();
    stallLayers(reached.resolve);
    const ahead = expect(target.prepull?.(image, undefined, NEVER)).rejects.toThrow('the executor is closed');
    await reached.promise;
    await target.close();
    await ahead;
  });
});

it('a pull that is aborted ends at once', async () => {
  const stop = new AbortController();
  // Tests our side only: engine 20.10 waits on for a stalled registry after its client is gone, whatever the client
  // (10 s after a bare HTTP request was destroyed, 6 of 8 downloads were still open).
  stallLayers(() => stop.abort(new Error('enough')));
  const spec = bench.spec({ image, pull: true, credentials: registry.credentials });
  await expect(bench.target.prepare(spec, async () => undefined, stop.signal)).rejects.toThrow('enough');
});
