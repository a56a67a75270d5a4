import { describe, expect, it } from 'vitest';
import { digestOf, isReference, parseReference } from '../../../src/executor/reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('parseReference', () => {
  it.each([
    ['ubuntu', 'docker.io', 'docker.io/library/ubuntu', 'ubuntu:latest'],
    ['pulumi/pulumi', 'docker.io', 'docker.io/pulumi/pulumi', 'pulumi/pulumi:latest'],
    ['docker.io/library/ubuntu:22.04', 'docker.io', 'docker.io/library/ubuntu', 'docker.io/library/ubuntu:22.04'],
    ['index.docker.io/ubuntu', 'docker.io', 'docker.io/library/ubuntu', 'index.docker.io/ubuntu:latest'],
    ['ghcr.io/acme/app', 'ghcr.io', 'ghcr.io/acme/app', 'ghcr.io/acme/app:latest'],
    ['127.0.0.1:5000/app', '127.0.0.1:5000', '127.0.0.1:5000/app', '127.0.0.1:5000/app:latest'],
    [`app@${digest}`, 'docker.io', 'docker.io/library/app', `app@${digest}`],
    [`ghcr.io/acme/app:1@${digest}`, 'ghcr.io', 'ghcr.io/acme/app', `ghcr.io/acme/app:1@${digest}`],
  ])('%s', (text, registry, repository, pullable) => {
    const tag = /:([^:/]+)$/.exec(text.split('@')[0] ?? '')?.[1];
    expect(parseReference(text)).toEqual({
      registry,
      repository,
      pullable,
      ...(tag !== undefined && { tag }),
      ...(text.includes('@') && { digest }),
    });
  });

  it('takes upper case at the front for a registry, as newer engines do', () => {
    expect(parseReference('Foo/bar').registry).toBe('Foo');
  });
});

describe('isReference', () => {
  it('takes names, digests and IDs', () => {
    for (const name of ['a', 'ghcr.io/acme/app_1-x:V1.0', `app@${digest}`, digest, 'localhost:5000/x'])
      expect(isReference(name)).toBe(true);
  });

  it('takes nothing that would climb or end a path', () => {
    for (const name of ['', '/x', '../x', 'a/../b', 'a b', 'a?b', 'a#b', 'a%2f', 'ä', 'a\n', '-a', 'x'.repeat(2000)]) {
      expect(isReference(name)).toBe(false);
    }
  });
});

describe('digestOf', () => {
  const other = `sha256:${'b'.repeat(64)}`;

  it("takes the entry of the reference's own repository", () => {
    const repoDigests = [`mirror.example/pulumi/pulumi@${other}`, `pulumi/pulumi@${digest}`];
    expect(digestOf('docker.io/pulumi/pulumi:latest', { id: 'sha256:id', repoDigests })).toBe(
      `pulumi/pulumi@${digest}`,
    );
    expect(digestOf('mirror.example/pulumi/pulumi', { id: 'sha256:id', repoDigests })).toBe(
      `mirror.example/pulumi/pulumi@${other}`,
    );
  });

  it('takes the digest that was asked for, when there are several', () => {
    const repoDigests = [`app@${other}`, `app@${digest}`];
    expect(digestOf(`app@${digest}`, { id: 'sha256:id', repoDigests })).toBe(`app@${digest}`);
  });

  it('takes the ID of an image that no registry knows', () => {
    expect(digestOf('app:1', { id: 'sha256:id', repoDigests: [] })).toBe('sha256:id');
    expect(digestOf('app:1', { id: 'sha256:id', repoDigests: [`elsewhere/app@${digest}`] })).toBe('sha256:id');
  });
});
