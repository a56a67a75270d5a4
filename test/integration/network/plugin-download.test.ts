import { execFileSync } from 'node:child_process';
import { createServer } from 'node:https';
import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { DOWNLOADED, pulumiCli } from '../../support/pulumi/cli.ts';
import { programPath } from '../../support/script.ts';
import { Authority } from './authority.ts';
import { connectProxy, listen, owned } from './servers.ts';

/** A server of plugins whose name only a proxy resolves, with a certificate of a private authority. */
async function mirror() {
  const authority = new Authority();
  const plugin = await programPath('pulumi-tempo');
  const archive = execFileSync('tar', ['-C', dirname(plugin), '-cz', basename(plugin)], { maxBuffer: 1e9 });
  const paths: string[] = [];
  const identity = authority.issue({ names: 'DNS:plugins.test' });
  const server = createServer(identity, ({ url = '' }, response) => {
    paths.push(url);
    response.end(archive);
  });
  const { port } = owned(await listen(server, '127.0.0.1'));
  return { authority, paths, host: `plugins.test:${port}` };
}

it('Pulumi’s CLI downloads a plugin from a mirror through a proxy, with the variables of the page', async () => {
  const { authority, paths, host } = await mirror();
  const proxy = owned(await connectProxy());
  const environment = {
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NO_PROXY: 'localhost,127.0.0.1',
    PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `.*=https://${host}`,
    PULUMI_SKIP_UPDATE_CHECK: '1',
    SSL_CERT_FILE: authority.path,
  };
  const config = { env_forward_allowlist: Object.keys(environment).join(' ') };
  const { agent, cloud, enqueue, result } = await agentOf({ config, options: { environment } });
  const cli = await pulumiCli(cloud, { provider: DOWNLOADED });
  await cli.output('stack', 'init', 'acme/network/prod');
  const script = `cd ${cli.repository}; pulumi up --yes --skip-preview --stack acme/network/prod`;
  const { PATH, PULUMI_HOME } = cli.environment;
  const env = { PATH, PULUMI_HOME, PULUMI_ACCESS_TOKEN: cloud.userToken };
  const deployment = enqueue({ ...jobOf(script), env });
  await agent.run();
  expect((await result())?.outcome, JSON.stringify(deployment.steps)).toBe('succeeded');
  expect(paths).toEqual([expect.stringMatching(/^\/pulumi-resource-tempo-v1\.0\.0-linux-\w+\.tar\.gz$/)]);
  expect(proxy.asked.map(({ target }) => target)).toEqual([host]);
});
