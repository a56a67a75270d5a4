import { createHash } from 'node:crypto';

/** What a client sends to take the lock, which `ID` identifies. */
export interface LockInfo {
  readonly ID: string;
  readonly Operation?: string;
  readonly Who?: string;
  readonly Created?: string;
}

/** An answer of the store: an HTTP status with the state, or with a held lock's information. */
export interface StateAnswer {
  readonly status: number;
  readonly body?: string;
}

/** A state of an OpenTofu or Terraform `http` backend, with its lock. */
export class StateStore {
  #state: string | undefined;
  #lock: LockInfo | undefined;
  #writes = 0;
  #locks = 0;

  /** The state as last written; undefined before the first write and after a deletion. */
  get state(): string | undefined {
    return this.#state;
  }

  /** The holder of the lock; undefined if it is free. */
  get lock(): LockInfo | undefined {
    return this.#lock;
  }

  /** How often the state was written. */
  get writes(): number {
    return this.#writes;
  }

  /** How often the lock was taken. */
  get locks(): number {
    return this.#locks;
  }

  read(): StateAnswer {
    return this.#state === undefined ? { status: 204 } : { status: 200, body: this.#state };
  }

  /**
   * @param lockId the query's `ID`: the writer's lock
   * @param md5 the header `Content-MD5`, base64
   */
  write(state: string, lockId: string | undefined, md5: string | undefined): StateAnswer {
    if (this.#lock !== undefined && this.#lock.ID !== lockId) return this.#refusal();
    if (md5 !== undefined && md5 !== createHash('md5').update(state).digest('base64')) return { status: 400 };
    this.#state = state;
    this.#writes += 1;
    return { status: 200 };
  }

  remove(lockId: string | undefined): StateAnswer {
    if (this.#lock !== undefined && this.#lock.ID !== lockId) return this.#refusal();
    this.#state = undefined;
    return { status: 200 };
  }

  take(body: string): StateAnswer {
    if (this.#lock !== undefined) return this.#refusal();
    const info = lockInfoOf(body);
    if (info === undefined) return { status: 400 };
    this.#lock = info;
    this.#locks += 1;
    return { status: 200 };
  }

  /** The ID alone releases the lock: `tofu force-unlock` sends nothing else. */
  release(body: string): StateAnswer {
    const info = lockInfoOf(body);
    if (info === undefined) return { status: 400 };
    if (this.#lock === undefined || this.#lock.ID !== info.ID) return { status: 409 };
    this.#lock = undefined;
    return { status: 200 };
  }

  /** 423 with the holder's information, which clients show to their user. */
  #refusal(): StateAnswer {
    return { status: 423, body: JSON.stringify(this.#lock) };
  }
}

function lockInfoOf(body: string): LockInfo | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isLock =
      typeof value === 'object' && value !== null && 'ID' in value && typeof value.ID === 'string';
    return isLock ? (value as LockInfo) : undefined;
  } catch {
    return undefined;
  }
}
