import { Duplex, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { prepareContainer } from '../../../../src/executor/docker/container/prepare.ts';
import type { DockerEngine } from '../../../../src/executor/docker/engine/engine.ts';
import { EngineRefusedError } from '../../../../src/executor/docker/engine/errors.ts';
import { ContainerError } from '../../../../src/executor/executor.ts';
import { frame } from '../../../support/docker/frame.ts';
import { hurryTimer } from '../../../support/job/held-timer.ts';

const { signal } = new AbortController();
const refusal = new EngineRefusedError(500, 'exec format error');

interface Given {
  /** The words with which the engine refuses. */
  readonly words?: string;
  readonly status?: number;
  /** What the main process writes once it has started. */
  readonly writes?: Buffer;
  /** Its stream ends after that. */
  readonly ends?: boolean;
  /** What the engine knows of the container's end; it doesn't answer if this is absent. */
  readonly events?: readonly (readonly [action: string, attributes: object])[];
  readonly isNamed?: boolean;
}

const READY = frame(1, '0 ready 0 0\n');

/** Prepares a container on an engine that refuses these calls. Returns its calls, the warnings and the outcome. */
const prepare = (...refused: readonly string[]) => prepareWith({}, ...refused);

async function prepareWith(given: Given, ...refused: readonly string[]) {
  const { words, status = 500, writes = READY, ends = false, events, isNamed } = given;
  const thrown = words === undefined ? refusal : new EngineRefusedError(status, words);
  const calls: string[] = [];
  const warnings: string[] = [];
  const answer = async <T>(call: string, value?: T) => {
    calls.push(call);
    if (refused.includes(call)) throw thrown;
    return value;
  };
  const main = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  main.on('close', () => calls.push('close the main process'));
  const begin = async () => {
    await answer('start the container');
    main.push(writes);
    if (ends) main.push(null);
  };

  const network = {
    inspect: async () => ({}),
    remove: () => answer('remove the network'),
  };
  const container = {
    inspect: async () => ({ HostConfig: { Runtime: 'runc' }, Config: { User: '' } }),
    attach: async () => main,
    start: begin,
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
    getEvents: async () => {
      calls.push('ask for the events');
      if (events === undefined) throw new Error('the engine is away');
      return Readable.from(
        events.map(([Action, Attributes]) => `${JSON.stringify({ Action, Actor: { Attributes } })}\n`),
      );
    },
  };
  const call = (run: (...words: unknown[]) => unknown) => run(docker, signal);
  const engine = {
    ...{ endpoint: {}, call, takeOver: call, negotiated: call },
    version: async () => ({ isPodman: false }),
  };

  const outcome = await prepareContainer(engine as unknown as DockerEngine, {
    spec: {
      image: 'job',
      pull: false,
      labels: {},
      files: [{ path: '/PULUMI_ENV', mode: 0o600, content: '', isNamed }],
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

const die = (exitCode: string) => ['die', { exitCode }] as const;

describe('a main process that is lost before it is ready', () => {
  it.each([
    ['its stream is cut', [die('0')], 'the connection to the container was cut'],
    ['its stream is cut and the container runs on', [], 'the connection to the container was cut'],
    ['the engine is away', undefined, 'the engine does not say why (the engine is away)'],
    ['the container is stopped', [['kill', { signal: '30' }], die('0')], 'was asked to stop the container'],
    ['the container is removed', [['kill', { signal: '9' }], die('137')], 'end the container (signal 9)'],
    ['the host runs out of memory', [['oom', {}], die('137')], 'it ran out of memory'],
    ['it is killed from outside', [die('137')], 'was killed (exit code 137). See the'],
  ] as const)('is the executor’s fault, which may pass: %s', async (_, events, why) => {
    const { calls, outcome } = await prepareWith({
      writes: frame(2, ''),
      ends: true,
      ...(events && { events }),
    });
    expect(outcome).toBeInstanceOf(ContainerError);
    expect(outcome).toMatchObject({ code: 'PRA-CONTAINER-01', fault: 'executor', mayPass: true });
    expect((outcome as Error).message).toContain(why);
    // Asked before its own removal shows there.
    const removal = calls.indexOf('remove the container');
    expect(calls.slice(0, removal)).toContain('ask for the events');
    expect(calls.slice(removal)).not.toContain('ask for the events');
  });

  it.each([
    ['deployment', 'exec /bin/sh: exec format error', '1'],
    ['deployment', 'exec /usr/bin/sh: invalid argument', '255'],
    ['deployment', 'sh: error while loading shared libraries: libc.so.6', '127'],
    ['deployment', '', '139'],
    ['executor', 'exec /bin/sh: operation not permitted', '1'],
  ])('is the fault of the %s if it ended by itself with "%s"', async (fault, words, exitCode) => {
    const { outcome } = await prepareWith({
      ...{ writes: frame(2, words), ends: true, events: [die(exitCode)] },
    });
    expect(outcome).toMatchObject({ code: 'PRA-CONTAINER-01', fault, mayPass: fault === 'executor' });
    expect((outcome as Error).message).toContain(words || 'its main process ended at once');
  });

  it('is the executor’s fault, which may pass, if it is never ready', async () => {
    hurryTimer(120_000);
    const { outcome } = await prepareWith({ writes: frame(2, '') });
    expect(outcome).toBeInstanceOf(ContainerError);
    expect(outcome).toMatchObject({
      ...{ code: 'PRA-CONTAINER-01', fault: 'executor', mayPass: true },
      message: expect.stringMatching(/: its main process gave no answer within 120 s\. Check the load /),
    });
  });
});

describe('files that the engine refuses', () => {
  const NOT_A_FOLDER = 'openat etc/passwd/x: not a directory';
  it.each([
    ['deployment', NOT_A_FOLDER, true, 500],
    ['executor', NOT_A_FOLDER, false, 500],
    ['executor', 'mkdir /PULUMI_ENV: no space left on device', true, 500],
    ['executor', '<html>Bad Gateway</html>', true, 502],
    ['executor', 'No such container: c0ffee', true, 404],
  ])('are the fault of the %s: %s (a path of its own: %s)', async (fault, words, isNamed, status) => {
    const { outcome } = await prepareWith({ words, isNamed, status }, 'put the files');
    expect(outcome).toMatchObject({ code: 'PRA-CONTAINER-01', fault, mayPass: status === 404 });
    expect((outcome as Error).message).toContain(words);
  });
});
