import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ACTION, enqueue, POOL, useStage } from '../support/e2e/stage.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';
import { scriptOutput } from '../support/script.ts';

const stage = useStage();

/** Starts a server on this machine; returns its address. */
async function serve(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a file that an earlier CI job left in the home directory', () => {
  let home: string;
  beforeEach(async () => {
    home = await temporaryDirectory();
  });
  const leave = (settings: string) => writeFile(join(home, 'pulumi-workflow-agent.yaml'), settings);

  it('does not choose the service that gets the CI job’s ID token', async () => {
    const [stolen, tunnels]: [string[], string[]] = [[], []];
    const thief = await serve(
      createServer(async (request, response) => {
        stolen.push(`${request.url} ${await text(request)}`);
        response.writeHead(401).end();
      }),
    );
    // Stands for the way to Pulumi Cloud's own address, which no test takes.
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
    });
    await leave(`service_url: ${thief}\n`);
    const way = { HTTPS_PROXY: await serve(proxy), NO_PROXY: '127.0.0.1' };
    const job = await stage.job({ 'service-url': '', 'max-wait': '1s' }, { HOME: home, ...way });
    const main = await job.main();
    await job.post();
    expect(stolen).toEqual([]);
    expect(new Set(tunnels)).toEqual(new Set(['api.pulumi.com:443']));
    expect(main.outputs['outcome']).toBe('cloud-unreachable');
  });

  it('starts no program, and is a warning that names config-file', async () => {
    const planted = join(home, 'planted');
    await mkdir(planted);
    for (const name of ['customer-managed-workflow-agent', 'workflow-runner'])
      await writeFile(join(planted, name), `#!/bin/sh\necho "$@" > '${home}/ran'\n`, { mode: 0o755 });
    await leave(`engine: pulumi\nengine_path: ${planted}\n`);
    const deployment = enqueue(stage, { 'pulumi up': 'echo ours' });
    const { main } = await stage.run({}, { HOME: home });
    expect(await readdir(home)).not.toContain('ran');
    expect(main.outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': deployment.id });
    const warnings = main.annotations
      .filter(({ level }) => level === 'warning')
      .map(({ message }) => message);
    expect(warnings).toEqual([
      expect.stringMatching(/^\S*\/pulumi-workflow-agent\.yaml is not read: .* config-file\.$/),
    ]);
  });

  it('is no package that the action loads, though Node.js looks for missing ones there', async () => {
    const modules = join(home, '.node_modules');
    await mkdir(modules);
    // Both are optional to a package of the Kubernetes client.
    for (const name of ['bufferutil', 'utf-8-validate'])
      await writeFile(join(modules, `${name}.js`), `require('node:fs').writeFileSync('${home}/ran', '')`);
    const place = {
      cluster: { server: 'http://127.0.0.1:1' },
      context: { cluster: 'a', user: 'a' },
      user: {},
    };
    const named = Object.entries(place).map(([kind, value]) => [`${kind}s`, [{ name: 'a', [kind]: value }]]);
    await writeFile(
      join(home, 'config'),
      JSON.stringify({ 'current-context': 'a', ...Object.fromEntries(named) }),
    );
    const target = { 'deploy-target': 'kubernetes', kubeconfig: join(home, 'config') };
    const job = await stage.job({ ...target, doctor: 'true' }, { HOME: home });
    expect((await job.main()).console.join('\n')).toContain('127.0.0.1:1');
    expect(await readdir(home)).not.toContain('ran');
  });
});

