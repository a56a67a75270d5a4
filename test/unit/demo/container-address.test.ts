import { expect, it } from 'vitest';
import { gatewayOf } from '../../../demo/container-address.ts';

it.each([
  ['is the one that is given', [{ Subnet: '172.17.0.0/16', Gateway: '172.17.42.1' }], '172.17.42.1'],
  ['is the first address if none is given', [{ Subnet: '172.17.0.0/16' }], '172.17.0.1'],
  [
    'is found if IPv4 does not come first',
    [{ Subnet: 'fd00::/64', Gateway: 'fd00::1' }, { Subnet: '10.0.0.0/24' }],
    '10.0.0.1',
  ],
  ['is undefined without a subnet', [], undefined],
])('a network’s gateway %s', (_where, configuration, gateway) => {
  expect(gatewayOf(configuration)).toBe(gateway);
});
