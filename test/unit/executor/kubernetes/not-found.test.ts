import { afterEach, expect, it, vi } from 'vitest';
import type { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import { isPassing, refusal } from '../../../../src/executor/kubernetes/errors.ts';
import { ControlChannel } from '../../../../src/executor/kubernetes/exec/control-channel.ts';
import { ExecStream } from '../../../../src/executor/kubernetes/exec/exec-stream.ts';
import { deleteObject } from '../../../../src/executor/kubernetes/objects.ts';
import { findPod } from '../../../../src/executor/kubernetes/pod/status.ts';

const { signal } = new AbortController();
const subject = { verb: 'get', resource: 'pods', namespace: 'jobs' };
const OWN = refusal(404, '{"kind":"Status","reason":"NotFound","message":"pods \\"p\\" not found"}', subject);
const PROXYS = refusal(404, '<html>\n<h1>404 Not Found</h1>', subject);

afterEach(() => void vi.restoreAllMocks());

/** A cluster whose every call fails with `error`. */
const failing = (error: Error) => ({ call: () => Promise.reject(error) }) as unknown as Cluster;

it('only the API server’s own 404 proves that an object is gone', async () => {
  const deletion = { kind: 'pods', name: 'p', signal } as const;
  expect(await findPod(failing(OWN), 'p', signal)).toBeUndefined();
  expect(await deleteObject(failing(OWN), deletion)).toBe(false);
  await expect(findPod(failing(PROXYS), 'p', signal)).rejects.toBe(PROXYS);
  await expect(deleteObject(failing(PROXYS), deletion)).rejects.toBe(PROXYS);
});

it('a proxy’s 404 passes', () => {
  expect([OWN, PROXYS].map(isPassing)).toEqual([false, true]);
});

it('a proxy’s 404 to the stream into a new pod is tried again', async () => {
  const open = vi.spyOn(ExecStream, 'open').mockRejectedValueOnce(PROXYS);
  open.mockImplementationOnce(async ({ onOutput }) => {
    const answer = (line: string) => void onOutput(Buffer.from(`${line.split(' ')[0]} yes\n`));
    return { end: new Promise(() => undefined), write: answer, close: () => undefined } as never;
  });
  const control = new ControlChannel({
    cluster: failing(PROXYS),
    pod: 'p',
    leaseSeconds: 60,
    orphanGraceSeconds: 1,
    logger: () => undefined,
  });
  await control.open(signal);
  control.close();
  expect(open).toHaveBeenCalledTimes(2);
});
