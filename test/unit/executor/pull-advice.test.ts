import { expect, it } from 'vitest';
import { pullRemedy } from '../../../src/executor/pull-advice.ts';

/** What Docker 20.10 and 29, containerd and kubelets say of a failed pull. */
it.each([
  ['deployment', 'manifest for acme/web:nope not found: manifest unknown: manifest unknown'],
  ['deployment', 'failed to resolve reference "docker.io/acme/web:nope": docker.io/acme/web:nope: not found'],
  ['deployment', "pull access denied for acme/web, repository does not exist or may require 'docker login'"],
  ['deployment', 'unauthorized: incorrect username or password'],
  ['deployment', 'no matching manifest for linux/arm64/v8 in the manifest list entries'],
  ['deployment', 'invalid reference format: repository name must be lowercase'],
  ['deployment', '"linux/x64": unknown operating system or architecture: invalid argument'],
  ['deployment', '"linux/a/b/c": cannot parse platform specifier: invalid argument'],
  ['deployment', 'unsupported media type application/vnd.oci.empty.v1+json'],
  ['elsewhere', 'toomanyrequests: You have reached your pull rate limit'],
  ['elsewhere', 'Get "https://r.example/v2/": dial tcp: lookup r.example: no such host'],
  ['elsewhere', 'Get "https://r.example/v2/": net/http: TLS handshake timeout'],
  ['elsewhere', 'received unexpected HTTP status: 503 Service Unavailable'],
  ['elsewhere', 'failed to register layer: write /usr/lib/x: no space left on device'],
  ['elsewhere', 'x509: certificate signed by unknown authority'],
  ['elsewhere', 'failed to extract layer sha256:1: input/output error'],
] as const)('%s is at fault for "%s"', (fault, text) => {
  expect(pullRemedy({ message: text }, { image: 'acme/web:nope' }).fault).toBe(fault);
  expect(pullRemedy({ message: text }, { image: 'acme/web:nope', by: 'job' }).fault).toBe(fault);
});

it.each([
  ['elsewhere', 'unauthorized: incorrect username or password'],
  ['elsewhere', 'denied: Your authorization token has expired. Reauthenticate and try again.'],
  ['elsewhere', 'no basic auth credentials'],
  ['deployment', 'denied: requested access to the resource is denied'],
] as const)('%s is at fault where the runner’s own login got "%s"', (fault, text) => {
  expect(pullRemedy({ message: text }, { image: 'acme/web:nope', by: 'runner' }).fault).toBe(fault);
});
