import { expect, it } from 'vitest';
import { gatewayOf } from '../../../demo/container-address.ts';

it.each([
  ['is given', [{ Subnet: '172.17.0.0/16', Gateway: '172.17.42.1' }], '172.17.42.1'],
  ['is left out', [{ Subnet: '172.17.0.0/16' }], '172.17.0.1'],
  ['of IPv4 is not the first', [{ Subnet: 'fd00::/64', Gateway: 'fd00::1' }, { Subnet: '10.0.0.0/24' }], '10.0.0.1'],
  ['is none', [], undefined],
])("finds a network's gateway where it %s", (_where, configuration, gateway) => {
  expect(gatewayOf(configuration)).toBe(gateway);
});
