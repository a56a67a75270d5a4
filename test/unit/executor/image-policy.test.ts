import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullName, ImageNotAllowedError, imagePolicy } from '../../../src/executor/image-policy.ts';
import { parseReference } from '../../../src/executor/reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const other = `sha256:${'b'.repeat(64)}`;

function allows(patterns: readonly string[] | string, image: string, requireDigest = false): boolean {
  try {
    imagePolicy({ allowed: [patterns].flat(), requireDigest })?.check(image);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ImageNotAllowedError);
    return false;
  }
}

describe('a pattern', () => {
  it.each<[pattern: string, taken: string[], refused: string[]]>([
    [
      'pulumi/pulumi',
      ['pulumi/pulumi', 'pulumi/pulumi:3.1', 'docker.io/pulumi/pulumi', 'index.docker.io/pulumi/pulumi:latest'],
      [
        'evil.com/pulumi/pulumi',
        'evil.com:5000/pulumi/pulumi',
        'pulumi/pulumi-go',
        'pulumi',
        'x/pulumi/pulumi',
        'localhost/pulumi/pulumi',
      ],
    ],
    [
      'pulumi/*',
      ['pulumi/pulumi', 'pulumi/pulumi-nodejs:3', `pulumi/pulumi@${digest}`, `pulumi/pulumi:3@${digest}`],
      ['pulumi/a/b', 'evil.com/pulumi/pulumi', 'pulumi', 'Pulumi/pulumi', 'pulumi/Pulumi', 'pulumi.evil.com/pulumi'],
    ],
    [
      '*',
      ['ubuntu', 'docker.io/library/ubuntu:22.04', 'library/ubuntu'],
      ['acme/ubuntu', 'ghcr.io/ubuntu', 'docker.io/acme/ubuntu'],
    ],
    [
      'ubuntu',
      ['ubuntu', 'docker.io/library/ubuntu', 'library/ubuntu'],
      ['acme/ubuntu', 'docker.io/acme/library/ubuntu'],
    ],
    [
      '**',
      ['ubuntu', 'acme/app', 'docker.io/a/b/c'],
      ['ghcr.io/acme/app', 'localhost/app', 'FOO/app', '127.0.0.1:5000/app'],
    ],
    ['docker.io/**', ['ubuntu', 'acme/app', 'a/b/c:1'], ['ghcr.io/acme/app', 'registry-1.docker.io/acme/app']],
    [
      'docker.io/library/*',
      ['ubuntu', 'index.docker.io/ubuntu'],
      ['acme/ubuntu', 'evil.com/docker.io/library/ubuntu', 'evil.com/library/ubuntu'],
    ],
    ['*/*', ['acme/app'], ['evil.com/app', 'localhost/app', 'acme/team/app']],
    [
      'ghcr.io/acme/**',
      ['ghcr.io/acme/app', 'ghcr.io/acme/team/app:1'],
      [
        'ghcr.io/acme',
        'ghcr.io/acme-evil/app',
        'ghcr.io:443/acme/app',
        'xghcr.io/acme/app',
        'ghcr.io.evil.com/acme/app',
      ],
    ],
    ['ghcr.io/**/app', ['ghcr.io/a/app', 'ghcr.io/a/b/c/app'], ['ghcr.io/app', 'ghcr.io/a/app/b']],
    ['ghcr.io/**/x/**/app', ['ghcr.io/a/x/b/app', 'ghcr.io/x/x/x/x/app'], ['ghcr.io/x/x/app', 'ghcr.io/a/b/app']],
    [
      '*.example.com/app',
      ['a.example.com/app'],
      [
        'example.com/app',
        'a.b.example.com/app',
        'a.example.com:5000/app',
        'evil.com/a.example.com/app',
        'a.example.com.evil.com/app',
      ],
    ],
    [
      '*.dkr.ecr.eu-west-1.amazonaws.com/*',
      ['123.dkr.ecr.eu-west-1.amazonaws.com/app:1'],
      ['evil.com/dkr.ecr.eu-west-1.amazonaws.com/app', '123.dkr.ecr.eu-west-1.amazonaws.com.evil.com/app'],
    ],
    ['127.0.0.1:5000/app', ['127.0.0.1:5000/app:1'], ['127.0.0.1:5001/app', '127.0.0.1/app', '127.0.0.1.5000/app']],
    ['registry:*/app', ['registry:5000/app'], ['registry/app', 'registry.x/app', 'registry:port/app']],
    ['localhost/app', ['localhost/app'], ['app', 'library/app', 'localhost:5000/app']],
    [
      'app:1.*',
      ['app:1.0', 'docker.io/library/app:1.22'],
      ['app', 'app:2.1.0', 'app:1', `app:1.0@${digest}`, `app@${digest}`],
    ],
    ['app:latest', ['app', 'app:latest'], ['app:1', `app:latest@${digest}`, 'app:LATEST']],
    ['app:V1', ['app:V1'], ['app:v1']],
    [`app@${digest}`, [`app@${digest}`, `app:1@${digest}`], ['app', `app@${other}`, `evil.com/app@${digest}`]],
    [
      'acme/*@sha256:*',
      [`acme/app@${digest}`, `acme/app:1@${other}`],
      ['acme/app', 'acme/app:1', `acme/app@sha512:${'a'.repeat(128)}`, 'acme/app@sha256:a'],
    ],
    ['a*b*c/x', ['abc/x', 'aXbXc/x'.toLowerCase(), 'abbcc/x', 'abcbc/x'], ['abcb/x', 'ab/x']],
  ])('%s', (pattern, taken, refused) => {
    expect(taken.filter((image) => !allows(pattern, image))).toEqual([]);
    expect(refused.filter((image) => allows(pattern, image))).toEqual([]);
  });

  it('is one of several', () => {
    expect(allows(['pulumi/*', 'ghcr.io/acme/*'], 'ghcr.io/acme/app')).toBe(true);
    expect(allows(['pulumi/*', 'ghcr.io/acme/*'], 'acme/app')).toBe(false);
  });

  it.each([
    'FOO/app',
    'GHCR.IO/acme/app',
    'ghcr.io/Acme/app',
    'DOCKER.IO/app',
    'a//b',
    '/app',
    'app/',
    'a:b/c',
    'app:',
    'app:-1',
    'app@x',
    'app@',
    '-a/b',
    '..',
    'a/../b',
    'a b',
    'é',
    '',
    'a.b',
    'evil.com',
    'x_.y/z',
  ])('takes no name that only some engines read: %j', (image) => {
    const names = ['a.b', 'evil.com'];
    // Without a slash it is a name on Docker Hub for all of them.
    expect(allows(['**', '*.*/**', '*.io/**'], image)).toBe(names.includes(image));
    expect(allows('evil.*/**', image)).toBe(false);
  });
});

