import { describe, expect, it } from 'vitest';
import { digestOf, isReference, parseReference } from '../../../src/executor/image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('parseReference', () => {
  it.each([
    ['ubuntu', 'docker.io', 'docker.io/library/ubuntu', 'ubuntu:latest'],
    ['pulumi/pulumi', 'docker.io', 'docker.io/pulumi/pulumi', 'pulumi/pulumi:latest'],
    [
      'docker.io/library/ubuntu:22.04',
      'docker.io',
      'docker.io/library/ubuntu',
      'docker.io/library/ubuntu:22.04',
    ],
    ['index.docker.io/ubuntu', 'docker.io', 'docker.io/library/ubuntu', 'index.docker.io/ubuntu:latest'],
    ['ghcr.io/acme/app', 'ghcr.io', 'ghcr.io/acme/app', 'ghcr.io/acme/app:latest'],
    ['127.0.0.1:5000/app', '127.0.0.1:5000', '127.0.0.1:5000/app', '127.0.0.1:5000/app:latest'],
    [`app@${digest}`, 'docker.io', 'docker.io/library/app', `app@${digest}`],
    [`ghcr.io/acme/app:1@${digest}`, 'ghcr.io', 'ghcr.io/acme/app', `ghcr.io/acme/app:1@${digest}`],
  ])('reads %s', (text, registry, repository, pullable) => {
    const tag = /:([^:/]+)$/.exec(text.split('@')[0] ?? '')?.[1];
    expect(parseReference(text)).toEqual({
      registry,
      repository,
      pullable,
      ...(tag !== undefined && { tag }),
      ...(text.includes('@') && { digest }),
    });
  });

  it('takes an upper-case first part for a registry, as newer engines do', () => {
    expect(parseReference('Foo/bar').registry).toBe('Foo');
  });
});

it('names, digests and IDs are references, but nothing that could escape or end a path', () => {
  for (const name of ['a', 'ghcr.io/acme/app_1-x:V1.0', `app@${digest}`, digest, 'localhost:5000/x'])
    expect(isReference(name)).toBe(true);
  for (const name of [
    '',
    '/x',
    '../x',
    'a/../b',
    'a b',
    'a?b',
    'a#b',
    'a%2f',
    'ä',
    'a\n',
    '-a',
    'x'.repeat(2000),
  ])
    expect(isReference(name)).toBe(false);
});

const other = `sha256:${'b'.repeat(64)}`;
const MIRRORED = [`mirror.example/pulumi/pulumi@${other}`, `pulumi/pulumi@${digest}`];

it.each([
  [
    "that of the reference's own repository",
    'docker.io/pulumi/pulumi:latest',
    MIRRORED,
    `pulumi/pulumi@${digest}`,
  ],
  ['that of a mirror', 'mirror.example/pulumi/pulumi', MIRRORED, `mirror.example/pulumi/pulumi@${other}`],
  ['the one that was asked for', `app@${digest}`, [`app@${other}`, `app@${digest}`], `app@${digest}`],
  ['its ID if no registry knows it', 'app:1', [], 'sha256:id'],
  ['its ID if only another registry knows it', 'app:1', [`elsewhere/app@${digest}`], 'sha256:id'],
])('the digest of an image is %s', (_, reference, repoDigests, expected) => {
  expect(digestOf(reference, { id: 'sha256:id', repoDigests })).toBe(expected);
});
