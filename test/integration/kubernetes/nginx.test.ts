import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../src/pulumi-agent/agent-health.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { programPath } from '../../support/script.ts';
import { Authority } from '../network/authority.ts';

const bench = clusterBench();
/** Lets WebSockets through, as in nginx's documentation. */
const UPGRADE = [
  'proxy_http_version 1.1;',
  'proxy_set_header Upgrade $http_upgrade;',
  'proxy_set_header Connection $connection_upgrade;',
];

/** A real nginx before the API server, with TLS on both sides; `server` and `location` add to its defaults. */
async function startNginx({
  server = [],
  location = UPGRADE,
}: {
  server?: string[];
  location?: string[];
} = {}) {
  const program = await programPath('nginx');
  const folder = await temporaryDirectory();
  const authority = new Authority();
  const port = await freePort();
  const { cert, key } = authority.issue({ names: 'IP:127.0.0.1' });
  const text = readFileSync(bench.kubeconfig, 'utf8');
  const [, api, ca] = /server: "([^"]+)", certificate-authority: "([^"]+)"/.exec(text) ?? [];
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const configuration = `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  log_format requests '$request_method $request_uri $status';
  access_log ${folder}/access.log requests;
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert; ssl_certificate_key ${folder}/key;
    ${server.join('\n    ')}
    location / {
      proxy_pass ${api};
      proxy_ssl_trusted_certificate ${ca}; proxy_ssl_verify on; proxy_ssl_name localhost;
      ${location.join('\n      ')}
    }
  }
}
`;
  for (const [name, content] of Object.entries({ cert, key, configuration }))
    await writeFile(join(folder, name), content);
  let child: ChildProcess;
  const start = async () => {
    child = spawn(program, ['-p', folder, '-c', join(folder, 'configuration')], { stdio: 'inherit' });
    await vi.waitFor(() => once(connect(port, '127.0.0.1').end(), 'connect'), 20_000);
  };
  const end = async () => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  onTestFinished(async () => {
    await end();
    authority.remove();
  });
  const kubeconfig = await bench.kubeconfigWith(() =>
    text
      .replace(/server: "[^"]+"/, `server: "https://127.0.0.1:${port}"`)
      .replace(/certificate-authority: "[^"]+"/, `certificate-authority: "${authority.path}"`),
  );
  const requests = () => readFile(join(folder, 'access.log'), 'utf8');
  return { kubeconfig, requests, restart: () => end().then(start) };
}

it('a job runs through an nginx with default buffers, and survives a cut', async () => {
  const { kubeconfig, requests, restart } = await startNginx();
  const executor = bench.target({ kubeconfig });
  expect(await executor.check(NEVER)).toContain(bench.namespace);
  const container = await bench.prepare({}, executor);
  const workingDirectory = `/tmp/${'folder/'.repeat(30)}`;
  await run(container, `mkdir -p ${workingDirectory}; echo SECOND=2 >>/PULUMI_ENV`);
  expect(await container.readEnvironmentFile(NEVER)).toBe('SECOND=2\n');
  const environment = { LONG: 'x'.repeat(100_000) };
  const read = 'pwd; echo "${#LONG}"; cat; exit 3';
  expect(await run(container, read, { workingDirectory, environment })).toMatchObject({
    code: 3,
    output: `${workingDirectory.slice(0, -1)}\n100000\n`,
  });

  const trap = "trap 'echo interrupted; exit 9' INT; echo ready; while :; do sleep 0.1; done";
  const step = await begin(container, trap);
  await step.shows('ready\n');
  await restart();
  await step.signal('SIGINT');
  expect(await step.exit).toMatchObject({ code: 9 });
  expect(step.output()).toBe('ready\ninterrupted\n');
  await container.remove();
  const longest = (await requests()).split('\n').map((line) => line.length);
  expect(Math.max(...longest)).toBeLessThan(2_048);
});

it.each([
  ['does not pass on WebSockets', { location: [] }, /answered 200/],
  [
    'takes only short request lines',
    {
      server: [
        'connection_pool_size 256;',
        'client_header_buffer_size 400;',
        'large_client_header_buffers 4 400;',
      ],
    },
    /answered 414 \(.*Request-URI Too Large/,
  ],
  [
    'blocks exec into pods',
    { location: [...UPGRADE, 'if ($uri ~ /exec$) { return 404; }'] },
    /answered 404 \(.*404 Not Found/,
  ],
])('a proxy that %s is found before any claim', async (_, lines, why) => {
  const { kubeconfig } = await startNginx(lines);
  const error = await bench
    .target({ kubeconfig })
    .check(NEVER)
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ outcome: 'target-error', code: 'PRA-K8S-11' });
  expect(String(error)).toMatch(
    /Failed to try an exec request for the job: a proxy or an ingress in front of the API server/,
  );
  expect(String(error)).toMatch(why);
});
