import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { checkConfined } from '../../../../src/executor/docker/container/confinement.ts';
import type { DockerEngine } from '../../../../src/executor/docker/engine/engine.ts';
import { frame } from '../../../support/docker/frame.ts';

const { signal } = new AbortController();

/** Checks a container whose shell reads this of its own status, given 8 capabilities. */
function check(status: string) {
  const stream = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      stream.push(null);
      done();
    },
  });
  stream.push(frame(1, status));
  stream.push(frame(2, 'ended\n'));
  const engine = { call: async () => ({ start: async () => stream }), takeOver: async () => stream };
  return checkConfined(engine as unknown as DockerEngine, 'c', { runtime: 'odd', capabilities: 8, signal });
}

it('a job is let in where its shell sees what it was given, and no way to more', async () => {
  await check('CapBnd:00000000800000fb\nNoNewPrivs:1\n');
});

it.each([
  ['CapBnd:000001ffffffffff\nNoNewPrivs:1\n', 'its root has 41 capabilities, where 8 were given'],
  ['CapBnd:00000000800000fb\nNoNewPrivs:0\n', 'its processes can gain privileges'],
  ['NoNewPrivs:1\n', 'its root has 64 capabilities, where 8 were given'],
  ['', 'its root has 64 capabilities, where 8 were given'],
])('a job is refused whose shell sees %j', async (status, cause) => {
  await expect(check(status)).rejects.toThrow(
    `Failed to confine the job: under the runtime odd ${cause}. Correct the runtime on the engine`,
  );
});
