import { afterAll, beforeAll, expect, it } from 'vitest';
import { ImageNotAllowedError, imagePolicy } from '../../../src/executor/image-policy.ts';
import { BUSYBOX_IMAGE, docker, removeImage } from '../../support/docker/images.ts';
import { type Registry, startRegistry } from '../../support/docker/registry.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let registry: Registry;
let asked: string[] = [];
const policy = (...allowed: string[]) => imagePolicy({ allowedImages: allowed, requireDigest: false })!;

beforeAll(async () => {
  registry = await startRegistry();
  registry.fault = ({ method, url }) => {
    asked.push(`${method} ${url}`);
    return false;
  };
});
afterAll(() => registry.close());

it.each([true, false])(
  'neither the registry nor the engine is asked for a refused image (pull: %s)',
  async (pull) => {
    const requests: string[] = [];
    const { target } = await bench.behindProxy({ onRequest: (line) => requests.push(line) });
    const lines: string[] = [];
    const image = `${registry.host}/evil/pulumi:1`;
    const spec = bench.spec({ image, pull, policy: policy('pulumi/*', `${registry.host}/acme/**`) });
    asked = [];
    const error = await target
      .prepare(spec, async (line) => void lines.push(line), NEVER)
      .catch((thrown) => thrown);
    const prepulled = await target.prepull?.(image, spec.policy, NEVER).catch((thrown) => thrown);

    for (const refused of [error, prepulled]) {
      expect(refused).toBeInstanceOf(ImageNotAllowedError);
      expect(refused).toMatchObject({ outcome: 'target-error' });
      expect(refused.message).toMatch(
        /^Failed to use the image for the job: image \S+ is not allowed: no pattern of /,
      );
    }
    expect({ asked, requests, lines }).toEqual({ asked: [], requests: [], lines: [] });
  },
);

it('an allowed image is pulled by its full name, and what ran is named by its digest', async () => {
  const name = await registry.push(BUSYBOX_IMAGE, 'acme/tools:1');
  asked = [];
  const rules = policy(`${registry.host}/acme/*:1`);
  const { credentials } = registry;
  const container = await bench.prepare({ image: name, pull: true, credentials, policy: rules });
  expect((await run(container, 'echo allowed', { shell: 'sh' })).output).toBe('allowed\n');
  expect(asked.some((line) => line.endsWith('/v2/acme/tools/manifests/1'))).toBe(true);
  expect(container.imageDigest).toMatch(/\/acme\/tools@sha256:[0-9a-f]{64}$/);
  await container.remove();
  await removeImage(name);
});

it('an ID does not bypass the patterns: the engine is asked for the name that was checked', async () => {
  const { Id: id } = await docker.getImage(BUSYBOX_IMAGE).inspect();
  const short = id.replace('sha256:', '').slice(0, 12);
  for (const image of [short, id, id.replace('sha256:', '')]) {
    // Only without patterns is the engine asked for the ID itself.
    const error = await bench.prepare({ image, policy: policy('**') }).catch((thrown) => thrown);
    expect(error.message).toMatch(/^Failed to find the image for the job: docker\.io\/library\//);
  }
  const container = await bench.prepare({ image: short });
  await container.remove();
});
