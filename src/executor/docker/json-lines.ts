import { StringDecoder } from 'node:string_decoder';

/** The engine's frames are small; a longer line is not one of them. */
const LINE_LIMIT = 1024 ** 2;

/** The JSON values of a stream that has one per line. Throws for a line that is no JSON, and what the stream throws. */
export async function* jsonLines(stream: AsyncIterable<Buffer | string>): AsyncGenerator<unknown> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
    if (rest.length > LINE_LIMIT) throw new Error(`a line is longer than ${LINE_LIMIT} characters`);
  }
  rest += decoder.end();
  if (rest.trim() !== '') yield JSON.parse(rest);
}