describe('the name that is judged', () => {
  const full = (image: string) => imagePolicy({ allowed: ['**', '*.*/**'], requireDigest: false })?.check(image);

  it.each([
    ['ubuntu', 'docker.io/library/ubuntu:latest'],
    ['pulumi/pulumi:3', 'docker.io/pulumi/pulumi:3'],
    [`ghcr.io/acme/app:1@${digest}`, `ghcr.io/acme/app@${digest}`],
    // What an engine would take for an image's ID is the name of a repository.
    ['76f8f7c56ad7', 'docker.io/library/76f8f7c56ad7:latest'],
    [digest, `docker.io/library/${digest}`],
    ['index.docker.io/ubuntu', 'docker.io/library/ubuntu:latest'],
  ])('of %s is %s', (image, name) => {
    expect(full(image)).toBe(name);
    expect(full(name)).toBe(name);
  });
});

describe('require_digest', () => {
  it('takes a digest alone', () => {
    expect(allows([], `acme/app@${digest}`, true)).toBe(true);
    expect(allows([], `acme/app:1@${digest}`, true)).toBe(true);
    expect(
      [`acme/app`, 'acme/app:1', digest, `acme/app@${digest}0`, 'acme/app@sha256:abc'].filter((image) =>
        allows([], image, true),
      ),
    ).toEqual([]);
  });

  it('goes with patterns', () => {
    expect(allows('acme/*', `acme/app@${digest}`, true)).toBe(true);
    expect(allows('acme/*', 'acme/app', true)).toBe(false);
    expect(allows('acme/*', `other/app@${digest}`, true)).toBe(false);
  });
});

describe('a refusal', () => {
  it('says what is wrong and what to do', () => {
    const check = (allowed: string[], requireDigest: boolean, image: string) => () =>
      imagePolicy({ allowed, requireDigest })?.check(image);
    expect(check(['pulumi/*'], false, 'evil.com/pulumi/pulumi')).toThrow(
      'Failed to use the image for the job: image evil.com/pulumi/pulumi is not allowed: no pattern of allowed_images (pulumi/*) takes evil.com/pulumi/pulumi:latest. Choose another image in the deployment settings or the key image, or have a pattern added.',
    );
    expect(check([], true, 'pulumi/pulumi:3')).toThrow(
      'Failed to use the image for the job: image pulumi/pulumi:3 is not allowed: require_digest wants it named by its digest. Name it as pulumi/pulumi@sha256:…, in the deployment settings or the key image.',
    );
    expect(check(['**'], false, 'Pulumi/pulumi')).toThrow(
      'image Pulumi/pulumi is not allowed: its name is not written as registries have it. Write it in lower case,',
    );
  });

  it('ends a run as target-error', () => {
    const policy = imagePolicy({ allowed: ['x'], requireDigest: false });
    expect(() => policy?.check('y')).toThrow(expect.objectContaining({ outcome: 'target-error' }));
  });
});

