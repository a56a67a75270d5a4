import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeNetwork } from '../../../src/executor/docker/container/network.ts';
import { DockerEngine } from '../../../src/executor/docker/engine/engine.ts';
import { type OwnEngine, startOwnEngine } from '../../support/docker/own-engine.ts';
import { NEVER } from '../../support/docker/workbench.ts';

const JOBS = 40;
const LABELS = { 'pulumi-runner-test.many': 'networks' };
let own: OwnEngine;
let engine: DockerEngine;

beforeAll(async () => {
  // Room for two networks, where an engine has room for 31 by default.
  own = await startOwnEngine({ flags: ['--default-address-pool', 'base=10.213.0.0/27,size=28'] });
  engine = new DockerEngine({ DOCKER_HOST: own.url });
});
afterAll(async () => {
  engine.close();
  await own.close();
});

it('forty jobs at once each get a network, even when the engine’s address pools are used up', async () => {
  const names = Array.from({ length: JOBS }, (_, index) => `job-${index}`);
  await Promise.all(names.map((name) => makeNetwork(engine, name, LABELS, {}, NEVER)));
  const found = await own.docker.listNetworks({ filters: { label: ['pulumi-runner-test.many=networks'] } });
  const subnets = found.map(({ IPAM: pool }) => pool?.Config?.[0]?.Subnet ?? '');
  expect(new Set(subnets).size).toBe(JOBS);
  expect(subnets.filter((subnet) => /^10\.213\.0\.\d+\/28$/.test(subnet))).toHaveLength(2);
  expect(
    subnets.filter((subnet) => /^198\.19\.(\d|[1-9]\d|1[01]\d|12[0-7])\.\d+\/28$/.test(subnet)),
  ).toHaveLength(38);
});

it('a failure to create a network says what to do', async () => {
  await expect(makeNetwork(engine, 'bridge', LABELS, {}, NEVER)).rejects.toThrow(
    /^Failed to make a network for the job: .*\. See the engine's log, or set container_network to an existing network\.$/,
  );
});
