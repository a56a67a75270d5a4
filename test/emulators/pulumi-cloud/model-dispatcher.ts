import { Dispatcher } from 'undici';
import type { Answer } from './call.ts';
import type { FaultAnswer } from './faults.ts';
import type { CloudModel } from './model.ts';
import { writtenOf } from './wire-faults.ts';

/** The way of undici's clients to the model, without a socket: for `CloudHttp` itself, and whatever is built on it. */
export class ModelDispatcher extends Dispatcher {
  readonly #model: CloudModel;

  constructor(model: CloudModel) {
    super();
    this.#model = model;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const exchange = new Exchange(handler);
    handler.onRequestStart?.(exchange, {});
    if (!exchange.aborted) void this.#serve(options, handler, exchange);
    return true;
  }

  /** There is nothing to close. */
  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    return callback === undefined ? Promise.resolve() : callback();
  }

  /** There is nothing to destroy. */
  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  async #serve(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, exchange: Exchange) {
    const { method, path, headers, body } = options;
    const head = { method, url: path, headers: { ...(headers as Record<string, string>) } };
    const arrival = this.#model.arrive(head, () => !exchange.aborted);
    exchange.onAbort = () => {
      arrival.release();
      arrival.entry.abandoned = true;
      this.#model.notify();
    };
    this.#model.notify();
    const { answer, fault } = await this.#model.serve(arrival, Buffer.from((body ?? '') as string | Uint8Array));
    const said = inProcess(fault, answer);
    if (exchange.aborted || said === 'hang') return;
    arrival.release();
    exchange.onAbort = () => undefined;
    if (said === 'reset') {
      handler.onResponseError?.(exchange, new Error('other side closed'));
    } else {
      const { status, headers, text } = writtenOf(said);
      arrival.entry.status = status;
      handler.onResponseStart?.(exchange, status, { ...headers }, '');
      handler.onResponseData?.(exchange, Buffer.from(text));
      handler.onResponseEnd?.(exchange, {});
    }
    this.#model.notify();
  }
}

/** What a client without a socket meets. @throws Error for bytes of a fault's own, which need a connection. */
export function inProcess(fault: FaultAnswer | undefined, answer: Answer | undefined): Answer | 'hang' | 'reset' {
  if (typeof fault === 'function') throw new Error('Failed to spoil an answer for a call in-process: it has no bytes.');
  if (fault === 'close') return 'reset';
  return fault ?? answer ?? 'reset';
}

class Exchange implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler;
  onAbort: () => void = () => undefined;
  aborted = false;
  reason: Error | null = null;
  readonly paused = false;
  readonly rawHeaders = null;
  readonly rawTrailers = null;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.onAbort();
    this.#handler.onResponseError?.(this, reason);
  }

  /** An answer is there as a whole. */
  pause(): void {}

  resume(): void {}
}
