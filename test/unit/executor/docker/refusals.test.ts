import { describe, expect, it } from 'vitest';
import { networkAdvice } from '../../../../src/executor/docker/container/network.ts';
import {
  isOfImage,
  isTakenAway,
  startAdvice,
} from '../../../../src/executor/docker/container/start-advice.ts';
import { EngineRefusedError } from '../../../../src/executor/docker/engine/errors.ts';
import { pullRemedy } from '../../../../src/executor/pull-advice.ts';

/**
 * Engines' messages, as they were seen with a scripted registry and on a full disk: Docker 20.10,
 * Docker 29 with its classic store (c) and with the containerd store (s), Podman 4.3 (p). Those of 28
 * are the same in its source. `reports` are from public issues.
 */
const HOST = '127.0.0.1:5000';
const IMAGE = `${HOST}/acme/app:1`;
const RESOLVE = `failed to resolve reference "${IMAGE}":`;
const HEAD = `unexpected status from HEAD request to http://${HOST}/v2/acme/app/manifests/1:`;
const INITIALIZE = `initializing source docker://${IMAGE}: reading manifest 1 in ${HOST}/acme/app:`;
const BLOB = `http://${HOST}/v2/acme/app/blobs/sha256:401403404429500502503504a4e2ef1e3fa3de9c591b278e7350c5bacd439b27`;
const PAGE = (status: string) =>
  `<html> <head><title>${status}</title></head> <body> <center><h1>${status}</h1></center> <hr><center>nginx</center> </body> </html>`;

const LIMIT = "The registry's rate limit is reached";
const AWAY = 'Check that the engine reaches the registry';
const ACCESS = "Check the image's name; if it is private, set credentials";
const MISSING = 'the registry has no such image';
const PLATFORM = 'Use an image built for linux/amd64';
const NO_PLATFORM = 'Correct the platform that the deployment asks for.';
const SPECIFIER = 'platform specifier component must match "^[A-Za-z0-9_-]+$": invalid argument';
const TRUST = 'Make the engine trust the registry';
const SPACE = "Free disk space for the engine's images";
const REMOVED = 'Another program removed content while it was pulled';
const UNCODED = "See the registry's status, or try again later";
const PART = 'The registry lacks a part of the image';
const OTHER = '`docker pull` shows the same error';

type Row = readonly [seen: string, text: string, advice: string, status?: number];

