import { expect, it } from 'vitest';
import { overlappedRoutes } from '../../../../src/executor/docker/container/routes.ts';
import type { DockerEngine } from '../../../../src/executor/docker/engine/engine.ts';

/** As /proc/net/route has it on x86-64 and arm64. */
const TABLE = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0102000A	0003	0	0	0	00000000	0	0	0
eth0	0002000A	00000000	0001	0	0	0	00FFFFFF	0	0	0
docker0	000011AC	00000000	0001	0	0	0	0000FFFF	0	0	0
tun0	0000080A	0102000A	0003	0	0	0	0000F8FF	0	0	0
tun0	0700000A	00000000	0005	0	0	0	FFFFFFFF	0	0	0
`;

const { signal } = new AbortController();

/** An engine with the network 172.17.0.0/16 and one without addresses. */
function engineAt(endpoint: object): DockerEngine {
  const networks = [{ IPAM: { Config: [{ Subnet: '172.17.0.0/16' }] } }, { IPAM: { Config: null } }];
  const call = async (run: (docker: unknown) => unknown) => run({ listNetworks: async () => networks });
  return { endpoint, call } as unknown as DockerEngine;
}

const overlapped = (subnet: string, endpoint: object = { socketPath: '/x.sock' }, table = TABLE) =>
  overlappedRoutes(engineAt(endpoint), subnet, signal, async () => table);

it.each([
  ['10.0.2.128/28', ['10.0.2.0/24 (eth0)']],
  ['10.0.0.0/16', ['10.0.2.0/24 (eth0)', '10.0.0.7/32 (tun0)']],
  ['10.15.255.240/28', ['10.8.0.0/13 (tun0)']],
  ['10.16.0.0/16', []],
  ['172.17.0.0/16', []],
  ['192.168.0.0/16', []],
])('the routes that %s overlaps are all but the default one and the engine’s own', async (subnet, routes) => {
  expect(await overlapped(subnet)).toEqual(routes);
});

it('another machine’s routes, and those of a system without the table, can’t be seen', async () => {
  expect(await overlapped('10.0.0.0/8', { host: 'engine', port: 2375 })).toBeUndefined();
  const unreadable = () => Promise.reject(new Error('ENOENT'));
  const engine = engineAt({ socketPath: '/x.sock' });
  expect(await overlappedRoutes(engine, '10.0.0.0/8', signal, unreadable)).toBeUndefined();
});
