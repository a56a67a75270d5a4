import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

/** A process for a command, and the text that it has printed. */
export function capturedProcess() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const process = Object.assign(new EventEmitter(), { stdin, stdout });
  return { process, text: () => String(stdout.read() ?? '') };
}