const PASSING: readonly Row[] = [
  [
    '20.10, c',
    'toomanyrequests: You have reached your pull rate limit. You may increase the limit by …',
    LIMIT,
  ],
  ['20.10', 'toomanyrequests: Rate exceeded', LIMIT],
  ['20.10, c', 'unknown: Rate exceeded', LIMIT],
  [
    '20.10',
    `error parsing HTTP 429 response body: invalid character '<' looking for beginning of value: "${PAGE('denied')}"`,
    LIMIT,
  ],
  ['20.10', 'error parsing HTTP 429 response body: unexpected end of JSON input: ""', LIMIT],
  ['c', 'toomanyrequests: slow down', LIMIT, 429],
  ['c', `toomanyrequests: ${PAGE('429 Too Many Requests')}`, LIMIT, 429],
  ['s', `unknown: ${RESOLVE} ${HEAD} 429 Too Many Requests`, LIMIT],
  ['s', 'error from registry: Rate exceeded', LIMIT],
  ['s', 'error from registry: toomanyrequests toomanyrequests', LIMIT],
  [
    's',
    `unknown: failed to copy: httpReadSeeker: failed open: unexpected status from GET request to ${BLOB}: 429 Too Many Requests`,
    LIMIT,
  ],
  ['p', `${INITIALIZE} toomanyrequests: too many requests from you`, LIMIT],
  ['20.10, c', 'received unexpected HTTP status: 503 Service Unavailable', AWAY],
  ['20.10, c', 'received unexpected HTTP status: 522 unknown', AWAY],
  [
    '20.10, c',
    'error pulling image configuration: download failed after attempts=6: received unexpected HTTP status: 503 Service Unavailable',
    AWAY,
  ],
  [
    '20.10, c',
    `Head "http://${HOST}/v2/acme/app/manifests/1": received unexpected HTTP status: 500 Internal Server Error`,
    AWAY,
  ],
  ['s', `unknown: ${RESOLVE} ${HEAD} 502 Bad Gateway`, AWAY],
  ['s', `unknown: ${RESOLVE} ${HEAD} 522 unknown`, AWAY],
  [
    's',
    `unknown: ${RESOLVE} failed to authorize: failed to fetch anonymous token: unexpected status from GET request to http://${HOST}/token?scope=repository%3Aacme%2Fapp%3Apull&service=reg: 503 Service Unavailable`,
    AWAY,
  ],
  ['s', 'error from registry: try later', UNCODED],
  ['s', 'error from registry: unknown unknown', UNCODED],
  [
    'p',
    `reading blob sha256:4b62aee0bd1d1b7c: Error fetching blob: invalid status code from registry 503 (Service Unavailable)`,
    AWAY,
  ],
  [
    '20.10, c',
    `Head "http://${HOST}/v2/acme/app/manifests/1": read tcp 127.0.0.1:43304->${HOST}: read: connection reset by peer`,
    AWAY,
  ],
  ['20.10, c', `Head "http://${HOST}/v2/acme/app/manifests/1": EOF`, AWAY],
  ['20.10', 'expected HTTP 206 from byte range request', AWAY],
  ['c', 'unexpected EOF', AWAY],
  ['s', 'short read: expected 200262 bytes but got 1000: unexpected EOF', AWAY],
  [
    's',
    'failed commit on ref "layer-sha256:caa2dc94": commit failed: "layer-sha256:caa2dc94" failed size validation: 400532 != 200266: failed precondition',
    AWAY,
  ],
  [
    'p',
    'writing blob: storing blob to file "/var/tmp/storage1968778834/1": happened during read: unexpected EOF',
    AWAY,
  ],
  [
    '20.10, c',
    'Get "https://registry.invalid/v2/": dial tcp: lookup registry.invalid on 10.255.255.53:53: no such host',
    AWAY,
  ],
  [
    's',
    `${RESOLVE} failed to do request: Head "https://${HOST}/v2/acme/app/manifests/1": dial tcp ${HOST}: connect: connection refused`,
    AWAY,
  ],
  [
    'p',
    `initializing source docker://${IMAGE}: pinging container registry ${HOST}: Get "https://${HOST}/v2/": dial tcp ${HOST}: connect: connection refused`,
    AWAY,
  ],
  [
    'reports',
    `${RESOLVE} failed to do request: Head "https://${HOST}/v2/acme/app/manifests/1": context deadline exceeded`,
    AWAY,
  ],
  [
    'reports',
    `${RESOLVE} failed to do request: Head "https://${HOST}/v2/": http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=""`,
    AWAY,
  ],
  ['reports', 'failed to copy: stream error: stream ID 7; INTERNAL_ERROR; received from peer', AWAY],
  ['reports', 'failed to copy: local error: tls: bad record MAC', AWAY],
  ['reports', `failed to copy: read tcp 172.17.0.2:43304->${HOST}: use of closed network connection`, AWAY],
  ['reports', 'unable to lease content: lease does not exist: not found', REMOVED],
  ['reports', 'NotFound: content digest sha256:4b62aee0bd1d1b7c: not found', REMOVED],
  [
    'reports',
    'failed commit on ref "manifest-sha256:4b62": commit failed: rename /var/lib/containerd/io.containerd.content.v1.content/ingest/4b/data /var/lib/containerd/io.containerd.content.v1.content/blobs/sha256/4b62: no such file or directory',
    REMOVED,
  ],
];

