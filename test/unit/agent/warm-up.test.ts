import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { agentOf } from './cloud-agent.ts';

/** Every request of this process whose head is about to be written, as undici tells it. */
function sent(onSent: (path: string, socket: Socket) => void): void {
  const listener = (message: unknown) => {
    const { request, socket } = message as { request: { path: string }; socket: Socket };
    onSent(request.path, socket);
  };
  subscribe('undici:client:sendHeaders', listener);
  onTestFinished(() => void unsubscribe('undici:client:sendHeaders', listener));
}

it('what a claim needs is loaded once the poll is written, not while it waits for its connection', async () => {
  // A connection that is used again, as after a token exchange: undici lets it rest for a turn before it writes.
  const { agent, target, cloud } = await agentOf({
    config: { max_wait: '0s' },
    options: (_, http) => ({
      beforeWaiting: async () => {
        const signal = new AbortController().signal;
        await http.once({ method: 'GET', path: '/before', purpose: 'open a connection', signal });
        return new Map();
      },
    }),
  });
  const told: string[] = [];
  let written = () => 0;
  sent((path, socket) => {
    told.push(path);
    const before = socket.bytesWritten;
    written = () => socket.bytesWritten - before;
  });
  const warm = Promise.withResolvers<number>();
  Object.assign(target, {
    warmUp: async () => {
      told.push('warm-up');
      warm.resolve(written());
    },
  });
  cloud.allow(/no such call/);
  expect(await agent.run()).toBe(0);
  expect(await warm.promise).toBeGreaterThan(100);
  expect(told).toEqual(['/before', '/api/deployments/poll', 'warm-up']);
});

it('a poll that is never written loads nothing', async () => {
  const { agent, target, cloud } = await agentOf({ config: { max_wait: '0s' } });
  await cloud.stop();
  let warm = false;
  Object.assign(target, {
    warmUp: async () => {
      warm = true;
    },
  });
  expect(await agent.run()).toBe(4);
  expect(warm).toBe(false);
});
