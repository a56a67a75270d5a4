import type { FastifyReply } from 'fastify';

/** How an emulated service fails one request. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number }
  /** The connection is reset before an answer. */
  | { readonly kind: 'reset' }
  /** The request is accepted and never answered. */
  | { readonly kind: 'stall' };

/** Pending faults, by operation. */
export class FaultScript {
  readonly #pending = new Map<string, Fault[]>();

  /** Queues a fault for an operation's next request that has none. */
  inject(operation: string, fault: Fault): void {
    this.#pending.set(operation, [...(this.#pending.get(operation) ?? []), fault]);
  }

  /** Forgets all faults. */
  clear(): void {
    this.#pending.clear();
  }

  /** Takes the fault that is due for this request, if any. */
  take(operation: string): Fault | undefined {
    return this.#pending.get(operation)?.shift();
  }
}

/** Applies a fault to a Fastify reply. @returns whether the fault took the request over */
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
