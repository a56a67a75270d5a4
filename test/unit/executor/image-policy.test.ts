import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImageNotAllowedError, imagePolicy } from '../../../src/executor/image-policy.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const other = `sha256:${'b'.repeat(64)}`;

function allows(patterns: readonly string[] | string, image: string, requireDigest = false): boolean {
  try {
    imagePolicy({ allowedImages: [patterns].flat(), requireDigest })?.(image);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ImageNotAllowedError);
    return false;
  }
}

describe('a pattern', () => {
  it.each<[pattern: string, taken: string[], refused: string[]]>([
    [
      'pulumi/*',
      [
        'pulumi/pulumi',
        'pulumi/pulumi-nodejs:3',
        'index.docker.io/pulumi/pulumi',
        `pulumi/pulumi:3@${digest}`,
      ],
      ['pulumi/a/b', 'evil.com/pulumi/pulumi', 'pulumi', 'Pulumi/pulumi', 'pulumi.evil.com/pulumi'],
    ],
    [
      '*',
      ['ubuntu', 'docker.io/library/ubuntu:22.04'],
      ['acme/ubuntu', 'ghcr.io/ubuntu', 'docker.io/acme/ubuntu'],
    ],
    ['ubuntu', ['ubuntu', 'library/ubuntu'], ['acme/ubuntu', 'docker.io/acme/library/ubuntu']],
    [
      '**',
      ['ubuntu', 'acme/app', 'docker.io/a/b/c'],
      ['ghcr.io/acme/app', 'localhost/app', '127.0.0.1:5000/app'],
    ],
    [
      'ghcr.io/acme/**',
      ['ghcr.io/acme/app', 'ghcr.io/acme/team/app:1'],
      ['ghcr.io/acme', 'ghcr.io/acme-evil/app', 'ghcr.io:443/acme/app', 'ghcr.io.evil.com/acme/app'],
    ],
    [
      'ghcr.io/**/x/**/app',
      ['ghcr.io/a/x/b/app', 'ghcr.io/x/x/x/x/app'],
      ['ghcr.io/x/x/app', 'ghcr.io/a/b/app'],
    ],
    [
      '*.example.com/app',
      ['a.example.com/app'],
      ['example.com/app', 'a.b.example.com/app', 'a.example.com:5000/app', 'a.example.com.evil.com/app'],
    ],
    [
      '127.0.0.1:5000/app',
      ['127.0.0.1:5000/app:1'],
      ['127.0.0.1:5001/app', '127.0.0.1/app', '127.0.0.1.5000/app'],
    ],
    ['registry:*/app', ['registry:5000/app'], ['registry/app', 'registry.x/app', 'registry:port/app']],
    ['app:1.*', ['app:1.0', 'docker.io/library/app:1.22'], ['app', 'app:2.1.0', `app:1.0@${digest}`]],
    ['app:latest', ['app', 'app:latest'], ['app:1', `app:latest@${digest}`, 'app:LATEST']],
    [
      `app@${digest}`,
      [`app@${digest}`, `app:1@${digest}`],
      ['app', `app@${other}`, `evil.com/app@${digest}`],
    ],
    ['acme/*@sha256:*', [`acme/app@${digest}`, `acme/app:1@${other}`], ['acme/app:1', 'acme/app@sha256:a']],
    ['a*b*c/x', ['abc/x', 'abbcc/x', 'abcbc/x'], ['abcb/x', 'ab/x']],
  ])('takes and refuses the right images: %s', (pattern, taken, refused) => {
    expect(taken.filter((image) => !allows(pattern, image))).toEqual([]);
    expect(refused.filter((image) => allows(pattern, image))).toEqual([]);
  });

  it('with many wildcards is matched quickly against a long name or many components', () => {
    const [path, wild] = ['a/'.repeat(100), '**/'.repeat(9)];
    const started = process.cpuUsage();
    expect(allows(`ghcr.io/${wild}b`, `ghcr.io/${path}a`)).toBe(false);
    expect(allows(`ghcr.io/${wild}b`, `ghcr.io/${path}b`)).toBe(true);
    expect(allows(`r.io/${'*a'.repeat(200)}*b`, `r.io/${'a'.repeat(1000)}`)).toBe(false);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
  });

  it('matches no name that only some engines accept', () => {
    const names = [
      'FOO/app',
      'ghcr.io/Acme/app',
      'a//b',
      '/app',
      'app/',
      'a:b/c',
      'app:',
      'app@x',
      '-a/b',
      'a/../b',
    ];
    for (const image of [...names, 'a b', 'é', '', 'x_.y/z'])
      expect(allows(['**', '*.*/**', '*.io/**'], image), image).toBe(false);
  });
});

