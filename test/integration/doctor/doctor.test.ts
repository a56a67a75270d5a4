import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EXECUTORS } from '../../../src/executor/targets.ts';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { AUDIENCE, signedIdToken, tokenFile, trust } from '../../support/cloud/id-token.ts';
import { testImage } from '../../support/docker/images.ts';
import { Authority } from '../network/authority.ts';
import { listen, owned, tlsFront } from '../network/servers.ts';
import { type Diagnosis, diagnose, fileWith, folder, run, start } from './command.ts';

const POOL = 'pool-7a1c';
const SUBJECT = 'repo:acme/infrastructure:ref:refs/heads/main';

let cloud: PulumiCloud;
let issuer: Issuer;
let busybox: string;
beforeAll(async () => {
  busybox = await testImage('busybox');
});
beforeEach(async () => {
  [cloud, issuer] = await Promise.all([
    PulumiCloud.start({ organization: 'acme', pools: [{ id: POOL, name: 'private' }] }),
    startIssuer(),
  ]);
  const rules = { aud: AUDIENCE, sub: SUBJECT };
  trust(cloud, issuer, { decision: 'allow', tokenType: 'runner', runnerID: POOL, rules });
});
afterEach(async () => {
  const polls = cloud.requests.filter(({ path }) => path.includes('poll') || path.includes('lease'));
  await Promise.all([cloud.stop(), issuer.close()]);
  // Doctor must never poll: that could claim a deployment.
  expect(polls).toEqual([]);
});

const idToken = async (claims: { iss?: string; aud?: string; exp?: number } = {}) =>
  tokenFile(await signedIdToken(issuer, { sub: SUBJECT, ...claims }));

const withOidc = (file: string, more: Record<string, string> = {}) => ({
  PULUMI_AGENT_SERVICE_URL: cloud.url,
  PULUMI_AGENT_OIDC_TOKEN_FILE: file,
  PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
  PULUMI_AGENT_RUNNER_POOL_ID: POOL,
  ...more,
});
const withToken = (token = cloud.createStaticToken(POOL), more: Record<string, string> = {}) => ({
  PULUMI_AGENT_SERVICE_URL: cloud.url,
  PULUMI_AGENT_TOKEN: token,
  ...more,
});

/** Expects this check alone to fail, with the outcome that a run would have. */
function expectFailed(diagnosis: Diagnosis, id: string, outcome: string, detail: RegExp): void {
  expect(diagnosis.having('failed')).toEqual([id]);
  expect(diagnosis.of(id)).toMatchObject({ outcome, detail: expect.stringMatching(detail) });
  expect(diagnosis.outcome).toBe(outcome);
  expect(diagnosis.exitCode).toBeGreaterThan(0);
}

/** Pulumi Cloud behind TLS, with a certificate of the test's own authority; `ca` is the authority's file. */
async function encrypted(): Promise<{ readonly url: string; readonly ca: string }> {
  const authority = new Authority('Acme');
  onTestFinished(() => authority.remove());
  const identity = authority.issue({ names: 'IP:127.0.0.1' });
  const front = owned(await tlsFront({ identity, to: new URL(cloud.url) }));
  return { url: `https://127.0.0.1:${front.port}`, ca: authority.path };
}

/** Starts a server on loopback, closed with the test; returns `host:port`. */
const listening = async (server: ReturnType<typeof createServer>) =>
  `127.0.0.1:${owned(await listen(server, '127.0.0.1')).port}`;

/** Accepts connections and never answers. */
const silent = () => listening(createServer((socket) => void socket.resume().on('error', () => undefined)));

