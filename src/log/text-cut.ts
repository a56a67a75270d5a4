/** Where to cut `text` (longer than `limit`, 2 at least) so that the first piece has at most `limit` UTF-16 units and no character is torn. */
export function cutPosition(text: string, limit: number): number {
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return splitsPair ? limit - 1 : limit;
}
