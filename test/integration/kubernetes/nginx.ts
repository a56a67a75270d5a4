import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../free-port.ts';
import { scriptOutput } from '../../images/script.ts';
import { Authority } from '../network/authority.ts';

/** What lets WebSockets through, as nginx's documentation has it. */
export const UPGRADE = [
  'proxy_http_version 1.1;',
  'proxy_set_header Upgrade $http_upgrade;',
  'proxy_set_header Connection $connection_upgrade;',
];

export interface Nginx {
  /** Has a kubeconfig's text name this way to the API server. */
  change(kubeconfig: string): string;
  /** `GET /api/… 404` a line, of all that was asked. */
  requests(): Promise<string>;
  /** Ends it with all its connections, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A real nginx before the API server of a kubeconfig, over TLS on both sides; all that `lines` don't say is its default. */
export async function startNginx(kubeconfig: string, lines: readonly string[] = UPGRADE): Promise<Nginx> {
  const program = (await scriptOutput('nginx', [])).trim();
  await scriptOutput('network-peers', []);
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const authority = new Authority();
  const port = await freePort();
  const { cert, key } = authority.issue({ names: 'IP:127.0.0.1' });
  const said = readFileSync(kubeconfig, 'utf8');
  const [, server, ca] = /server: "([^"]+)", certificate-authority: "([^"]+)"/.exec(said) ?? [];
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const configuration = `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  ${temporary.join(' ')}
  log_format requests '$request_method $request_uri $status';
  access_log ${folder}/access.log requests;
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert; ssl_certificate_key ${folder}/key;
    ${lines.filter((line) => /buffer|pool/.test(line)).join('\n    ')}
    location / {
      proxy_pass ${server};
      proxy_ssl_trusted_certificate ${ca}; proxy_ssl_verify on; proxy_ssl_name localhost;
      ${lines.filter((line) => !/buffer|pool/.test(line)).join('\n      ')}
    }
  }
}
`;
  await Promise.all(
    Object.entries({ cert, key, configuration }).map(([name, text]) => writeFile(join(folder, name), text)),
  );
  let child: ChildProcess | undefined;
  const end = async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    }
  };
  const stop = async () => {
    await end();
    authority.remove();
    await rm(folder, { recursive: true, force: true });
  };
  const start = async () => {
    let complaint = '';
    const started = spawn(program, ['-p', folder, '-c', join(folder, 'configuration')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.stderr.on('data', (piece: Buffer) => (complaint += String(piece)));
    child = started;
    const deadline = performance.now() + 20_000;
    while (!(await answers(port))) {
      if (started.exitCode !== null || performance.now() > deadline) {
        await stop();
        throw new Error(`Failed to start ${program}: ${complaint.trim() || 'it takes no connections'}.`);
      }
      await delay(20);
    }
  };
  await start();
  return {
    change: (text) =>
      text
        .replace(/server: "[^"]+"/, `server: "https://127.0.0.1:${port}"`)
        .replace(/certificate-authority: "[^"]+"/, `certificate-authority: "${authority.path}"`),
    requests: () => readFile(join(folder, 'access.log'), 'utf8'),
    restart: async () => {
      await end();
      await start();
    },
    stop,
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
