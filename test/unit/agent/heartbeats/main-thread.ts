/**
 * A process that keeps a claim as the agent does and does with its main thread what its parent says: `block` for so many
 * milliseconds, or `stop`.
 */
import type { HeartbeatTimes } from '../../../../src/agent/heartbeat/messages.ts';
import { WorkerHeartbeat } from '../../../../src/agent/heartbeat/thread.ts';
import { systemClock } from '../../../../src/clock.ts';
import { StaticToken } from '../../../../src/cloud/token.ts';
import type { Claim } from '../../../../src/cloud/wire.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { Lease } from '../../../../src/job/lease.ts';

/** What the parent sends first. */
export interface Start {
  readonly claim: Claim;
  readonly serviceUrl: string;
  readonly program: string;
  readonly times: HeartbeatTimes;
  /** Only the thread is started: nothing else keeps the process. */
  readonly alone: boolean;
}

export type Order = { readonly block: number } | 'stop';

const places = { workingDirectory: '/', homeDirectory: '/', agentDirectory: '/' };

async function keep({ claim, serviceUrl, program, times, alone }: Start): Promise<void> {
  const overrides = { token: 'pul-x', service_url: serviceUrl };
  const { config } = await loadConfig({ environment: {}, ...places, overrides });
  const say = (what: string) => {
    if (process.connected) process.send?.(what);
  };
  let accepted = () => say('accepted');
  const events = { onAccepted: () => accepted(), onGone: () => say('gone'), onFailure: () => say('failed') };
  const tokens = new StaticToken('pul-x');
  const started = () => new WorkerHeartbeat({ ...events, program, config, claim, times, tokens, log: () => undefined });
  if (alone) {
    const thread = started();
    const alive = setInterval(() => undefined, 60_000);
    accepted = () => {
      clearInterval(alive);
      if (process.connected) process.disconnect();
    };
    await thread.ready(AbortSignal.timeout(60_000));
    thread.begin(0);
    return;
  }
  const lease = new Lease({
    ...events,
    ...times,
    clock: systemClock,
    handOverMs: 0,
    // Whatever arrives has been sent by the thread.
    beat: () => Promise.resolve(),
    onLost: () => say('lost'),
    onThreadFailure: (error) => say(String(error)),
    thread: () => Promise.resolve(started()),
  });
  lease.start();
  process.on('message', async (order: Order) => {
    if (order === 'stop') {
      await lease.stop();
      say('stopped');
      process.disconnect();
    } else {
      say('blocking');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.block);
      say('back');
    }
  });
}

process.once('message', (start: Start) => void keep(start));
