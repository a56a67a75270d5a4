import { createHash } from 'node:crypto';
import { HEIGHT, SCALE, type Sources, WIDTH } from './pages.ts';

/** The file that has the hash of what each picture shows, beside the pictures. */
export const SOURCES_FILE = 'sources.json';

/** The SHA-256 of what each picture shows, and of the size in which it is taken, by the name of its file. */
export function hashesOf(sources: Sources): Record<string, string> {
  const hash = (text: string) =>
    createHash('sha256').update(`${WIDTH} × ${HEIGHT} × ${SCALE}\n${text}`).digest('hex');
  return Object.fromEntries([...sources].map(([file, text]) => [file, hash(text)]));
}
