/** Reads a body whole; undefined if it has more than `most` bytes. Throws what reading throws. */
export async function readAtMost(body: AsyncIterable<Buffer>, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;

  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }

  return Buffer.concat(chunks);
}
