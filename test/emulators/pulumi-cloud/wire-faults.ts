import type { ServerResponse } from 'node:http';
import type { Answer } from './call.ts';

/** An answer as it would go out. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** An answer as it goes out: JSON, or the text that its headers give another type. */
export function writtenOf({ status, headers = {}, body }: Answer): WrittenAnswer {
  if (body === undefined) return { status, headers, text: '' };
  const text = typeof body === 'string' && 'content-type' in headers ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, text };
}

/** Answers in a way that no well-behaved server would; gets the right answer, or an empty 200 when the call was not processed. */
export type WireFault = (response: ServerResponse, answer: WrittenAnswer) => void;

/** Half of the answer, then a reset. */
export const brokenOff: WireFault = ({ socket }, { status, headers, text }) => {
  // White space behind JSON means nothing: so every body has some length.
  const body = status === 204 ? '' : text.padEnd(40);
  const lines = [
    `HTTP/1.1 ${status} Answer`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(status === 204 ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  socket?.write(`${lines.join('\r\n')}\r\n\r\n${body.slice(0, body.length / 2)}`, () => socket.resetAndDestroy());
};
