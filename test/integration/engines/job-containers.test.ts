import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { endLeftContainers, JobContainers } from '../../../src/engines/pulumi/job-containers.ts';
import { Engine } from '../../../src/executor/docker/engine/engine.ts';
import { docker, JOB_IMAGE, testImage } from '../../support/docker/images.ts';

beforeAll(() => testImage('job'));

/** A container that runs, until the test is over. */
async function running(script: string, host: { NetworkMode?: string; PidMode?: string } = {}) {
  const container = await docker.createContainer({ Image: JOB_IMAGE, Cmd: ['sh', '-c', script], HostConfig: host });
  onTestFinished(() => container.remove({ force: true }).catch(() => undefined));
  await container.start();
  return container;
}

function containersOf() {
  const engine = new Engine({});
  onTestFinished(() => engine.close());
  const { signal } = new AbortController();
  const nothing = { isOurs: () => false, addressInEnvironment: () => false };
  return new JobContainers({ ...nothing, engine, onFound: () => undefined, onAddress: () => undefined, signal });
}

describe('the containers of a run', () => {
  it('interrupted with their processes leave those of a container that shares them alone', async () => {
    const neighbour = await running('sleep 301; sleep 302');
    const left = await running('sleep 303; sleep 304', { PidMode: `container:${neighbour.id}` });
    const [line] = await endLeftContainers({}, [{ id: left.id, name: 'left' }], 3_000);
    expect(line).toMatch(/^Ended and removed container left/);
    const { Processes } = (await neighbour.top()) as { Processes: string[][] };
    expect(Processes.map((columns) => columns.at(-1))).toContain('sleep 301');
  });

  it('may call before the engine lists them, which it does once their process runs', async () => {
    const subnet = `10.213.${randomInt(256)}.0/29`;
    const IPAM = { Driver: 'default', Config: [{ Subnet: subnet }] };
    const network = await docker.createNetwork({ Name: `late-caller-${process.pid}`, IPAM });
    onTestFinished(() => network.remove());
    const address = subnet.replace('0/29', '3');
    const admitted = containersOf().admits(address);
    const caller = await docker.createContainer({
      Image: JOB_IMAGE,
      Cmd: ['sleep', '300'],
      HostConfig: { NetworkMode: network.id },
      NetworkingConfig: { EndpointsConfig: { [network.id]: { IPAMConfig: { IPv4Address: address } } } },
    });
    onTestFinished(() => caller.remove({ force: true }));
    await caller.start();
    expect(await admitted).toBe(true);
  });

  it('are none of what calls from an address that the engine lists for none', async () => {
    expect(await containersOf().admits('192.0.2.1')).toBe(false);
  });

  it('are not the one that had their address before', async () => {
    const neighbour = await running('sleep 300');
    const { Networks } = (await neighbour.inspect()).NetworkSettings;
    const address = Object.values(Networks)[0]!.IPAddress;
    const containers = containersOf();
    expect(await containers.admits(address)).toBe(true);
    await neighbour.kill();
    await neighbour.wait();
    await containers.reported(address);
    expect(containers.found).toEqual([]);
  });

  it('are none of those without an address when a caller is gone', async () => {
    await running('sleep 300', { NetworkMode: 'host' });
    expect(await containersOf().admits('')).toBe(false);
  });
});
