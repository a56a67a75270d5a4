import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IMAGE_KEYS, imagePatternProblem, volumeProblem } from '../../src/config/keys/jobs.ts';
import { imagePolicy } from '../../src/executor/image-policy.ts';
import { AGENT_INPUTS } from '../../src/hosts/github/inputs.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/registries.md'), 'utf8');
const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const rows = (page.split('<!-- patterns -->')[1]?.split('<!-- /patterns -->')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').slice(1, 4).map(codes));

it('the page on registries has rows of patterns', () => {
  expect(rows.length).toBeGreaterThan(5);
});

it.each(rows)('the page on registries is right about %j', ([pattern = ''], taken = [], refused = []) => {
  const takes = (image: string) => {
    try {
      return imagePolicy({ allowed: [pattern], requireDigest: false })?.check(image) !== undefined;
    } catch {
      return false;
    }
  };
  expect(imagePatternProblem(pattern)).toBeUndefined();
  expect([taken.length, refused.length].every((count) => count > 0)).toBe(true);
  expect(taken.filter((image) => !takes(image))).toEqual([]);
  expect(refused.filter(takes)).toEqual([]);
});

it('the page on registries quotes the refusal as it is', () => {
  const quoted = page.replaceAll('\n> ', ' ');
  expect(() =>
    imagePolicy({ allowed: ['pulumi/*'], requireDigest: false })?.check('evil.example.com/pulumi/pulumi'),
  ).toThrow(expect.objectContaining({ message: expect.toSatisfy((message: string) => quoted.includes(message)) }));
});

it('the page on registries names every setting, each an input with dashes', () => {
  for (const key of Object.keys(IMAGE_KEYS)) {
    expect(page).toContain(key);
    expect(Object.entries(AGENT_INPUTS)).toContainEqual([key.replaceAll('_', '-'), key]);
  }
});

it('the page on registries names volumes that can be had', () => {
  const volumes = codes(page.replaceAll(/```[\s\S]*?```/g, '')).filter((code) => /^[\w-]+=\/\S+$/.test(code));
  const inYaml = [...page.matchAll(/^cache_volume: (\S+)$/gm)].map(([, volume = '']) => volume);
  expect([...volumes, ...inYaml].length).toBeGreaterThan(1);
  for (const volume of [...volumes, ...inYaml]) expect(volumeProblem(volume), volume).toBeUndefined();
});
