import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, run } from '../doctor/command.ts';

it('a kubeconfig’s credential plugin gets neither the agent’s settings nor a collector’s credentials', async () => {
  const home = await folder();
  const [plugin, seen, kubeconfig] = ['plugin', 'seen', 'kubeconfig'].map((name) => join(home, name));
  await writeFile(plugin!, `#!/bin/sh\nenv >'${seen}'\nexit 1\n`);
  await chmod(plugin!, 0o755);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'test', user: { exec } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  };
  await writeFile(kubeconfig!, JSON.stringify(config));

  const environment = {
    PULUMI_AGENT_TOKEN: 'pul-canary',
    PULUMI_AGENT_SERVICE_URL: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:canary@127.0.0.1:1',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=canary',
    AWS_PROFILE: 'plugins-read-this',
  };
  await run(['doctor', '--deploy-target', 'kubernetes', '--kubeconfig', kubeconfig!], { environment, home });
  const text = await readFile(seen!, 'utf8');
  expect(text).toContain('AWS_PROFILE=plugins-read-this');
  expect(text).not.toContain('canary');
});
