import type { FastifyReply } from 'fastify';

/** How an emulated service misbehaves towards one request. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number }
  /** The connection is reset before an answer. */
  | { readonly kind: 'reset' }
  /** The request is taken and never answered. */
  | { readonly kind: 'stall' };

/** Faults to come, by operation. */
export class FaultScript {
  readonly #pending = new Map<string, Fault[]>();

  /** Lets the next request of an operation fail that has no fault to come yet. */
  inject(operation: string, fault: Fault): void {
    this.#pending.set(operation, [...(this.#pending.get(operation) ?? []), fault]);
  }

  /** Forgets all faults. */
  clear(): void {
    this.#pending.clear();
  }

  /** The fault for this request, if one is due; it is used up. */
  take(operation: string): Fault | undefined {
    return this.#pending.get(operation)?.shift();
  }
}

/** Carries a fault out on a Fastify reply. @returns whether the request is over with that */
export async function applyFault(fault: Fault | undefined, reply: FastifyReply): Promise<boolean> {
  if (fault === undefined) return false;
  if (fault.kind === 'status') {
    await reply.code(fault.status).send({ message: 'injected fault' });
    return true;
  }
  reply.hijack();
  if (fault.kind === 'reset') reply.raw.socket?.resetAndDestroy();
  return true;
}
