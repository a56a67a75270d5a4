import type { FastifyReply } from 'fastify';

/** How an emulated service misbehaves towards one request. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number }
  /** The connection is reset before an answer. */
  | { readonly kind: 'reset' }
  /** The request is taken and never answered. */
  | { readonly kind: 'stall' };

/** A list of faults to come, by operation; `*` stands for any operation and comes after the named ones. */
export class FaultScript {
  #pending: { operation: string; fault: Fault; times: number }[] = [];

  /** Lets the next `times` requests of an operation fail. */
  inject(operation: string, fault: Fault, times = 1): void {
    this.#pending.push({ operation, fault, times });
  }

  /** Forgets all faults. */
  clear(): void {
    this.#pending = [];
  }

  /** The fault for this request, if one is due; it is used up. */
  take(operation: string): Fault | undefined {
    const due =
      this.#pending.find((one) => one.operation === operation) ?? this.#pending.find((one) => one.operation === '*');
    if (due === undefined) return undefined;
    due.times -= 1;
    if (due.times <= 0) this.#pending = this.#pending.filter((one) => one !== due);
    return due.fault;
  }
}

/** Carries a fault out on a Fastify reply. @returns whether the request is over with that */
export async function applyFault(fault: Fault | undefined, reply: FastifyReply): Promise<boolean> {
  switch (fault?.kind) {
    case undefined:
      return false;
    case 'status':
      await reply.code(fault.status).type('application/json').send('{"message":"injected fault"}');
      return true;
    case 'reset':
      reply.hijack();
      reply.raw.socket?.resetAndDestroy();
      return true;
    case 'stall':
      reply.hijack();
      return true;
  }
}