describe('a set-up that works', () => {
  it('passes with an ID token, and leaves nothing in Docker or on the disk', async () => {
    const file = await idToken();
    const runs = join(await folder(), 'state', 'runs');
    const label = `doctor-test=${process.pid}`;
    const environment = withOidc(file, { PULUMI_AGENT_RUN_DIRECTORY: runs, AWS_REGION: 'eu-west-1' });
    const flags = ['--image', busybox, '--no-pull-image', '--env-forward-allowlist', 'AWS_REGION NOT_SET'];
    const diagnosis = await diagnose(environment, [...flags, '--label', label]);
    expect(diagnosis.having('failed')).toEqual([]);
    expect(diagnosis).toMatchObject({ schema: 1, outcome: 'succeeded', exitCode: 0 });
    const passed = [
      'run-directory',
      'connection',
      'id-token',
      'token-exchange',
      'pool',
      'clock',
      'docker',
      'confinement',
      'engine-disk',
    ];
    expect(diagnosis.having('passed')).toEqual(expect.arrayContaining(passed));
    expect(diagnosis.of('id-token').detail).toContain(
      `iss=${issuer.url} aud=urn:pulumi:org:acme sub=${SUBJECT}`,
    );
    expect(diagnosis.of('forwarded-variables')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('not forwarded: NOT_SET.'),
    });
    // busybox has none of these.
    expect(diagnosis.of('container')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/started, used and removed; it lacks bash, curl, pulumi,/),
    });
    expect(execFileSync('docker', ['ps', '-aq', '--filter', `label=${label}`], { encoding: 'utf8' })).toBe(
      '',
    );
    expect(execFileSync('ls', [join(runs, '../..')], { encoding: 'utf8' })).toBe('');
    const text = JSON.stringify(diagnosis);
    for (const token of cloud.issuedTokens) expect(text).not.toContain(token);
  });

  it('passes with a pool token over TLS with a configured authority, and prints a table', async () => {
    const { url, ca } = await encrypted();
    const environment = withToken(undefined, {
      PULUMI_AGENT_SERVICE_URL: url,
      PULUMI_AGENT_CA_CERTIFICATE: ca,
    });
    const { code, stdout } = await run(['doctor'], { environment });
    expect(stdout).toMatch(/^✔ Connection {2,}127\.0\.0\.1:\d+ answers in \d+ ms$/m);
    expect(stdout).toMatch(/^– ID token {2,}a static pool token is configured$/m);
    expect(stdout).toMatch(/^✔ Pool {2,}Pulumi Cloud recognizes it as the token of a runner pool$/m);
    expect(stdout).toMatch(/^\? Container {2,}could not tell: pulumi\/pulumi:latest isn't there yet/m);
    expect(stdout).toMatch(/^16 checks: .*\.$/m);
    expect(stdout).not.toContain('\u001b');
    expect(code).toBe(0);
  });

  it('has no image tried that is not allowed', async () => {
    const rules = { PULUMI_AGENT_ALLOWED_IMAGES: 'ghcr.io/acme/*' };
    const own = await diagnose(withToken(undefined, rules));
    expect(own.of('container')).toMatchObject({
      status: 'unknown',
      detail: expect.stringMatching(
        /^could not tell: pulumi\/pulumi:latest, .* is not among the allowed images/,
      ),
    });
    const time = vi.spyOn(EXECUTORS.docker.doctor, 'containerMs');
    onTestFinished(() => time.mockRestore());
    const named = await diagnose(
      withToken(undefined, { ...rules, PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE: 'evil.com/x' }),
    );
    expect(named.of('container')).toMatchObject({
      status: 'failed',
      outcome: 'target-error',
      detail: expect.stringMatching(
        /^Failed to use the image for the job: image evil\.com\/x is not allowed: /,
      ),
    });
    // An image that is named is pulled, so the check gets the time for that.
    expect(time).toHaveReturnedWith(30 * 60_000);
  });

  it('is not called broken when Pulumi Cloud lacks the call that checks the token', async () => {
    cloud.script({
      method: 'GET',
      path: /token$/,
      answer: { status: 404, body: { code: 404, message: 'nothing here' } },
    });
    const diagnosis = await diagnose(withToken());
    expect(diagnosis.of('pool')).toMatchObject({
      status: 'unknown',
      detail: expect.stringContaining('could not tell'),
    });
    expect(diagnosis.exitCode).toBe(0);
  });
});

describe('doctor checks the access token of a runner with trigger', () => {
  const onDemand = (more: Record<string, string>) => ({
    PULUMI_AGENT_TRIGGER: 'acme/web/prod',
    PULUMI_AGENT_OPERATION: 'preview',
    ...more,
  });

  it('and finds one that the second policy gives', async () => {
    const rules = { aud: AUDIENCE, sub: SUBJECT };
    const pool = { decision: 'allow', tokenType: 'runner', runnerID: POOL, rules } as const;
    trust(cloud, issuer, pool, { decision: 'allow', tokenType: 'organization', rules });
    const diagnosis = await diagnose(withOidc(await idToken(), onDemand({})));
    expect(diagnosis.of('access-token')).toMatchObject({
      status: 'passed',
      detail: expect.stringMatching(/^exchanged for the ID token, good for .*; Pulumi Cloud knows it$/),
    });
    expect(
      cloud.requests.filter(({ method, path }) => method === 'POST' && /deployments/.test(path)),
    ).toEqual([]);
  });

  it('and names a missing second policy', async () => {
    const diagnosis = await diagnose(withOidc(await idToken(), onDemand({})));
    expectFailed(diagnosis, 'access-token', 'auth-error', /second policy|policy/);
  });

  it('and names one that Pulumi Cloud does not know', async () => {
    const environment = withToken(undefined, {
      ...onDemand({ PULUMI_AGENT_ACCESS_TOKEN: 'pul-unknown' }),
      PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
    });
    const diagnosis = await diagnose(environment);
    expectFailed(diagnosis, 'access-token', 'auth-error', /refused access_token \(HTTP 401\)/);
  });
});