const FINAL: readonly Row[] = [
  ['20.10, c', 'unauthorized', ACCESS, 401],
  ['20.10', 'denied', ACCESS],
  ['20.10', 'error parsing HTTP 403 response body: unexpected end of JSON input: ""', ACCESS],
  ['20.10', `Head "http://${HOST}/v2/acme/app/manifests/1": no basic auth credentials`, ACCESS],
  [
    '20.10, c',
    `Head "http://${HOST}/v2/acme/app/manifests/1": unauthorized: incorrect username or password`,
    ACCESS,
  ],
  [
    'c',
    `pull access denied for ${HOST}/acme/app, repository does not exist or may require 'docker login': denied: ${PAGE('403 Forbidden')}`,
    ACCESS,
    404,
  ],
  ['s', `unknown: ${RESOLVE} ${HEAD} 401 Unauthorized`, ACCESS],
  ['s', `unknown: ${RESOLVE} ${HEAD} 403 Forbidden`, ACCESS],
  [
    's',
    `${RESOLVE} pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`,
    ACCESS,
  ],
  ['s', 'error from registry: denied denied', ACCESS],
  ['s', 'authentication required - incorrect username or password', ACCESS, 401],
  ['p', `${INITIALIZE} unauthorized`, ACCESS],
  ['p', `${INITIALIZE} denied`, ACCESS],
  ['20.10, c', `manifest for ${IMAGE} not found: manifest unknown: manifest unknown`, MISSING, 404],
  ['20.10, c', 'name unknown', MISSING],
  [
    '20.10',
    `error parsing HTTP 404 response body: invalid character '<' looking for beginning of value: "${PAGE('404 Not Found')}"`,
    MISSING,
  ],
  ['c', `unknown: ${PAGE('404 Not Found')}`, MISSING],
  ['s', `${RESOLVE} ${IMAGE}: not found`, MISSING, 404],
  ['p', `${INITIALIZE} manifest unknown: manifest unknown`, MISSING],
  ['20.10, c', 'unknown blob', PART],
  [
    's',
    'failed to copy: httpReadSeeker: failed open: could not fetch content descriptor sha256:a0a827d2 (application/vnd.docker.image.rootfs.diff.tar.gzip) from remote: not found',
    PART,
  ],
  ['20.10, c', 'no matching manifest for linux/arm64 in the manifest list entries', PLATFORM],
  ['20.10', 'image operating system "windows" cannot be used on this platform', PLATFORM],
  [
    's',
    'no matching manifest for linux/amd64/v4 in the manifest list entries: no match for platform in manifest: not found',
    PLATFORM,
    404,
  ],
  [
    'p',
    `choosing an image from manifest list docker://${IMAGE}: no image found in manifest list for architecture amd64, variant "", OS linux`,
    PLATFORM,
  ],
  ['reports', '"linux/x64": unknown operating system or architecture: invalid argument', NO_PLATFORM, 400],
  ['20.10, s', `"" is an invalid component of "linux/": ${SPECIFIER}`, NO_PLATFORM, 400],
  ['20.10, s', '"linux/a/b/c": cannot parse platform specifier: invalid argument', NO_PLATFORM, 400],
  [
    '20.10',
    'Get "https://172.17.0.1:5000/v2/": x509: certificate is valid for 127.0.0.1, not 172.17.0.1',
    TRUST,
  ],
  [
    's',
    `${RESOLVE} failed to do request: Head "https://${HOST}/v2/acme/app/manifests/1": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    TRUST,
  ],
  [
    'p',
    'pinging container registry 172.17.0.1:5000: Get "https://172.17.0.1:5000/v2/": http: server gave HTTP response to HTTPS client',
    TRUST,
  ],
  ['20.10, c', 'write /var/lib/docker/tmp/GetImageBlob2554298349: no space left on device', SPACE],
  [
    's',
    'failed to copy: failed to send write: write /var/lib/containerd/io.containerd.content.v1.content/ingest/6ab8c76d/data: no space left on device',
    SPACE,
  ],
  ['20.10, c', 'filesystem layer verification failed for digest sha256:887b504c', OTHER],
  [
    's',
    'failed commit on ref "layer-sha256:4559": commit failed: unexpected commit digest sha256:1786, expected sha256:4559: failed precondition',
    OTHER,
  ],
  [
    's',
    `unknown: ${RESOLVE} unexpected status from GET request to http://${HOST}/v2/acme/app/manifests/1: 405 Method Not Allowed`,
    OTHER,
  ],
  ['20.10, c', 'unsupported', OTHER],
  ['20.10', 'invalid reference format: repository name must be lowercase', 'is not a valid image name'],
];

