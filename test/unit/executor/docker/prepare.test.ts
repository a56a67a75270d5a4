import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { prepareContainer } from '../../../../src/executor/docker/container/prepare.ts';
import type { DockerEngine } from '../../../../src/executor/docker/engine/engine.ts';
import { EngineRefusedError } from '../../../../src/executor/docker/engine/errors.ts';
import { frame } from '../../../support/docker/frame.ts';

const { signal } = new AbortController();
const refusal = new EngineRefusedError(500, 'exec format error');

/** Prepares a container on an engine that refuses these calls. Returns its calls, the warnings and the outcome. */
async function prepare(...refused: readonly string[]) {
  const calls: string[] = [];
  const warnings: string[] = [];
  const answer = async <T>(call: string, value?: T) => {
    calls.push(call);
    if (refused.includes(call)) throw refusal;
    return value;
  };
  const main = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  main.on('close', () => calls.push('close the main process'));
  main.push(frame(1, '0 ready 0 0\n'));

  const network = {
    inspect: async () => ({}),
    remove: () => answer('remove the network'),
  };
  const container = {
    inspect: async () => ({ HostConfig: { Runtime: 'runc' }, Config: { User: '' } }),
    attach: async () => main,
    start: () => answer('start the container'),
    putArchive: () => answer('put the files'),
    remove: () => answer('remove the container'),
  };
  const docker = {
    getImage: () => ({ inspect: async () => ({ Id: 'sha256:1', Os: 'linux', Architecture: 'amd64' }) }),
    getNetwork: () => network,
    createNetwork: () => answer('make the network'),
    info: async () => ({ SecurityOptions: ['name=seccomp,profile=builtin'] }),
    createContainer: () => answer('make the container', { id: 'c0ffee' }),
    getContainer: () => container,
  };
  const call = (run: (...words: unknown[]) => unknown) => run(docker, signal);
  const engine = { endpoint: {}, call, takeOver: call, version: async () => ({ isPodman: false }) };

  const outcome = await prepareContainer(engine as unknown as DockerEngine, {
    spec: {
      image: 'job',
      pull: false,
      labels: {},
      files: [{ path: '/PULUMI_ENV', mode: 0o600, content: '' }],
      environmentFile: '/PULUMI_ENV',
    },
    limits: {},
    network: {},
    pulls: { pullIdleMs: 1_000, pullRetryMs: 1, hostLogin: async () => undefined },
    times: { stopMs: 0, silenceMs: 1_000, keepAliveMs: 10_000, orphanGraceSeconds: 1 },
    progress: async () => undefined,
    signal,
    logger: (_, text) => warnings.push(text),
  }).catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  const seen = [...calls];
  main.destroy();
  return { calls: seen, warnings, outcome };
}

const MADE = ['make the network', 'make the container', 'start the container', 'put the files'];

describe('a container in preparation', () => {
  it('stays if nothing fails', async () => {
    const { calls, outcome } = await prepare();
    expect(outcome).toMatchObject({ id: 'c0ffee', warnings: [] });
    expect(calls).toEqual(MADE);
  });

  it.each([
    ['make the network', 0, ['remove the network'], 'PRA-CONTAINER-02'],
    ['make the container', 1, ['remove the container', 'remove the network'], 'PRA-CONTAINER-01'],
    [
      'start the container',
      2,
      ['remove the container', 'remove the network', 'close the main process'],
      'PRA-CONTAINER-01',
    ],
    [
      'put the files',
      3,
      ['remove the container', 'remove the network', 'close the main process'],
      'PRA-CONTAINER-01',
    ],
  ])('leaves nothing if the engine refuses to %s', async (refused, at, removals, code) => {
    const { calls, warnings, outcome } = await prepare(refused);
    expect(calls).toEqual([...MADE.slice(0, at + 1), ...removals]);
    expect(outcome).toMatchObject({ code });
    expect(warnings).toEqual([]);
  });

  it('fails with the engine’s refusal, and warns of the first removal that fails', async () => {
    const { calls, warnings, outcome } = await prepare(
      'start the container',
      'remove the container',
      'remove the network',
    );
    expect(calls.slice(3)).toEqual(['remove the container', 'remove the network', 'close the main process']);
    expect(outcome).toMatchObject({ code: 'PRA-CONTAINER-01', cause: refusal });
    expect(warnings).toEqual([expect.stringContaining('Failed to remove container pulumi-runner-')]);
  });
});
