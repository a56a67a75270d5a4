import { afterEach, expect, it, vi } from 'vitest';
import { ExecStream } from '../../../src/executor/kubernetes/exec/exec-stream.ts';
import { CONTROL_SCRIPT } from '../../../src/executor/kubernetes/pod/pod-scripts.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
afterEach(() => void vi.restoreAllMocks());

async function throughProxy() {
  const { way, kubeconfig } = await bench.breakable();
  return {
    way,
    kubeconfig,
    executor: bench.target({ kubeconfig, leaseSeconds: 12, orphanGraceSeconds: 10 }),
  };
}

it('neither the environment file nor the last output is lost when the API server is away as a step ends', async () => {
  const { way, executor } = await throughProxy();
  const container = await bench.prepare({}, executor);
  await run(container, 'echo A=1 >>/PULUMI_ENV');
  way.refuse();
  setTimeout(way.open, 500);
  expect(await container.readEnvironmentFile(NEVER)).toBe('A=1\n');

  const open = ExecStream.open;
  let isCut = false;
  let refusals = 0;
  vi.spyOn(ExecStream, 'open').mockImplementation(async (options) => {
    if (options.script.code === CONTROL_SCRIPT) return open(options);
    if (isCut) {
      return open(options).catch((error: unknown) => {
        refusals += 1;
        way.open();
        throw error;
      });
    }
    const onError = (piece: Buffer) => {
      options.onError(piece);
      if (isCut || !/ of \d/.test(piece.toString())) return;
      isCut = true;
      way.refuse();
    };
    // As if the closing message arrived and the output was lost.
    return open({ ...options, onOutput: () => undefined, onError });
  });
  expect(await run(container, 'seq 1000; exit 3')).toMatchObject({
    code: 3,
    output: `${Array.from({ length: 1000 }, (_, index) => index + 1).join('\n')}\n`,
  });
  expect(refusals).toBeGreaterThan(0);
  vi.restoreAllMocks();
  const full = async () => Promise.reject(new Error('the disk is full'));
  const unread = await container.start(
    { shell: 'bash', script: 'echo a; sleep 60', environment: {} },
    full,
    NEVER,
  );
  await expect(unread.exit).rejects.toThrow('the disk is full');
});

it('a step whose start never arrived is started once, and not at all when it is stopped', async () => {
  const { way, executor } = await throughProxy();
  const container = await bench.prepare({}, executor);
  const write = ExecStream.prototype.write;
  let isCut = false;
  vi.spyOn(ExecStream.prototype, 'write').mockImplementation(function (this: ExecStream, data) {
    write.call(this, data);
    if (isCut || !data.includes('# complete')) return;
    isCut = true;
    // Cuts before a byte of it is sent.
    way.cut();
  });
  expect(await run(container, 'echo started >>/tmp/starts; echo here; exit 3')).toMatchObject({
    code: 3,
    output: 'here\n',
  });
  expect(isCut).toBe(true);
  isCut = false;
  const stopped = await begin(container, 'echo started >>/tmp/starts');
  await stopped.signal('SIGINT');
  expect(await stopped.exit).toEqual({ code: 130, outOfMemory: false });
  expect(isCut).toBe(true);
  expect(await run(container, 'cat /tmp/starts')).toMatchObject({ output: 'started\n' });
});
