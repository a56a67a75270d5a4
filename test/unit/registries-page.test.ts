import { expect, it } from 'vitest';
import { IMAGE_KEYS, volumeProblem } from '../../src/config/keys/jobs.ts';
import { imagePolicy } from '../../src/executor/image-policy.ts';
import { codesOf, manifestOf, read, tableOf } from '../support/documents/pages.ts';

const page = read('docs/registries.md');

function takes(pattern: string, image: string): boolean {
  try {
    return imagePolicy({ allowed: [pattern], requireDigest: false })?.check(image) !== undefined;
  } catch {
    return false;
  }
}

it('the page on registries is right about patterns, the refusal, the settings and volumes', () => {
  const rows = tableOf(page, 'patterns').map((row) => row.map(codesOf));
  expect(rows.length).toBeGreaterThan(5);
  for (const [[pattern = ''] = [], taken = [], refused = []] of rows) {
    expect([taken.length > 0, refused.length > 0]).toEqual([true, true]);
    expect(taken.filter((image) => !takes(pattern, image))).toEqual([]);
    expect(refused.filter((image) => takes(pattern, image))).toEqual([]);
  }
  const quoted = page.replaceAll('\n> ', ' ');
  expect(() =>
    imagePolicy({ allowed: ['pulumi/*'], requireDigest: false })?.check('evil.example.com/pulumi/pulumi'),
  ).toThrow(expect.objectContaining({ message: expect.toSatisfy((message: string) => quoted.includes(message)) }));
  for (const key of Object.keys(IMAGE_KEYS)) {
    expect(page).toContain(key);
    expect(manifestOf('.').inputs).toHaveProperty(key.replaceAll('_', '-'));
  }
  const volumes = codesOf(page.replaceAll(/```[\s\S]*?```/g, '')).filter((code) => /^[\w-]+=\/\S+$/.test(code));
  const inYaml = [...page.matchAll(/^cache_volume: (\S+)$/gm)].map(([, volume = '']) => volume);
  expect([...volumes, ...inYaml].length).toBeGreaterThan(1);
  expect([...volumes, ...inYaml].filter((volume) => volumeProblem(volume) !== undefined)).toEqual([]);
});