const rows = (some: readonly Row[]) =>
  some.map(([seen, text, advice, status = 500]) => [seen, text, advice, status] as const);

const PLACE = { image: IMAGE, platform: 'linux/amd64' };

describe('a refused pull', () => {
  it.each(rows(PASSING))('(%s) is tried again: %s', (_, message, advice, status) => {
    const remedy = pullRemedy({ message, status }, PLACE);
    expect(remedy).toMatchObject({ passes: true, advice: expect.stringContaining(advice) });
  });

  it.each(rows(FINAL))('(%s) is final: %s', (_, message, advice, status) => {
    const remedy = pullRemedy({ message, status }, PLACE);
    expect(remedy).toMatchObject({ passes: false, advice: expect.stringContaining(advice) });
  });

  it.each([
    [
      'acme/app:403',
      `manifest for ${HOST}/acme/app:403 not found: manifest unknown: manifest unknown`,
      MISSING,
      false,
    ],
    [
      'acme/app:429',
      `failed to resolve reference "${HOST}/acme/app:429": ${HOST}/acme/app:429: not found`,
      MISSING,
      false,
    ],
    [
      'acme/app:503',
      `initializing source docker://${HOST}/acme/app:503: reading manifest 503 in ${HOST}/acme/app: manifest unknown`,
      MISSING,
      false,
    ],
    [
      'acme/geofence:1',
      `unknown: failed to resolve reference "${HOST}/acme/geofence:1": unexpected status from HEAD request to http://${HOST}/v2/acme/geofence/manifests/1: 401 Unauthorized`,
      ACCESS,
      false,
    ],
    ['EOF/eof:1', 'unauthorized', ACCESS, false],
    [
      'denied/unauthorized:404',
      `unknown: failed to resolve reference "${HOST}/denied/unauthorized:404": unexpected status from HEAD request to http://${HOST}/v2/denied/unauthorized/manifests/404: 503 Service Unavailable`,
      AWAY,
      true,
    ],
    ['x509/certificate:1', `Head "http://${HOST}/v2/x509/certificate/manifests/1": EOF`, AWAY, true],
    [
      'acme/rate-limit:1',
      `manifest for ${HOST}/acme/rate-limit:1 not found: manifest unknown: manifest unknown`,
      MISSING,
      false,
    ],
  ])('of %s goes by no word of its name', (name, message, advice, passes) => {
    const remedy = pullRemedy({ message, status: 500 }, { ...PLACE, image: `${HOST}/${name}` });
    expect(remedy).toMatchObject({ passes, advice: expect.stringContaining(advice) });
  });

  it('names whose credentials were used, and the ways out of a rate limit', () => {
    const advice = (message: string, by?: 'job' | 'runner') =>
      pullRemedy({ message, status: 500 }, { ...PLACE, ...(by && { by }) }).advice;
    expect(advice('unauthorized', 'job')).toContain('in the deployment settings can read it');
    expect(advice('unauthorized', 'runner')).toContain("of the runner's Docker configuration");
    expect(advice('toomanyrequests')).toMatch(
      /set credentials .*, run docker login .*, pull through a cache or a mirror, or try again later\.$/,
    );
    expect(advice('toomanyrequests', 'job')).toMatch(
      /although the pull was signed in: pull through a cache or a mirror, or try again later\.$/,
    );
  });
});

const OCI =
  'failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed:';
