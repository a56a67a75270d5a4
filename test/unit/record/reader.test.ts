import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEvent, readResult } from '../../../src/record/reader.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

async function directory(text?: string): Promise<string> {
  const path = await temporaryDirectory();
  if (text !== undefined) await writeFile(join(path, 'run.json'), text);
  return path;
}

describe('a line of events', () => {
  it.each([
    ['{"t":"2026-06-18T10:00:00.123Z","type":"waiting","polls":1,"nextPollSeconds":2,"later":"field"}', true],
    ['{"t":"…","type":"something-of-a-later-version"}', false],
    ['{"type":"waiting","polls":1,"nextPollSeconds":2}', false],
    ['null', false],
  ])('%s is known: %s', (line, known) => {
    expect(parseEvent(line) !== undefined).toBe(known);
  });

  it.each(['', '{"t":"2026', 'Segmentation fault'])(
    'that is not JSON (%j) is an error that shows it',
    (line) => {
      expect(() => parseEvent(line)).toThrow(/^Failed to read an event for the run: /);
      expect(() => parseEvent(line)).toThrow(line);
      expect(() => parseEvent(`{${'x'.repeat(10_000)}`)).toThrow(/^.{200,400}$/);
    },
  );
});

describe('a result', () => {
  it('that does not exist yet is undefined', async () => {
    expect(await readResult(await directory())).toBeUndefined();
    expect(await readResult('/nowhere/at/all')).toBeUndefined();
  });

  it.each(['', '{', 'null', '{}', '{"schema":2}', '{"schema":1,"outcome":"splendid"}'])(
    'that another version wrote (%j) is an error with a code',
    async (text) => {
      await expect(readResult(await directory(text))).rejects.toMatchObject({ code: 'PRA-RECORD-09' });
    },
  );

  it('that can’t be read throws the system’s error', async () => {
    const path = await directory();
    await mkdir(join(path, 'run.json'));
    await expect(readResult(path)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
