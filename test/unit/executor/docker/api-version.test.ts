import { expect, it } from 'vitest';
import { checkEngine, type Engine } from '../../../../src/executor/docker/engine/engine.ts';

const { signal } = new AbortController();
const check = (apiVersion: string | undefined) => {
  const version = async () => ({ api: '1.41', os: 'linux', name: 'Docker Engine 20.10.24', isPodman: false });
  return checkEngine({ endpoint: { name: 'unix:///x' }, apiVersion, version } as unknown as Engine, signal);
};

it('refuses a DOCKER_API_VERSION that engines take, and in which they drop what keeps jobs contained', async () => {
  await expect(check('1.24')).rejects.toThrow(
    'Failed to use the Docker engine for this runner: DOCKER_API_VERSION is "1.24", which is older than 1.40. Unset it.',
  );
  await expect(check('1.40')).resolves.toContain('Docker Engine 20.10.24');
  await expect(check(undefined)).resolves.toContain('Docker Engine 20.10.24');
});
