import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Readiness } from '../../../src/agent/readiness.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openEngineGate } from '../../support/docker/engine-gate.ts';
import { startEngineProxy } from '../../support/docker/engine-proxy.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';
import { listen, owned } from '../network/servers.ts';

const bench = workbench();

interface LateEngine {
  readonly DOCKER_HOST: string;
  /** Ends its start. */
  readonly begin: () => unknown;
}

async function missingSocket(): Promise<LateEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'late-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const socket = join(folder, 'docker.sock');
  const begin = async () => {
    const { cut } = await openEngineGate({ socket });
    onTestFinished(cut);
  };
  return { DOCKER_HOST: `unix://${socket}`, begin };
}

async function closedPort(): Promise<LateEngine> {
  const proxy = await startEngineProxy();
  proxy.cut();
  return { DOCKER_HOST: proxy.url, begin: proxy.restore };
}

async function unavailableAtFirst(): Promise<LateEngine> {
  let isReady = false;
  // It refuses the protocol of a session's request, as engines do.
  const server = createServer(({ url }, answer) =>
    answer
      .writeHead(isReady ? (url?.endsWith('/session') === true ? 400 : 200) : 503)
      .end(JSON.stringify({ ApiVersion: '1.41', message: 'starting' })),
  );
  const { port } = owned(await listen(server, '127.0.0.1'));
  const begin = () => {
    isReady = true;
  };
  return { DOCKER_HOST: `tcp://127.0.0.1:${port}`, begin };
}

it.each([
  ['whose socket is missing', missingSocket, /the socket does not exist/],
  ['whose port is closed', closedPort, /nothing accepts connections there/],
  ['that answers 503', unavailableAtFirst, /it answered 503 \(starting\)/],
])('a single run waits for an engine %s', async (_, make, cause) => {
  const { begin, ...environment } = await make();
  const said: string[] = [];
  const readiness = new Readiness({
    config: { singleRun: true, maxWaitMs: 100 },
    executor: bench.newExecutor({ environment }),
    // Nothing but the engine is late.
    health: { listen: async () => 'http://127.0.0.1:1' },
    tokens: { method: 'static', get: async () => 'pul-1' },
    trial: async () => false,
    clock: systemClock,
    log: () => undefined,
    event: () => undefined,
    say: (_level: string, sentence: string) => {
      said.push(sentence);
      void begin();
    },
    random: () => 0,
    drain: NEVER,
  } as unknown as ConstructorParameters<typeof Readiness>[0]);
  await readiness.prove();
  expect(said).toEqual([expect.stringMatching(cause)]);
});
