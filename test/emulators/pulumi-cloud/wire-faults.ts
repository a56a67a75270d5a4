import type { ServerResponse } from 'node:http';
import type { Answer } from './call.ts';

/** An answer as it would go out. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly text: string;
}

/** An answer as it goes out: JSON, or the text that its headers give another type. */
export function writtenOf({ status, headers = {}, body }: Answer): WrittenAnswer {
  const given = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]);
  const own: Record<string, string | string[]> = Object.fromEntries(given);
  if (body === undefined) return { status, headers: own, text: '' };
  const text = typeof body === 'string' && 'content-type' in own ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...own }, text };
}

/** Answers in a way that no well-behaved server would; gets the right answer, or an empty 200 when the call was not processed. */
export type WireFault = (response: ServerResponse, answer: WrittenAnswer) => void;

/** The answer changed, and written as any other. */
export function changed(change: (answer: WrittenAnswer) => Partial<WrittenAnswer>): WireFault {
  return (response, answer) => {
    const { status, headers, text } = { ...answer, ...change(answer) };
    const body = Buffer.from(text);
    response.writeHead(status, status === 204 ? {} : { ...headers, 'content-length': String(body.length) });
    response.end(status === 204 ? undefined : body);
  };
}

/** The answer in many pieces, head or body of it spread over `ms` milliseconds, also where timers are late. */
export function slowly(what: 'head' | 'body', ms: number): WireFault {
  return (response, answer) => {
    const { head, body } = bytes(answer, 'close');
    const [first, rest] = what === 'head' ? [Buffer.alloc(0), head] : [head, body];
    const { socket } = response;
    socket?.write(first);
    const started = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      const due = Math.min(rest.length, Math.floor((rest.length * (performance.now() - started)) / ms));
      socket?.write(rest.subarray(sent, due));
      sent = due;
      if (sent < rest.length) return;
      clearInterval(timer);
      socket?.end(what === 'head' ? body : Buffer.alloc(0));
    }, 5);
    socket?.once('close', () => clearInterval(timer));
    socket?.once('error', () => undefined);
  };
}

/** Half of the answer, then a reset. */
export const brokenOff: WireFault = (response, answer) => {
  const { head, body } = bytes(answer, 'close');
  const { socket } = response;
  socket?.write(Buffer.concat([head, body.subarray(0, body.length / 2)]), () => socket.resetAndDestroy());
};

/** The answer twice in one piece: nobody can have sent another call in between. */
export const twice: WireFault = (response, answer) => {
  const { head, body } = bytes(answer, 'keep-alive');
  response.socket?.write(Buffer.concat([head, body, head, body]));
};

function bytes(
  { status, headers, text }: WrittenAnswer,
  connection: 'close' | 'keep-alive',
): { head: Buffer; body: Buffer } {
  // White space behind JSON means nothing: so every body has some length.
  const body = Buffer.from(status === 204 ? '' : text.padEnd(40));
  const lines = [
    `HTTP/1.1 ${status} Answer`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `connection: ${connection}`,
    ...(status === 204 ? [] : [`content-length: ${body.length}`]),
  ];
  return { head: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body };
}
