import { expect, it } from 'vitest';
import { readMemory } from '../../../../src/executor/container/memory.ts';
import { readStats } from '../../../../src/executor/docker/container/memory.ts';

const MIB = 2 ** 20;

it.each([
  [
    'cgroup v1, where child groups count',
    { usage: 90 * MIB, stats: { inactive_file: MIB, total_inactive_file: 30 * MIB } },
    60 * MIB,
  ],
  ['cgroup v2', { usage: 90 * MIB, stats: { active_file: 9 * MIB, inactive_file: 20 * MIB } }, 70 * MIB],
  ['a moment when more was dropped than is left', { usage: MIB, stats: { inactive_file: 2 * MIB } }, 0],
  ['Podman', { usage: 90 * MIB, stats: null }, undefined],
  ['a container that has ended', {}, undefined],
])('the engine tells the working set: %s', (_, stats, expected) => {
  expect(readStats({ memory_stats: stats })).toBe(expected);
});

it.each([
  ['94371840 20971520', 70 * MIB],
  ['no', undefined],
  ['94371840 ', undefined],
])('a pod answers %j', (answer, expected) => {
  expect(readMemory(answer)).toBe(expected);
});
