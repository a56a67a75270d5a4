import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readResult } from '../../../src/record/reader.ts';
import { startIssuer } from '../../emulators/github/issuer.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { tokenFile } from '../../support/cloud/id-token.ts';
import { docker, JOB_IMAGE, testImage } from '../../support/docker/images.ts';
import { ownAgentAsStandIn, pulumiRun, shared } from '../../support/pulumi-agent/pulumi-run.ts';
import { gate, lie } from '../../support/pulumi-agent/stranger.ts';

beforeAll(() => testImage('job'));

const HEARTBEAT = { method: 'POST', path: '/api/workflow/jobs/false-1/heartbeat' };

/** Runs a command in a job's container. */
async function inJob(jobId: string, ...command: string[]): Promise<void> {
  const label = [`pulumi-runner.job=${jobId}`];
  const [found] = await docker.listContainers({ filters: { label } });
  const exec = await docker.getContainer(found!.Id).exec({ Cmd: command });
  await exec.start({ Detach: true });
}

it('a run’s record stays complete when the agent behind the relay exchanges its ID token again, and hides every token, whatever strangers send', async () => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.close());
  const idToken = () =>
    issuer.sign({
      aud: 'urn:pulumi:org:acme',
      sub: 'repo:acme/web:ref:refs/heads/main',
      jti: randomUUID(),
      exp: Math.floor(Date.now() / 1000) + 300,
    });
  const idTokens = [await idToken()];
  const path = await tokenFile(idTokens[0]);
  const directory = join(await folder(), 'own');
  // Prints what the test writes to `leak`, as an agent might print a token in an error.
  const leak = join(await folder(), 'leak');
  const printer = `( while [ ! -e '${leak}' ]; do sleep 0.1; done; cat '${leak}' ) &`;
  const { code, relay, open } = gate(await folder());
  await open();
  const scene = await pulumiRun({
    programs: await ownAgentAsStandIn(directory, `${printer}\n${code}`),
    // A 4 s token is exchanged for another after 2 s: the next look at the deployment's status needs it.
    config: {
      oidc_token_file: path,
      organization_name: 'acme',
      runner_pool_id: 'pool-1',
      token_expiration: '4s',
      engine_record: 'true',
    },
  });
  const rules = { aud: 'urn:pulumi:org:acme', sub: 'repo:acme/*' };
  scene.cloud.registerIssuer({
    issuer: issuer.url,
    jwksUrl: issuer.jwksUri,
    policies: [{ decision: 'allow', tokenType: 'runner', runnerID: 'pool-1', rules }],
  });
  const deployment = scene.enqueue({
    ...jobOf('i=0; until [ -e /tmp/go ]; do echo "line $((i += 1))"; sleep 0.1; done; echo on', 'echo after'),
    shell: 'bash',
    image: { reference: JOB_IMAGE },
  });
  const exchanges = () =>
    scene.cloud.requests.filter((call) => call.path === '/api/oauth/token' && call.status === 200);
  // The tokens of users and other agents never pass through the relay.
  const others = new Set(scene.cloud.issuedTokens);
  const issued = () => scene.cloud.issuedTokens.filter((token) => !others.has(token));
  const running = scene.run();
  await scene.cloud.waitFor(() => (deployment.steps[1]?.lines.length ?? 0) > 0, 40_000);
  idTokens.push(await idToken());
  await writeFile(path, idTokens[1]!);
  // One may already be under way with the old ID token.
  const before = exchanges().length;
  await scene.cloud.waitFor(() => exchanges().length >= before + 2, 20_000);
  const lies = Array.from({ length: 20 }, (_, index) => ({ ...HEARTBEAT, token: `lie-${index}` }));
  expect(new Set(await lie('container', await relay(), lies))).toEqual(new Set([401]));
  const tokens = [...idTokens, ...issued()];
  await writeFile(`${leak}.new`, tokens.map((token) => `leaks ${token}\n`).join(''));
  await rename(`${leak}.new`, leak);
  await scene.cloud.waitFor(
    () => scene.log.filter((line) => line.includes('leaks')).length === tokens.length,
    10_000,
  );
  await inJob(deployment.jobId, 'touch', '/tmp/go');
  expect(await running).toBe(0);

  const [seen, written] = [await scene.result(), (await readResult(directory))!];
  expect(seen).toMatchObject({ outcome: 'succeeded', reported: true, jobId: deployment.jobId });
  expect(seen.steps.map(shared)).toEqual(written.steps.map(shared));
  expect(await scene.file('steps/01-step-1.log')).toBe(
    await readFile(join(directory, 'steps/01-step-1.log'), 'utf8'),
  );
  const authenticated = (await scene.events()).filter(({ type }) => type === 'authenticated');
  expect(authenticated.length).toBe(exchanges().length);
  expect(new Set(authenticated.map((event) => 'method' in event && event.method))).toEqual(new Set(['oidc']));
  expect(scene.log.filter((line) => line.includes('leaks'))).toEqual(
    tokens.map(() => expect.stringMatching(/leaks \*{3}$/)),
  );
  for (const name of (await readdir(scene.directory, { recursive: true })).filter((each) =>
    /\.\w+$/.test(each),
  )) {
    const text = await scene.file(name);
    expect(name).toEqual(name);
    expect([...idTokens, ...issued()].filter((token) => text.includes(token))).toEqual([]);
  }
});