describe('/etc/pulumi-workflow-agent.yaml', () => {
  const FILE = '/etc/pulumi-workflow-agent.yaml';
  const PLANTED = '/home/user/pulumi-workflow-agent.yaml';

  /** The step's variables in a job with `container:`; the runner makes the files that they name. */
  const STEP = {
    HOME: '/home/user',
    RUNNER_TEMP: '/tmp',
    GITHUB_OUTPUT: '/tmp/output',
    GITHUB_STATE: '/tmp/state',
    GITHUB_STEP_SUMMARY: '/tmp/summary',
    GITHUB_REPOSITORY: 'acme/infrastructure',
    INPUT_DOCTOR: 'true',
  };

  /** Runs Docker's client; returns what it prints. The emulators answer meanwhile. */
  async function docker(words: readonly string[], input = ''): Promise<string> {
    const child = spawn('docker', words);
    child.stdin.end(input);
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return output + errors;
  }

  /** A job's container with the machine's file, and one in its home directory. The runner's user there isn't root. */
  async function jobContainer() {
    await scriptOutput('agent-image', []);
    const how = 'run --detach --rm --network host --entrypoint sleep'.split(' ');
    const mount = ['--volume', `${join(ACTION, 'dist')}:/action:ro`];
    const id = (await docker([...how, ...mount, 'pulumi-runner-test/agent:1', '300'])).trim();
    onTestFinished(() => docker(['rm', '--force', id]).then(() => undefined));
    const asRoot = async (script: string, input = '') => {
      const command = ['sh', '-c', `set -e; ${script}`];
      expect(await docker(['exec', '--interactive', '--user', '0:0', id, ...command], input)).toBe('');
    };
    const variables = Object.entries(STEP).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const main = (...more: string[]) =>
      docker(['exec', '--user', '1000:1000', ...variables, ...more, id, 'node', '/action/action/index.js']);
    const token = stage.cloud.createStaticToken(POOL.id);
    await asRoot(`cat > ${FILE}; chmod 644 ${FILE}`, `token: ${token}\nservice_url: ${stage.cloud.url}\n`);
    await asRoot(`mkdir -p /home/user; cat > ${PLANTED}`, 'service_url: https://attacker.invalid\n');
    await asRoot('cd /tmp; for file in output state summary; do : > $file; chmod 666 $file; done');
    return { main, asRoot };
  }

  it('configures the action and its agent where it is root’s alone, and is named; else it is refused', async () => {
    const { main, asRoot } = await jobContainer();
    const used = await main();
    expect(used).toContain(`\nConfigured by ${FILE}.\n`);
    expect(used).toMatch(new RegExp(`^✔ Configuration +${FILE}$`, 'm'));
    expect(used).toMatch(/^✔ Pool /m);
    expect(used).toMatch(new RegExp(`^::warning::${PLANTED} is not read: .* config-file`, 'm'));
    const refusals = [
      [`chown 1000 ${FILE}`, `${FILE} belongs to the user 1000`],
      [`chown 0 ${FILE}; chmod 664 ${FILE}`, `${FILE} can be written by others (mode 664)`],
      [`chmod 644 ${FILE}; chmod 1777 /etc`, '/etc can be written by others (mode 1777)'],
      [`chmod 755 /etc; mv ${FILE} /etc/real; ln -s real ${FILE}`, `${FILE} is a link`],
    ] as const;
    for (const [change, said] of refusals) {
      await asRoot(change);
      const refused = await main();
      expect(refused).toContain(`${said}, but root alone must be able to change it`);
      expect(refused).toContain('PRA-CONFIG-01');
      expect(refused).not.toContain('Configured by');
    }
  }, 120_000);

  it('is refused where its lists can’t be known, though the step names another file', async () => {
    const { main, asRoot } = await jobContainer();
    await asRoot(`echo 'allowed_stacks: acme/*/dev' > ${FILE}; echo 'token: t' > /home/user/own.yaml`);
    const unknown = [
      [
        `chmod 640 ${FILE}`,
        `this user can't read ${FILE} (mode 640, user 0, group 0), whose lists count for each configuration`,
      ],
      [`chmod 600 ${FILE}`, '(mode 600, user 0, group 0)'],
      [`chmod 644 ${FILE}; mv ${FILE} /etc/real; ln -s real ${FILE}`, `${FILE} is a link`],
    ] as const;
    for (const [change, said] of unknown) {
      await asRoot(change);
      const refused = await main('--env', 'INPUT_CONFIG-FILE=/home/user/own.yaml');
      expect(refused).toContain(said);
      expect(refused).toContain('PRA-CONFIG-01');
      expect(refused).not.toMatch(/chmod|[ao]\+r/);
    }
  }, 120_000);
});
