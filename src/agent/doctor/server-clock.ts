import { channel } from 'node:diagnostics_channel';

/** undici tells the headers of every answer there (its docs/api/DiagnosticsChannel.md). */
const HEADERS = channel('undici:request:headers');

/** Compares this machine's clock with the `Date` of a service's answers. */
export class ServerClock {
  #origin: string | undefined;
  #skewMs: number | undefined;

  /** Milliseconds that the service is ahead of this machine, to about a second; undefined while it has told no time. */
  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  listenTo(serviceUrl: string): void {
    this.#origin = new URL(serviceUrl).origin;
    HEADERS.subscribe(this.#onHeaders);
  }

  close(): void {
    HEADERS.unsubscribe(this.#onHeaders);
  }

  readonly #onHeaders = (message: unknown): void => {
    const { request, response } = message as Answer;
    if (this.#skewMs !== undefined || request?.method === 'CONNECT' || String(request?.origin) !== this.#origin) return;
    const headers = (response?.headers ?? []).map(String);
    const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'date');
    const told = at < 0 ? Number.NaN : Date.parse(headers[at + 1] ?? '');
    if (!Number.isNaN(told)) this.#skewMs = told - Date.now();
  };
}

interface Answer {
  readonly request?: { readonly origin?: unknown; readonly method?: string };
  /** Names and values by turns. */
  readonly response?: { readonly headers?: readonly unknown[] };
}
