import { onTestFinished } from 'vitest';
import { Lease } from '../../../src/agent/job/lease.ts';
import { type Elapsed, type Moment, momentOf } from '../../../src/base/clock.ts';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { ManualClock, settled } from './manual-clock.ts';

type Beat = (signal: AbortSignal) => Promise<void>;

/** Hangs until its signal aborts, then rejects with the reason. */
export const hang: Beat = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

export const refuse: Beat = () => Promise.reject(new CloudUnreachableError('down', { code: 'PRA-CLOUD-10' }));
export const accept: Beat = () => Promise.resolve();

/** A lease on a clock that the test moves; `beat` may be changed at any time. */
class Kept {
  readonly clock = new ManualClock();
  readonly lease: Lease;
  readonly lost: (Elapsed & { readonly endBy: number })[] = [];
  beat: Beat;
  /** When each heartbeat began, and when the last accepted one did. */
  readonly begun: Moment[] = [];
  accepted: Moment = momentOf(this.clock);
  failures = 0;
  acceptances = 0;
  inFlight = 0;

  constructor(beat: Beat = accept) {
    this.beat = beat;
    this.lease = new Lease({
      clock: this.clock,
      beat: async (signal) => {
        const asked = momentOf(this.clock);
        this.begun.push(asked);
        this.inFlight += 1;
        try {
          await this.beat(signal);
        } finally {
          this.inFlight -= 1;
        }
        this.accepted = asked;
      },
      say: () => undefined,
      health: {
        heartbeat: (result) => {
          if (result === 'accepted') this.acceptances += 1;
          else this.failures += 1;
        },
      },
      onLost: (passed, endBy) => this.lost.push({ ...passed, endBy }),
    });
  }

  /** Steady milliseconds since the last accepted heartbeat was sent. */
  get age(): number {
    return this.clock.steady() - this.accepted.steady;
  }

  /** When each heartbeat began, in milliseconds from the first. */
  get times(): number[] {
    const [first] = this.begun;
    return this.begun.map(({ steady }) => steady - (first?.steady ?? 0));
  }
}

/** Starts a lease, which stops when the running test is over. */
export async function kept(beat?: Beat): Promise<Kept> {
  const made = new Kept(beat);
  onTestFinished(() => made.lease.stop());
  made.lease.start();
  await settled();
  return made;
}
