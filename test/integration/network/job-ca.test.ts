import { afterAll, beforeAll, expect, it } from 'vitest';
import { containerAddress } from '../../../demo/container-address.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { runAgent } from './agent.ts';
import { Authority } from './authority.ts';
import { enqueueSteps } from './job.ts';
import { type Listening, webServer } from './servers.ts';

// A server that a deployment's own programs talk to: this machine, as containers see it.
let authority: Authority;
let server: Listening;
let url: string;

beforeAll(async () => {
  authority = new Authority();
  const { bindAddress, publicHost } = await containerAddress();
  const identity = authority.issue({ names: `IP:${bindAddress},DNS:${publicHost}` });
  server = await webServer({ host: bindAddress, identity });
  url = `https://${publicHost}:${server.port}`;
});
afterAll(async () => {
  await server?.close();
  authority?.remove();
});

const SCRIPTS = {
  curl: (at: string) => `curl --silent --show-error --max-time 20 ${at}`,
  // git gets as far as to miss the repository only where it trusts the server.
  git: (at: string) => `git ls-remote ${at}/x 2>&1`,
  look: () =>
    'stat -c "%a %n" "$SSL_CERT_FILE"; grep -c BEGIN "$SSL_CERT_FILE"; echo "$NODE_EXTRA_CA_CERTS $REQUESTS_CA_BUNDLE $AWS_CA_BUNDLE"',
};

/** What a deployment prints that talks to the server. */
async function deployment(settings: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  await using cloud = await PulumiCloud.start();
  const scripts = Object.entries(SCRIPTS).map(([name, script]) => [name, `{ ${script(url)}; } || true`]);
  const queued = enqueueSteps(cloud, Object.fromEntries(scripts), env);
  const run = await runAgent({
    PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
    PULUMI_AGENT_SERVICE_URL: cloud.url,
    PULUMI_AGENT_CA_CERTIFICATE: authority.certificate,
    ...settings,
  });
  expect(run.result.message).toBe('Every step of the workflow succeeded.');
  return queued.steps.map(({ lines }) => lines.map((line) => line.l).join(''));
}

it('gives a deployment what is trusted, and curl and git in it use it', async () => {
  const [, curl, git, look] = await deployment({ PULUMI_AGENT_CA_CERTIFICATE_IN_JOBS: 'true' });
  expect(curl).toBe('{"ok":true}');
  expect(git).toMatch(/repository .* not found/);
  const file = '/mnt/pulumi/ca-certificates.crt';
  expect(look).toMatch(new RegExp(`^644 ${file}\\n\\d{3}\\n${file} ${file} ${file}\\n$`));
});
