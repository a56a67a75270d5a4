import type { Moment } from '../../clock.ts';
import type { Claim } from '../../cloud/wire.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Level } from '../logging/agent-log.ts';

/** What the heartbeat's thread is started with. */
export interface HeartbeatThreadData {
  readonly serves: 'heartbeats';
  readonly signs: SharedArrayBuffer;
}

/** What the main thread tells the heartbeat's. Tokens cross in messages alone: neither arguments nor variables hold them. */
export type ToThread =
  | {
      readonly type: 'begin';
      readonly config: AgentConfig;
      readonly claim: Claim;
      readonly inMs: number;
      readonly times: HeartbeatTimes;
    }
  | { readonly type: 'pool-token'; readonly token: string }
  | { readonly type: 'no-pool-token'; readonly reason: string };

/** What the heartbeat's thread tells the main thread. */
export type FromThread =
  | { readonly type: 'ready' | 'accepted' | 'gone' }
  | { readonly type: 'want-pool-token'; readonly refused?: string }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'log'; readonly level: Level; readonly message: string };

/** Milliseconds. */
export interface HeartbeatTimes {
  readonly intervalMs: number;
  readonly retryMs: number;
  readonly fenceMs: number;
}

/** What the two threads see of each other also while one of them is busy. */
export class Signs {
  readonly #cells: BigInt64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#cells = new BigInt64Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.#cells.buffer as SharedArrayBuffer; // made over one above
  }

  /** When the last accepted heartbeat was sent; undefined before the first. */
  get accepted(): Moment | undefined {
    const steady = Number(Atomics.load(this.#cells, 0));
    // Looked at second and told first: beside an older steady time it only makes the heartbeat look younger by the wall clock.
    return steady === 0 ? undefined : { now: Number(Atomics.load(this.#cells, 3)), steady };
  }
  set accepted({ now, steady }: Moment) {
    Atomics.store(this.#cells, 3, BigInt(Math.floor(now)));
    Atomics.store(this.#cells, 0, BigInt(Math.floor(steady)));
  }

  /** How often the thread has begun a heartbeat. */
  get beats(): number {
    return Number(Atomics.load(this.#cells, 1));
  }
  countBeat(): void {
    Atomics.add(this.#cells, 1, 1n);
  }

  /** How often the main thread has come to its timers. */
  get turns(): number {
    return Number(Atomics.load(this.#cells, 2));
  }
  countTurn(): void {
    Atomics.add(this.#cells, 2, 1n);
  }
}

/**
 * Tells for how long a count has stood still. It counts looks, one each `everyMs`, and not the clock's time: a machine that was
 * suspended has looked once.
 */
export class Standstill {
  readonly #count: () => number;
  readonly #everyMs: number;
  #last: number;
  #ms = 0;

  constructor(count: () => number, everyMs: number) {
    this.#count = count;
    this.#everyMs = everyMs;
    this.#last = count();
  }

  /** Milliseconds up to this look. */
  look(): number {
    const now = this.#count();
    this.#ms = now === this.#last ? this.#ms + this.#everyMs : 0;
    this.#last = now;
    return this.#ms;
  }
}
