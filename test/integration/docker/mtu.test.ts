import { expect, it, onTestFinished } from 'vitest';
import { makeNetwork } from '../../../src/executor/docker/container/network.ts';
import { DockerEngine } from '../../../src/executor/docker/engine/engine.ts';
import { startOwnEngine } from '../../support/docker/own-engine.ts';

/** The options of a job's network on an engine that starts with these flags. */
async function optionsOn(flags: readonly string[]): Promise<unknown> {
  const own = await startOwnEngine({ flags });
  onTestFinished(own.close);
  const engine = new DockerEngine({ DOCKER_HOST: own.url });
  onTestFinished(() => engine.close());
  await makeNetwork(engine, 'job', {}, {}, new AbortController().signal);
  return (await own.docker.getNetwork('job').inspect()).Options;
}

it.each([
  ['the default bridge’s where that is not the usual one', ['--bridge=', '--mtu=1400'], '1400'],
  ['the engine’s choice where it is', ['--bridge='], undefined],
  ['the engine’s choice without such a bridge', ['--mtu=1400'], undefined],
])('the MTU of a job’s network is %s', async (_, flags, mtu) => {
  expect(await optionsOn(flags)).toEqual(mtu === undefined ? {} : { 'com.docker.network.driver.mtu': mtu });
});
