import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { METADATA_ADDRESSES } from '../../../src/executor/docker/container/network.ts';
import type { Containment } from '../../../src/executor/docker/docker-executor.ts';
import type { JobContainer } from '../../../src/executor/executor.ts';
import { BUSYBOX_IMAGE, docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { begin, run, workbench } from '../../support/docker/workbench.ts';
import { type Listening, webServer } from '../network/servers.ts';

const bench = workbench();

const prepare = (containment: Containment = {}, image = JOB_IMAGE) =>
  bench.prepare({ image }, bench.newExecutor({ containment }));

/** Makes a network as a user would. */
async function makeNetwork(): Promise<string> {
  const name = `pulumi-runner-test-${randomBytes(6).toString('hex')}`;
  await docker.createNetwork({ Name: name });
  // Runs after the containers on it are gone.
  onTestFinished(() => docker.getNetwork(name).remove());
  return name;
}

/** What step 0's log shows. */
async function told(containment: Containment): Promise<string> {
  const lines: string[] = [];
  await bench.prepare({}, bench.newExecutor({ containment }), lines);
  return lines.join('\n');
}

async function addressOf({ id }: JobContainer): Promise<string> {
  const { NetworkSettings: settings } = await docker.getContainer(id).inspect();
  return Object.values(settings.Networks)[0]?.IPAddress ?? '';
}

const get = (container: JobContainer, url: string) =>
  run(container, `curl --silent --show-error --max-time 4 ${url} 2>&1; echo " $?"`);

/** The engine's rules for this machine, and who could have removed some: another engine's start does. */
function rules(): string {
  const commands = [
    ['iptables', '-S'],
    ['iptables', '-t', 'raw', '-S'],
    ['nft', 'list', 'ruleset'],
    ['ps', '-eo', 'pid,etimes,args'],
  ];
  return commands
    .map(([program = '', ...words]) => {
      const { stdout = '', error } = spawnSync(program, words, { encoding: 'utf8' });
      const lines =
        program === 'ps' ? stdout.split('\n').filter((line) => /dockerd|podman/.test(line)) : [stdout];
      return `${program}: ${error?.message ?? lines.join('\n')}`;
    })
    .join('\n');
}

describe('the network of a job', () => {
  it("is its own, carries the job's labels, and goes with the job", async () => {
    const [one, other] = [await prepare(), await prepare()];
    const found = await Promise.all((await bench.networks()).map((id) => docker.getNetwork(id).inspect()));
    expect(found).toHaveLength(2);
    for (const network of found) {
      expect(network).toMatchObject({
        Driver: 'bridge',
        EnableIPv6: false,
        Internal: false,
        Labels: bench.labels,
      });
      expect(Object.values(network.Containers ?? {}).map(({ Name: name }) => name)).toEqual([network.Name]);
    }
    await one.remove();
    expect(await bench.networks()).toHaveLength(1);
    await docker.getContainer(other.id).kill();
    await other.remove();
    expect(await bench.networks()).toEqual([]);
  });

  it('can’t be reached from another job, unlike a shared one', async () => {
    const script = 'echo up; exec httpd -f -p 8080 -h /etc';
    const serve = async (container: JobContainer) => {
      await (await begin(container, script, { shell: 'sh' })).shows('up');
      return `http://${await addressOf(container)}:8080/hostname`;
    };
    const server = await prepare({}, BUSYBOX_IMAGE);
    const url = await serve(server);
    const stranger = await prepare();
    const { output } = await get(stranger, url);
    expect(output, / (7|28)\n$/.test(output) ? '' : rules()).toMatch(/ (7|28)\n$/);
    const network = await makeNetwork();
    const shared = await serve(await prepare({ containerNetwork: network }, BUSYBOX_IMAGE));
    expect(
      (await get(await prepare({ containerNetwork: network }), `--retry 5 --retry-connrefused ${shared}`))
        .output,
    ).toMatch(/ 0\n$/);
  });

  it('is the one that the configuration names, which stays', async () => {
    const network = await makeNetwork();
    const container = await prepare({ containerNetwork: network });
    const { NetworkSettings: settings } = await docker.getContainer(container.id).inspect();
    expect(Object.keys(settings.Networks)).toEqual([network]);
    await container.remove();
    expect(await docker.getNetwork(network).inspect()).toMatchObject({ Name: network });
    expect(await bench.networks()).toEqual([]);
  });

  it('has the MTU and the addresses that are set', async () => {
    // Room for two networks; random, as other runs may use this engine.
    const [third, last] = [randomInt(224, 256), 32 * randomInt(8)];
    const containerSubnet = `198.19.${third}.${last}/27`;
    const containment = { containerMtu: 1_380, containerSubnet };
    const two = [await prepare(containment), await prepare(containment)];
    for (const job of two) expect((await run(job, 'cat /sys/class/net/eth0/mtu')).output).toBe('1380\n');

    const found = await Promise.all((await bench.networks()).map((id) => docker.getNetwork(id).inspect()));
    const subnets = found.map(({ IPAM: ipam }) => ipam?.Config?.[0]?.Subnet);
    expect(new Set(subnets)).toEqual(
      new Set([`198.19.${third}.${last}/28`, `198.19.${third}.${last + 16}/28`]),
    );
    await expect(prepare(containment)).rejects.toThrow(
      /^Failed to make a network for the job: .*overlap.*\. Remove unused networks, or choose another container_subnet than 198\.19\.\d+\.\d+\/27\.$/i,
    );
  });

  it('is named in the error when the engine does not know it', async () => {
    await expect(prepare({ containerNetwork: 'not-there' })).rejects.toThrow(
      /^Failed to start a container for the job from .*: network not-there not found\. Create it on the engine \(docker network create not-there\), or correct container_network\.$/,
    );
    expect(await bench.containers()).toEqual([]);
  });
});

describe("the cloud's metadata service", () => {
  let server: Listening;
  const address = METADATA_ADDRESSES[0] ?? '';
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let url: string;

  beforeAll(async () => {
    // Puts the service where containers expect it: at an address behind the host.
    for (const each of METADATA_ADDRESSES) ip('address', 'replace', `${each}/32`, 'dev', 'lo');
    server = await webServer({ host: '0.0.0.0', body: 'credentials' });
    url = `http://${address}:${server.port}/latest/meta-data/`;
  });
  afterAll(async () => {
    await server.close();
    for (const each of METADATA_ADDRESSES) ip('address', 'delete', `${each}/32`, 'dev', 'lo');
  });

  it.each(METADATA_ADDRESSES)('at %s is unreachable for a job, which fails at once', async (each) => {
    const { output } = await get(await prepare(), url.replace(address, each));
    expect(output).toMatch(/Couldn't connect.* 7\n$/s);
  });

  it('is not brought back by root inside the container', async () => {
    const container = await prepare({}, BUSYBOX_IMAGE);
    const script = `ip address show | grep -c ${address}; ip address del ${address}/16 dev eth0 2>&1
      ip route add ${address}/32 via $(ip route | sed -n 's/^default via \\(\\S*\\) .*/\\1/p') 2>&1; nc ${url.slice(7).split(/[:/]/, 2).join(' ')} </dev/null 2>&1`;
    const { output } = await run(container, script, { shell: 'sh' });
    expect(output).toMatch(/^1\n.*not permitted\n.*not permitted\n.*refused/s);
  });

  it('can be reached when that is allowed', async () => {
    expect((await get(await prepare({ allowMetadata: true }), url)).output).toBe('credentials 0\n');
  });

  it('is open on a network that is not the job’s own, with a warning', async () => {
    expect((await get(await prepare({ containerNetwork: 'bridge' }), url)).output).toBe('credentials 0\n');
    expect(await told({ containerNetwork: 'bridge' })).toContain(
      "The cloud's metadata address 169.254.169.254 is not blocked: the container is on network bridge, which is not the job's own.",
    );
    const explicit = async (allowMetadata?: boolean) => {
      const containment = {
        containerNetwork: 'bridge',
        ...(allowMetadata !== undefined && { allowMetadata }),
      };
      return (await prepare(containment)).warnings;
    };
    expect(await explicit(false)).toEqual([
      expect.stringMatching(/^The cloud's metadata .* Or leave container_network out\.$/),
    ]);
    expect(await explicit()).toEqual([]);
    expect(await told({ containerNetwork: 'none' })).not.toContain('metadata');
    expect(await told({ containerNetwork: 'bridge', allowMetadata: true })).not.toContain('metadata');
    expect(await told({})).not.toContain('metadata');
  });

  it('has no IPv6 address that a job could reach', async () => {
    const { output } = await run(
      await prepare(),
      'cat /proc/net/ipv6_route 2>/dev/null | grep -v " lo$"; echo',
    );
    expect(output.trim()).toBe('');
  });
});
