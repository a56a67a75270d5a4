import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { freePort } from '../../../src/pulumi-agent/agent-health.ts';

it('a port for the agent is never one that this machine gives to outgoing connections', async () => {
  const [first, last] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .split(/\s+/)
    .map(Number);
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(ports.filter((port) => port >= first! && port <= last!)).toEqual([]);
});
