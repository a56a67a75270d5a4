import { describe, expect, it } from 'vitest';
import { mayPass, pullAdvice } from '../../../src/executor/docker/image/pull-advice.ts';

/** What engines from 20.10 to 28 and registries were seen to say. */
const TEXTS: readonly [text: string, advice: RegExp][] = [
  ['invalid reference format: repository name must be lowercase', /not a valid image name/],
  ['no matching manifest for linux/arm64/v8 in the manifest list entries', /Use an image built for linux\/amd64/],
  [
    'image with reference app was found but its platform (linux/arm64) does not match the specified platform (linux/amd64)',
    /Use an image built/,
  ],
  ['toomanyrequests: You have reached your pull rate limit', /limits how often/],
  ['Head "https://r/v2/x/manifests/1": no basic auth credentials', /give credentials/],
  ['Head "https://r/v2/x/manifests/1": unauthorized: incorrect username or password', /give credentials/],
  [
    "pull access denied for acme/none, repository does not exist or may require 'docker login': denied",
    /give credentials/,
  ],
  ['error parsing HTTP 403 response body: unexpected end of JSON input: ""', /give credentials/],
  ['manifest for app:2 not found: manifest unknown: manifest unknown', /no such image/],
  ['Get "https://r/v2/": x509: certificate signed by unknown authority', /trust the registry/],
  ['Get "https://r:5000/v2/": http: server gave HTTP response to HTTPS client', /trust the registry/],
  ['failed to register layer: write /usr/lib/x: no space left on device', /Free disk space/],
  ['Get "https://r/v2/": dial tcp: lookup r on 127.0.0.11:53: no such host', /reaches the registry/],
  ['Get "https://r/v2/": net/http: TLS handshake timeout', /reaches the registry/],
  ['received unexpected HTTP status: 503 Service Unavailable', /reaches the registry/],
  ['unexpected EOF', /reaches the registry/],
  ['filesystem layer verification failed for digest sha256:1', /docker pull/],
];

describe('pullAdvice', () => {
  it.each(TEXTS)('%s', (text, advice) => {
    expect(pullAdvice(text, { image: 'app:2', platform: 'linux/amd64' })).toMatch(advice);
  });

  it.each([
    ['job', 'that the credentials in the deployment settings may read it'],
    ['runner', "that the credentials of the runner's Docker configuration may read it"],
  ] as const)('knows whose credentials were given: the %s’s', (by, advice) => {
    expect(pullAdvice('unauthorized', { image: 'app', by })).toContain(advice);
  });
});

describe('mayPass', () => {
  it.each([
    ['toomanyrequests: You have reached your pull rate limit', true],
    ['received unexpected HTTP status: 503 Service Unavailable', true],
    ['received unexpected HTTP status: 500 Internal Server Error', true],
    ['Get "https://r/v2/": dial tcp 10.0.0.1:443: connect: connection refused', true],
    ['unexpected EOF', true],
    ['Head "https://r/v2/x/manifests/1": no basic auth credentials', false],
    ['manifest for app:2 not found: manifest unknown: manifest unknown', false],
    ['no matching manifest for linux/arm64/v8 in the manifest list entries', false],
    ['failed to register layer: write /usr/lib/x: no space left on device', false],
    ['Get "https://r/v2/": x509: certificate signed by unknown authority', false],
    ['Get "https://r/v2/": dial tcp: lookup r on 127.0.0.11:53: no such host', true],
  ])('%s: %s', (text, passes) => {
    expect(mayPass(text)).toBe(passes);
  });
});