describe('doctor asks with the access token of a runner without trigger', () => {
  const ACME = { PULUMI_AGENT_ORGANIZATION_NAME: 'acme' };
  const withAccess = (more: Record<string, string>, token = cloud.createOrganizationToken()) => {
    const pool = { PULUMI_AGENT_RUNNER_POOL_ID: POOL };
    return withToken(undefined, { PULUMI_AGENT_ACCESS_TOKEN: token, ...pool, ...more });
  };

  it('about its pool', async () => {
    const diagnosis = await diagnose(withAccess(ACME));
    expect(diagnosis.of('access-token')).toMatchObject({
      status: 'passed',
      detail: 'the configured one; Pulumi Cloud knows it',
    });
    expect(diagnosis.of('pool-agents')).toMatchObject({
      status: 'passed',
      detail: 'private: 0 agents online',
    });
    expect(diagnosis.checks.map(({ id }) => id)).not.toContain('stacks');
    const none = await diagnose(withToken());
    expect(none.checks.map(({ id }) => id)).not.toContain('pool-agents');
  });

  it('and warns of an organization that the token does not open', async () => {
    const diagnosis = await diagnose(withAccess({ PULUMI_AGENT_ORGANIZATION_NAME: 'acmee' }));
    expect(diagnosis.of('access-token')).toMatchObject({
      status: 'warning',
      detail:
        "the configured one; it doesn't open the organization acmee. Check that name, and the token's rights",
    });
  });

  it('and warns of one that Pulumi Cloud does not know, as a run would only miss what it reads', async () => {
    const diagnosis = await diagnose(withAccess(ACME, 'pul-unknown'));
    expect(diagnosis.of('access-token')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/refused access_token \(HTTP 401\)/),
    });
    expect(diagnosis.of('pool-agents')).toMatchObject({
      status: 'unknown',
      detail: expect.stringMatching(/^not checked: .*refused access_token \(HTTP 401\)/),
    });
    expect(diagnosis.exitCode).toBe(0);
  });

  it('and says that it can’t without the organization’s name', async () => {
    const diagnosis = await diagnose(withAccess({}));
    for (const id of ['access-token', 'pool-agents'])
      expect(diagnosis.of(id)).toMatchObject({
        status: 'skipped',
        detail: 'no organization_name is configured',
      });
  });

  it('even if the sign-in to a pool that is not there failed', async () => {
    const other = {
      PULUMI_AGENT_RUNNER_POOL_ID: 'pool-0',
      PULUMI_AGENT_ACCESS_TOKEN: cloud.createOrganizationToken(),
    };
    const diagnosis = await diagnose(withOidc(await idToken(), other));
    expect(diagnosis.having('failed')).toEqual(['token-exchange']);
    expect(diagnosis.of('pool-agents')).toMatchObject({
      status: 'warning',
      detail: `this access token sees no pool pool-0 in acme: its pools are private (${POOL}).`,
    });
  });
});

it('doctor pulls the images of prepull_images, and one that can’t be pulled is a warning', async () => {
  const diagnosis = await diagnose(
    withToken(undefined, { PULUMI_AGENT_PREPULL_IMAGES: 'localhost:1/none:1' }),
  );
  expect(diagnosis.of('prepull-images')).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(/^Failed to pull the image for the job: localhost:1\/none:1/),
  });
  expect(diagnosis.exitCode).toBe(0);
});

it('doctor compares container_subnet with this machine’s routes', async () => {
  execFileSync('ip', ['route', 'replace', '198.19.254.0/24', 'dev', 'lo']);
  onTestFinished(() => void execFileSync('ip', ['route', 'delete', '198.19.254.0/24', 'dev', 'lo']));
  const told = async (subnet: string) =>
    (await diagnose(withToken(undefined, { PULUMI_AGENT_CONTAINER_SUBNET: subnet }))).of('container-subnet');

  expect(await told('198.19.252.0/22')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('container_subnet 198.19.252.0/22 overlaps 198.19.254.0/24 (lo) of this'),
  });
  expect(await told('198.19.252.0/23')).toMatchObject({
    status: 'passed',
    detail: 'container_subnet 198.19.252.0/23 overlaps no route of this machine',
  });
});

