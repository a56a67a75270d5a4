// Serves a TCP port as a Unix socket, with half-closed connections kept: an exec's input ends before its output does.
// Usage: node cgroup2-socket.mjs SOCKET HOST PORT
import { chmodSync, rmSync } from 'node:fs';
import net from 'node:net';

const [socket, host, port] = process.argv.slice(2);
rmSync(socket, { force: true });
net
  .createServer({ allowHalfOpen: true }, (client) => {
    const engine = net.connect({ host, port: Number(port), allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ]) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  })
  .listen(socket, () => chmodSync(socket, 0o660));
