import { appendFile, fstatSync, type Stats } from 'node:fs';
import { AppendedFile } from '../../record/appended-file.ts';

/** Writes a text; Calls `done` when it is out, with an error when it can't be. */
export type Outlet = (text: string, done: (error?: Error | null) => void) => void;

export const STDERR = 2;

/** An open file descriptor as an outlet that never holds up the caller, whatever it leads to. */
export function outletOf(descriptor: number): Outlet {
  const kind = statsOf(descriptor);
  if (kind?.isFile()) return fileOutlet(new AppendedFile(descriptor));
  if (descriptor === STDERR && (kind?.isFIFO() || kind?.isSocket())) return pipeOutlet(process.stderr);
  // A stopped terminal holds up its writer: a thread of Node's pool here. Its stream would hold up the main one.
  return (text, done) => appendFile(descriptor, text, done);
}

/** A regular file takes each line at once: a killed agent's last words are there. */
function fileOutlet(file: AppendedFile): Outlet {
  return (text, done) => {
    try {
      file.append(text);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  };
}

/** What a pipe has room for is out at once too; only the rest waits. */
function pipeOutlet(stream: NodeJS.WriteStream): Outlet {
  // A reader that is gone must not end a deployment; each write's callback gets the error all the same. Stays as long as stderr does.
  stream.on('error', () => undefined);
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