it('doctor makes the checks that its documentation lists, in that order', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../TROUBLESHOOTING.md'), 'utf8');
  const listed = page.split('<!-- checks -->')[1]?.split('<!-- /checks -->')[0] ?? '';
  const { checks } = await diagnose({ PULUMI_AGENT_SERVICE_URL: cloud.url });
  const ids = checks.map(({ id }) => id);
  expect(ids).toEqual([...listed.matchAll(/^\| `([a-z-]+)`/gm)].map(([, id]) => id));

  const addedBy = async (rows: RegExp, settings: Record<string, string>) => {
    const more = await diagnose(withToken(undefined, settings));
    const added = more.checks.map(({ id }) => id).filter((id) => !ids.includes(id));
    expect(added).toEqual([...page.matchAll(rows)].map(([, id]) => id));
  };
  const access = { PULUMI_AGENT_ACCESS_TOKEN: cloud.createOrganizationToken() };
  const started = { PULUMI_AGENT_TRIGGER: 'acme/web/dev', PULUMI_AGENT_OPERATION: 'preview' };
  await addedBy(/^\| `access_token` or `trigger` \| `([a-z-]+)`/gm, access);
  await addedBy(/^\| (?:`access_token` or )?`trigger` \| `([a-z-]+)`/gm, { ...access, ...started });
});

describe('doctor finds in the configuration', () => {
  it('every problem, and still checks Docker', async () => {
    const file = await fileWith(
      'tokn: pul-secret-of-mine\npolling_interval: soon\n',
      'pulumi-workflow-agent.yaml',
    );
    const diagnosis = await diagnose({}, ['--config', file]);
    expectFailed(
      diagnosis,
      'configuration',
      'config-error',
      /2 problems.* polling_interval "soon" .* no way to authenticate.*"tokn" is not a known key .*did you mean token\?/,
    );
    expect(diagnosis.of('docker').status).toBe('passed');
    expect(diagnosis.of('pool')).toMatchObject({
      status: 'skipped',
      detail: 'skipped: "Configuration" failed',
    });
    expect(JSON.stringify(diagnosis)).not.toContain('secret-of-mine');
  });

  it('a run directory on a full disk', async () => {
    const disk = await folder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    onTestFinished(() => void execFileSync('umount', [disk]));
    const diagnosis = await diagnose(
      withToken(undefined, { PULUMI_AGENT_RUN_DIRECTORY: join(disk, 'runs') }),
    );
    expectFailed(
      diagnosis,
      'run-directory',
      'config-error',
      /Failed to write to the run directory: .*ENOSPC.*Set run_directory to a folder that has space/,
    );
    expect(execFileSync('ls', ['-A', disk], { encoding: 'utf8' })).toBe('');
  });

  it('a port that is taken, which is only a warning, and a syslog that is missing', async () => {
    const server = createServer();
    const [, port = ''] = (await listening(server)).split(':');
    const taken = await diagnose(withToken(undefined, { PULUMI_AGENT_HTTP_SERVER_PORT: port }));
    expect(taken.of('health-port')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(
        /^\d+ can't be taken: .*EADDRINUSE.*set http_server_port to a free port, or to 0/,
      ),
    });
    expect(taken.exitCode).toBe(0);
    const socket = join(await folder(), 'log');
    const environment = withToken(undefined, {
      PULUMI_AGENT_SYSLOG: 'true',
      PULUMI_AGENT_SYSLOG_SOCKET: socket,
    });
    expectFailed(await diagnose(environment), 'log', 'config-error', /log/);
  });
});

