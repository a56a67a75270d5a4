/** Sends a line to the syslog daemon that it is given once no file can be opened any more, and another after that. */
import { closeSync, openSync } from 'node:fs';
import { openSyslog } from '../../../src/agent/logging/syslog.ts';

const [, , socket = ''] = process.argv;
const syslog = await openSyslog({ socket, path: process.env['PATH'] });
const send = (message: string) => syslog.send({ at: Date.now(), level: 'info', message });
const open: number[] = [];
try {
  for (;;) open.push(openSync('/dev/null', 'r'));
} catch {
  // EMFILE: none is left.
}
const lost = await send('lost');
for (const file of open) closeSync(file);
console.log(JSON.stringify([lost, await send('sent')]));
