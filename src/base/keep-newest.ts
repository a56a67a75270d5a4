import type { Socket } from 'node:net';

/**
 * Adds a new connection to `open` until it closes, and cuts the oldest there if that makes more than
 * `most`.
 */
export function keepNewest(open: Set<Socket>, socket: Socket, most: number): void {
  open.add(socket);
  socket.once('close', () => open.delete(socket));
  const [oldest] = open;
  if (oldest === undefined || open.size <= most) return;
  open.delete(oldest);
  oldest.destroy();
}