const NO_SHELL = 'The image must have a POSIX shell';
const WRONG_PLATFORM = 'Set pull_image: true, so that the image for the wanted platform is pulled';
const RUNTIME = 'Install the runtime on the engine, or correct container_runtime.';
const FULL = "Free disk space for the engine's containers.";
const FIREWALL = 'Restart the engine, which then makes its firewall rules again';
const LOG = "See the engine's log.";
const SNAP = 'Install Docker from its own packages.';

const STARTS: readonly (readonly [seen: string, text: string, advice: string])[] = [
  [
    '20.10',
    'failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "sh": executable file not found in $PATH: unknown',
    NO_SHELL,
  ],
  [
    's, c',
    `${OCI} unable to start container process: error during container init: exec: "sh": executable file not found in $PATH`,
    NO_SHELL,
  ],
  [
    'p',
    'runc: runc create failed: unable to start container process: exec: "sh": executable file not found in $PATH: OCI runtime attempted to invoke a command that was not found',
    NO_SHELL,
  ],
  ['all', 'exec /bin/sh: no such file or directory', NO_SHELL],
  [
    'all',
    'exec /bin/sh: exec format error',
    "The image is for linux/amd64 and the engine's host can't run that",
  ],
  ['s, c', `${OCI} namespace {"time" ""} does not exist`, LOG],
  [
    'reports',
    `${OCI} unable to start container process: error mounting "proc" to rootfs at "/proc": mount proc:/proc: no such file or directory`,
    LOG,
  ],
  ['20.10', 'Unknown runtime specified nope', RUNTIME],
  ['s, c', 'unknown or invalid runtime name: nope', RUNTIME],
  [
    's, c',
    'failed to create task for container: failed to start shim: failed to resolve runtime path: runtime "io.containerd.nope.v1" binary not installed "containerd-shim-nope-v1": file does not exist',
    RUNTIME,
  ],
  ['reports', 'exec /bin/sh: operation not permitted', SNAP],
  ['reports', 'standard_init_linux.go:211: exec user process caused "operation not permitted"', SNAP],
  [
    '20.10',
    'image with reference st/bb:1 was found but does not match the specified platform: wanted linux/arm64, actual: linux/amd64',
    WRONG_PLATFORM,
  ],
  [
    's',
    'image with reference st/bb:1 was found but does not provide the specified platform (linux/arm64)',
    WRONG_PLATFORM,
  ],
  [
    'c',
    'image with reference st/bb:1 was found but its platform (linux/amd64) does not match the specified platform (linux/arm64)',
    WRONG_PLATFORM,
  ],
  ['reports', '"linux/x64": unknown operating system or architecture: invalid argument', NO_PLATFORM],
  ['20.10, s', `"" is an invalid component of "linux/": ${SPECIFIER}`, NO_PLATFORM],
  ['20.10, s', '"linux/a/b/c": cannot parse platform specifier: invalid argument', NO_PLATFORM],
  [
    'all',
    'unable to find user nobody-knows: no matching entries in passwd file',
    'Correct the USER of the image',
  ],
  ['20.10', 'network not-there not found', 'docker network create not-there)'],
  [
    's, c',
    'failed to set up container networking: network runtime not found',
    'docker network create runtime)',
  ],
  [
    'p',
    'container create: unable to find network with name or ID not-there: network not found',
    'docker network create not-there)',
  ],
  ['s, c', 'failed to set up container networking: network own not found', 'Another program removed it'],
  ['s', 'write /var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db: no space left on device', FULL],
  ['20.10', 'write /var/lib/docker/overlay2/514abbc98bf6-init/link: no space left on device', FULL],
  [
    'reports',
    'failed to create task for container: mkdir /run/containerd/io.containerd.runtime.v2.task/moby/4b62: no space left on device',
    FULL,
  ],
  [
    '20.10',
    'driver failed programming external connectivity on endpoint frosty_leavitt (463f): (iptables failed: iptables --wait -t nat -A DOCKER -p tcp -d 0/0 --dport 8088 -j DNAT --to-destination 172.18.0.2:80 ! -i br-6e6c: iptables: No chain/target/match by that name. (exit status 1))',
    FIREWALL,
  ],
  ['20.10, s, c', 'Minimum memory limit allowed is 6MB', 'Raise memory'],
  [
    'p',
    'runc: runc create failed: unable to start container process: error during container init: error setting cgroup config for procHooks process: unable to set memory limit to 1024 (current usage: 2105344, peak usage: 2482176): OCI runtime error',
    'Raise memory',
  ],
  ['20.10', 'Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available', 'Correct num_cpus'],
  ['p', 'container create: CPU cfs quota cannot be less than 1ms (i.e. 1000)', 'Correct num_cpus'],
  ['20.10, s, c', 'invalid CapAdd: unknown capability: "CAP_NOPE"', 'Correct extra_capabilities.'],
];

