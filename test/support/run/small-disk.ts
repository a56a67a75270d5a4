import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

/** Mounts a disk of half a MiB, or of another size, over the folder. Returns a function that fills it, as another program would. */
export function smallDisk(folder: string, size = 'size=512k'): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]);
  // Lazily: a record that no test closes still has files there.
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return () => {
    const other = openSync(join(folder, 'another-program'), 'a');
    try {
      for (;;) writeSync(other, Buffer.alloc(4096, 'x'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      closeSync(other);
    }
  };
}