it('there is none where nothing is ruled', () => {
  expect(imagePolicy({ allowed: [], requireDigest: false })).toBeUndefined();
});

describe('whatever the names are', () => {
  const component = fc.stringMatching(/^[a-z0-9]{1,4}([._-][a-z0-9]{1,3})?$/);
  const path = fc.array(component, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const registry = fc.stringMatching(/^[a-z0-9]{1,4}(\.[a-z0-9]{1,4}){1,2}(:[0-9]{2,4})?$/);
  const version = fc.oneof(
    fc.constant(''),
    fc.stringMatching(/^:[a-z0-9][a-z0-9._-]{0,4}$/),
    fc.stringMatching(/^@sha256:[0-9a-f]{64}$/),
  );
  const image = fc
    .tuple(registry, path, version)
    .map((parts) => ({ registry: parts[0], path: parts[1], version: parts[2] }));
  const written = ({ registry: host, path: rest, version: end }: { registry: string; path: string; version: string }) =>
    `${host}/${rest}${end}`;
  /** Replaces some characters by wildcards; dots, colons, slashes and the @ stay. */
  const loosened = (text: string, chosen: readonly number[]) =>
    text
      .replace(/[a-z0-9]/g, (character, index: number) => (chosen[index % chosen.length] === 0 ? '*' : character))
      // Two of them are another wildcard.
      .replace(/\*+/g, '*');
  const choices = fc.array(fc.nat(2), { minLength: 1, maxLength: 12 });

  it('a name is its own pattern, also with wildcards in it', () => {
    fc.assert(
      fc.property(image, choices, (given, chosen) => {
        expect(allows(`${given.registry}/${given.path}`, written(given))).toBe(true);
        const version = given.version.startsWith('@') ? '@sha256:*' : given.version;
        expect(allows(`${loosened(`${given.registry}/${given.path}`, chosen)}${version}`, written(given))).toBe(true);
      }),
    );
  });

  it('a pattern takes nothing of another registry, whatever stands before or behind', () => {
    fc.assert(
      fc.property(image, choices, registry, component, (given, chosen, evil, extra) => {
        const pattern = loosened(given.path, chosen);
        const hub = [`docker.io/${pattern}`, `docker.io/**`, '**'];
        for (const name of [
          `${evil}/${given.path}`,
          `${evil}/${given.registry}/${given.path}`,
          `${evil}/docker.io/${given.path}`,
        ])
          expect(allows(hub, name)).toBe(false);
        const own = `${given.registry}/${pattern}`;
        const longer = [
          `${extra}.${given.registry}/${given.path}`,
          `${given.registry}${extra}.com/${given.path}`,
          `${given.registry.replace(/:.*/, '')}:1/${given.path}`,
        ];
        for (const name of longer) expect(allows(own, name)).toBe(false);
        expect(allows(own, `${given.registry}/${given.path}/${extra}`)).toBe(false);
        expect(allows(own, `${given.registry}/${extra}/${given.path}`)).toBe(false);
      }),
    );
  });

  it('matches as a slow regular expression per part does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 8 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 6 });
    const paths = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(
        paths(fc.oneof({ arbitrary: patterns, weight: 3 }, fc.constant('**'))),
        paths(letters),
        (pattern, parts) => {
          const wanted = pattern.map((part) =>
            part.includes('**') ? (part === '**' ? part : part.replaceAll(/\*+/g, '*')) : part,
          );
          const expression = wanted
            .map((part) =>
              part === '**' ? '[ab]+(/[ab]+)*' : part.replaceAll('*', '[ab]*').replace(/^\[ab\]\*$/, '[ab]+'),
            )
            .join('/');
          expect(allows(`r.io/${wanted.join('/')}`, `r.io/${parts.join('/')}`)).toBe(
            new RegExp(`^${expression}$`).test(parts.join('/')),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('answers long ones at once', () => {
    const name = `r.io/${'a'.repeat(1000)}`;
    const started = process.cpuUsage();
    expect(allows(`r.io/${'*a'.repeat(200)}*b`, name)).toBe(false);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
  });

  it('the full name is read as the short one is', () => {
    fc.assert(
      fc.property(image, (given) => {
        const reference = parseReference(written(given));
        expect(parseReference(fullName(reference)).repository).toBe(reference.repository);
      }),
    );
  });
});