it.each(STARTS)('a container that does not start comes with advice (%s): %s', (_, text, advice) => {
  const subject = { platform: 'linux/amd64', isPulled: false, ownNetwork: 'own' };
  expect(startAdvice(text, subject)).toContain(advice);
});

it.each([
  [true, '"linux/x64": unknown operating system or architecture: invalid argument'],
  [true, `"" is an invalid component of "linux/": ${SPECIFIER}`],
  [true, 'exec /bin/sh: exec format error'],
  [false, 'Unknown runtime specified nope'],
  [false, 'mkdir /var/lib/docker/overlay2: no space left on device'],
])('whether a refusal is about the image (%s): %s', (expected, words) => {
  expect(isOfImage(words)).toBe(expected);
});

it('a pulled image of another platform than the wanted one is not pulled again', () => {
  const subject = { platform: 'linux/arm64', isPulled: true, ownNetwork: undefined };
  const text =
    'image with reference sha256:1 was found but does not provide the specified platform (linux/amd64)';
  expect(startAdvice(text, subject)).toMatch(
    /^Use an image built for the wanted platform, or use a runner pool/,
  );
});

it.each([
  [
    '20.10',
    'could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network',
    'Remove unused networks',
  ],
  ['28, s, c', 'all predefined address pools have been fully subnetted', 'Remove unused networks'],
  ['20.10', 'Pool overlaps with other one on this address space', 'Remove unused networks'],
  ['p', 'subnet 10.99.0.0/24 is already used on the host or by another config', 'Remove unused networks'],
  [
    '20.10',
    'Failed to Setup IP tables: Unable to enable SKIP DNAT rule: (iptables failed: iptables --wait -t nat -I DOCKER -i br-3b914493d975 -j RETURN: iptables: No chain/target/match by that name. (exit status 1))',
    FIREWALL,
  ],
  [
    's',
    'Failed to Setup IP tables: Unable to enable ACCEPT OUTGOING rule: (iptables failed: iptables --wait -t filter -A DOCKER-FORWARD -i br-85da2eeee4f0 -j ACCEPT: iptables: No chain/target/match by that name. (exit status 1))',
    FIREWALL,
  ],
  [
    's, c',
    'failed to update bridge store for object type *bridge.networkConfiguration: write /var/lib/docker/network/files/local-kv.db: no space left on device',
    "Free disk space for the engine's networks.",
  ],
  ['20.10, s, c', 'plugin "nope" not found', "See the engine's log, or set container_network"],
])('a network that cannot be made comes with advice (%s): %s', (_, text, advice) => {
  expect(networkAdvice(text)).toContain(advice);
});

it.each([
  ['network own not found', 'own', true],
  ['container create: unable to find network with name or ID own: network not found', 'own', true],
  ['container create: unable to find network with name or ID given: network not found', undefined, false],
  ['unable to find user nobody-knows: no matching entries in passwd file', 'own', false],
])('a network that was made for the job can be made again: %s', (words, ownNetwork, isAgain) => {
  expect(isTakenAway(new EngineRefusedError(500, words), ownNetwork)).toBe(isAgain);
});