describe('doctor finds on the way to Pulumi Cloud', () => {
  const at = async (serviceUrl: string, code: string, advice: RegExp, more: Record<string, string> = {}) => {
    const diagnosis = await diagnose(withToken('pul-x', { PULUMI_AGENT_SERVICE_URL: serviceUrl, ...more }));
    expectFailed(diagnosis, 'connection', 'cloud-unreachable', advice);
    expect(diagnosis.of('connection').code).toBe(code);
    return diagnosis;
  };

  it('a name that does not exist', async () => {
    const advice = /look up no-such-host\.invalid .*Correct service_url, or this machine's DNS/;
    const diagnosis = await at('https://no-such-host.invalid', 'PRA-NET-01', advice);
    expect(diagnosis.of('clock').detail).toBe('skipped: "Connection" failed');
  });

  it('a certificate that is not trusted, and sends nothing', async () => {
    const { url } = await encrypted();
    const advice =
      /Failed to trust 127\.0\.0\.1 .* an authority that isn't trusted here \(\w+\); set ca_certificate/;
    await at(url, 'PRA-NET-04', advice);
    expect(cloud.requests).toEqual([]);
  });

  it('something that never answers', async () => {
    const more = { PULUMI_AGENT_REQUEST_TIMEOUT: '2s' };
    await at(`https://${await silent()}`, 'PRA-NET-02', /Failed to connect to .*firewall/, more);
  });

  it('a proxy that refuses', async () => {
    const proxy = createHttpServer();
    proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const address = await listening(proxy);
    const HTTPS_PROXY = `http://robot:very-secret-word@${address}`;
    const advice =
      /^Failed to get through the proxy .*forbids connections to api\.pulumi\.invalid \(HTTP 403\); have it/;
    const diagnosis = await at('https://api.pulumi.invalid', 'PRA-NET-03', advice, { HTTPS_PROXY });
    expect(diagnosis.of('proxy').detail).toBe(`http://${address} (HTTPS_PROXY)`);
    expect(JSON.stringify(diagnosis)).not.toContain('very-secret-word');
  });

  it('a clock that is wrong', async () => {
    const date = new Date(Date.now() + 600_000).toUTCString();
    cloud.script({ method: 'HEAD', path: /^\/$/, answer: { status: 200, headers: { date }, body: {} } });
    const diagnosis = await diagnose(withToken());
    expect(diagnosis.of('clock')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(
        /this machine's is 10 minutes behind Pulumi Cloud's, and ID tokens live for 5 minutes\. Set it/,
      ),
    });
    expect(diagnosis.exitCode).toBe(0);
  });
});

describe('doctor recognizes', () => {
  it('an ID token that nobody refreshed', async () => {
    const exp = Math.floor(Date.now() / 1000) - 720;
    const diagnosis = await diagnose(withOidc(await idToken({ exp })));
    expectFailed(
      diagnosis,
      'token-exchange',
      'auth-error',
      /The ID token has expired: the program that writes oidc_token_file must refresh it/,
    );
    expect(diagnosis.of('id-token')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(
        /expired 12 minutes ago\. The CI job that starts the agent must write oidc_token_file/,
      ),
    });
  });

  it('an ID token file that is missing, empty or something else', async () => {
    const missing = join(await folder(), 'none');
    for (const [file, said] of [
      [missing, /ENOENT: .*none'\. The CI job that starts the agent must write oidc_token_file/],
      [await fileWith(' \n'), /is empty\./],
      [await fileWith('hello'), /does not hold a JWT\./],
    ] as const) {
      const diagnosis = await diagnose(withOidc(file));
      expectFailed(diagnosis, 'id-token', 'auth-error', said);
      expect(diagnosis.of('token-exchange').detail).toBe('skipped: "ID token" failed');
    }
  });

  it('an ID token of a GitHub Enterprise Server whose issuer must be registered', async () => {
    const iss = 'https://github.example.com/_services/token';
    const diagnosis = await diagnose(withOidc(await idToken({ iss })));
    expect(diagnosis.of('id-token')).toMatchObject({
      status: 'passed',
      detail: expect.stringMatching(`^iss=${iss} .*register exactly this iss in Pulumi Cloud`),
    });
    expectFailed(diagnosis, 'token-exchange', 'auth-error', /register that issuer/);
  });

  it('an ID token for another audience', async () => {
    const diagnosis = await diagnose(withOidc(await idToken({ aud: 'sts.amazonaws.com' })));
    expect(diagnosis.having('failed')).toEqual(['token-exchange']);
    expect(diagnosis.of('id-token').detail).toContain('Pulumi Cloud expects aud=urn:pulumi:org:acme');
  });
});

describe('doctor reports that Docker', () => {
  it('is not there', async () => {
    const socket = join(await folder(), 'docker.sock');
    const diagnosis = await diagnose(withToken(undefined, { DOCKER_HOST: `unix://${socket}` }));
    expectFailed(
      diagnosis,
      'docker',
      'target-error',
      /the socket does not exist\. Start Docker here, or set DOCKER_HOST/,
    );
    expect(diagnosis.exitCode).toBe(5);
    expect(diagnosis.of('container').detail).toBe('skipped: "Docker" failed');
  });
});

it('doctor ends at once when it is interrupted, and its exit code says so', async () => {
  const engine = createServer((socket) => void socket.resume().on('error', () => undefined));
  const connected = once(engine, 'connection');
  const environment = withToken(undefined, { DOCKER_HOST: `tcp://${await listening(engine)}` });
  const running = await start(['doctor'], { environment });
  await connected;
  running.child.kill('SIGINT');
  const { code, stdout } = await running.ended;
  expect(code).toBe(7);
  expect(stdout).toMatch(/^✘ Docker {2,}interrupted$/m);
});
