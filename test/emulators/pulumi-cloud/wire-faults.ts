import type { ServerResponse } from 'node:http';
import type { Answer } from './call.ts';

/** An answer in wire form. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Puts an answer in wire form: as JSON, or verbatim text if its headers set the content type. */
export function writtenOf({ status, headers = {}, body }: Answer): WrittenAnswer {
  if (body === undefined) return { status, headers, text: '' };
  const text = typeof body === 'string' && 'content-type' in headers ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, text };
}

/** Answers as no server should. Receives the right answer, or an empty 200 if the call was not processed. */
export type WireFault = (response: ServerResponse, answer: WrittenAnswer) => void;

/** Sends half of the answer, then resets the connection. */
export const brokenOff: WireFault = ({ socket }, { status, headers, text }) => {
  // Trailing blanks don't change JSON, and give every body enough length to cut.
  const body = status === 204 ? '' : text.padEnd(40);
  const lines = [
    `HTTP/1.1 ${status} Answer`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(status === 204 ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  socket?.write(`${lines.join('\r\n')}\r\n\r\n${body.slice(0, body.length / 2)}`, () =>
    socket.resetAndDestroy(),
  );
};
