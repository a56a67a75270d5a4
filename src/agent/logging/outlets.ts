import { appendFile, constants, fstatSync, openSync, type Stats, writeSync } from 'node:fs';
import { AppendedFile } from '../../record/appended-file.ts';
import type { Outlet } from './line-queue.ts';
import type { LogEntry } from './log-line.ts';

type WriteText = (text: string, done: (error?: Error | null) => void) => void;

export const STDERR = 2;
/** Milliseconds until a stopped terminal is tried again. */
const AGAIN_MS = 100;

/** An open file descriptor as an outlet that never holds up the caller, whatever it leads to; `line` makes the text of an entry. */
export function outletOf(descriptor: number, line: (entry: LogEntry) => string): Outlet {
  const write = writerOf(descriptor);
  return (entry, done) => write(line(entry), done);
}

function writerOf(descriptor: number): WriteText {
  const kind = statsOf(descriptor);
  if (kind?.isFile()) return toFile(new AppendedFile(descriptor));
  if (descriptor === STDERR && (kind?.isFIFO() || kind?.isSocket())) return toPipe(process.stderr);
  return toTerminal(descriptor);
}

/**
 * A stopped terminal holds up its writer, and a process can't end while a thread of Node's pool is in that write. So the terminal is
 * opened anew, for writes that don't wait; where that can't be, a thread of the pool writes.
 */
function toTerminal(descriptor: number): WriteText {
  let terminal: number;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    terminal = openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return (text, done) => appendFile(descriptor, text, done);
  }
  return (text, done) => {
    let rest = Buffer.from(text);
    const push = (): void => {
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(terminal, rest));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') setTimeout(push, AGAIN_MS);
        else done(error as Error);
        return;
      }
      done();
    };
    push();
  };
}

/** A regular file takes each line at once: the last lines of a killed agent are there. */
function toFile(file: AppendedFile): WriteText {
  return (text, done) => {
    try {
      file.append(text);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}

/** What a pipe has room for is out at once too; only the rest waits. */
function toPipe(stream: NodeJS.WriteStream): WriteText {
  // A reader that is gone must not end a deployment; each write's callback gets the error all the same. Stays as long as stderr does.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  return (text, done) => {
    const more = stream.write(text, (error) => {
      if (!more) done(error);
    });
    if (more) done();
  };
}

function statsOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}