it('the policy judges the full name, which can’t be mistaken for an image’s ID', () => {
  const policy = imagePolicy({ allowedImages: ['**', '*.*/**'], requireDigest: false });
  for (const [image, name] of [
    ['ubuntu', 'docker.io/library/ubuntu:latest'],
    ['index.docker.io/pulumi/pulumi:3', 'docker.io/pulumi/pulumi:3'],
    [`ghcr.io/acme/app:1@${digest}`, `ghcr.io/acme/app@${digest}`],
    ['76f8f7c56ad7', 'docker.io/library/76f8f7c56ad7:latest'],
    [digest, `docker.io/library/${digest}`],
  ] as const)
    expect([policy?.(image), policy?.(name)]).toEqual([name, name]);
});

it('require_digest accepts only a digest, and combines with patterns', () => {
  expect(allows([], `acme/app:1@${digest}`, true)).toBe(true);
  for (const image of ['acme/app', 'acme/app:1', digest, `acme/app@${digest}0`])
    expect(allows([], image, true)).toBe(false);
  expect(allows(['pulumi/*', 'acme/*'], `acme/app@${digest}`, true)).toBe(true);
  expect(allows('acme/*', `other/app@${digest}`, true)).toBe(false);
});

it('a refusal says what is wrong and what to do, and ends a run as target-error', () => {
  const check = (allowed: string[], requireDigest: boolean, image: string) => () =>
    imagePolicy({ allowedImages: allowed, requireDigest })?.(image);
  expect(check(['pulumi/*'], false, 'evil.com/pulumi/pulumi')).toThrow(
    'Failed to use the image for the job: image evil.com/pulumi/pulumi is not allowed: no pattern of allowed_images (pulumi/*) matches evil.com/pulumi/pulumi:latest. Choose another image in the deployment settings or the key image, or add a pattern.',
  );
  expect(check([], true, 'pulumi/pulumi:3')).toThrow(
    'require_digest requires its digest. Name it as pulumi/pulumi@sha256:…, in the deployment settings or the key image.',
  );
  expect(check(['**'], false, 'Pulumi/pulumi')).toThrow('its name is not in the form that registries use.');
  expect(check(['x'], false, 'y')).toThrow(
    expect.objectContaining({ outcome: 'target-error', code: 'PRA-IMAGE-01' }),
  );
});

it('there is no policy without rules', () => {
  expect(imagePolicy({ allowedImages: [], requireDigest: false })).toBeUndefined();
});

describe('whatever the names are', () => {
  const component = fc.stringMatching(/^[a-z0-9]{1,4}([._-][a-z0-9]{1,3})?$/);
  const path = fc.array(component, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const registry = fc.stringMatching(/^[a-z0-9]{1,4}(\.[a-z0-9]{1,4}){1,2}(:[0-9]{2,4})?$/);
  const image = fc.record({ registry, path });
  /** Replaces some characters with wildcards; dots, colons and slashes stay. */
  const loosened = (text: string, chosen: readonly number[]) =>
    text
      .replace(/[a-z0-9]/g, (character, index: number) =>
        chosen[index % chosen.length] === 0 ? '*' : character,
      )
      // `**` is another wildcard.
      .replace(/\*+/g, '*');
  const choices = fc.array(fc.nat(2), { minLength: 1, maxLength: 12 });

  it('a pattern matches nothing from another registry, whatever comes before or after', () => {
    fc.assert(
      fc.property(image, choices, registry, component, (given, chosen, evil, extra) => {
        const pattern = loosened(given.path, chosen);
        for (const name of [given.path, `${given.registry}/${given.path}`, `docker.io/${given.path}`])
          expect(allows([`docker.io/${pattern}`, 'docker.io/**', '**'], `${evil}/${name}`)).toBe(false);
        for (const name of [
          `${extra}.${given.registry}/${given.path}`,
          `${given.registry}${extra}.com/${given.path}`,
          `${given.registry.replace(/:.*/, '')}:1/${given.path}`,
          `${given.registry}/${given.path}/${extra}`,
          `${given.registry}/${extra}/${given.path}`,
        ])
          expect(allows(`${given.registry}/${pattern}`, name)).toBe(false);
      }),
    );
  });
});
