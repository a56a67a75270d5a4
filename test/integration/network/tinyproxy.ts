import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../src/pulumi-agent/agent-health.ts';
import { programPath } from '../../support/script.ts';

export interface TinyproxyOptions {
  readonly host: string;
  /** Further lines of its configuration. */
  readonly lines?: readonly string[];
}

export type Tinyproxy = Awaited<ReturnType<typeof startTinyproxy>>;

/** Starts a real HTTP proxy; resolves once it accepts connections. */
export async function startTinyproxy({ host, lines = [] }: TinyproxyOptions) {
  const port = await freePort();
  const program = await programPath('tinyproxy');
  const folder = await mkdtemp(join(tmpdir(), 'tinyproxy-'));
  const [configuration, logFile] = [join(folder, 'tinyproxy.conf'), join(folder, 'log')];
  const settings = [
    `Listen ${host}`,
    `Port ${port}`,
    'Timeout 60',
    'MaxClients 20',
    `LogFile "${logFile}"`,
    'LogLevel Connect',
  ];
  await writeFile(configuration, [...settings, ...lines, ''].join('\n'));
  await writeFile(logFile, '');
  const child = spawn(program, ['-d', '-c', configuration], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + 20_000;
  while (!(await answers(host, port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(
        `Failed to start ${program} on ${host}:${port}: ${said.trim() || 'it takes no connections'}.`,
      );
    }
    await delay(20);
  }
  return { address: `http://${host}:${port}`, log: () => readFile(logFile, 'utf8'), stop };
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
