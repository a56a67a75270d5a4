import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainLine, stripControl } from '../../../src/base/log/plain-text.ts';
import { GrowingLines, type Line, lastLines } from '../../../src/record/growing-lines.ts';
import { lineWithSequences } from '../../support/log/invisible.ts';
import { runs } from '../../support/property-runs.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

async function drain(file: GrowingLines, until?: number): Promise<Line[]> {
  const all: Line[] = [];
  for (let lines = await file.next(until); lines !== undefined; lines = await file.next(until))
    all.push(...lines);
  return all;
}

const texts = (lines: readonly Line[]) => lines.map(({ text }) => text);

describe('GrowingLines', () => {
  test('reads what was appended, whole lines only, and the rest at the end', async () => {
    const path = join(await temporaryDirectory(), 'log');
    await using file = new GrowingLines(path, 0, 100);
    expect(await file.next()).toBeUndefined();
    expect(await file.size()).toBe(0);
    await writeFile(path, 'one\ntw');
    expect(texts(await drain(file))).toEqual(['one']);
    expect(file.offset).toBe(4);
    await appendFile(path, 'o\n\nfour');
    expect(texts(await drain(file))).toEqual(['two', '']);
    expect(file.flush()).toEqual({ text: 'four', cutBytes: 0, end: 13 });
    expect(file.flush()).toBeUndefined();
    expect(file.offset).toBe(13);
  });

  test('cuts long lines at whole characters and counts what it left out', async () => {
    const path = join(await temporaryDirectory(), 'log');
    await writeFile(path, `${'ä'.repeat(10)}\n${'x'.repeat(300_000)}\nnext\n`);
    await using file = new GrowingLines(path, 0, 5);
    expect(await drain(file)).toEqual([
      { text: 'ää', cutBytes: 15, end: 21 },
      { text: 'xxxxx', cutBytes: 299_995, end: 300_022 },
      { text: 'next', cutBytes: 0, end: 300_027 },
    ]);
  });

  test('keeps the first and the last visible state of a long line that was rewritten, wherever it is read', async () => {
    const path = join(await temporaryDirectory(), 'log');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-z0-9 %]{0,40}$/), { minLength: 4, maxLength: 40 }),
        fc.integer({ min: 45, max: 300 }),
        fc.nat(),
        async (states, most, split) => {
          const line = `first\r${states.join('\r')}`;
          const bytes = Buffer.from(`${line}\nnext\n`);
          await writeFile(path, bytes.subarray(0, split % bytes.length));
          await using file = new GrowingLines(path, 0, most);
          const lines = await drain(file);
          await appendFile(path, bytes.subarray(split % bytes.length));
          lines.push(...(await drain(file)));
          expect(lines.map(({ end }) => end)).toEqual([line.length + 1, bytes.length]);
          const [{ text = '', cutBytes = 0 } = {}, next] = lines;
          expect(next).toMatchObject({ text: 'next', cutBytes: 0 });
          const shown = states.findLast((state) => state.trim() !== '');
          if (line.length <= most) expect(text).toBe(line);
          else if (shown === undefined) expect(text).toBe(line.slice(0, most));
          else expect(text).toBe(`first\r${shown}`);
          expect(text.length + cutBytes).toBe(line.length);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test.each(['\r', '\u001b[K\r', ' \r', '\u200b\r'])(
    'reads a line of %j alone as fast as any other, and shows the error behind it',
    async (state) => {
      const path = join(await temporaryDirectory(), 'log');
      await writeFile(path, `${state.repeat(400_000)}error\n`);
      await using file = new GrowingLines(path, 0, 8_192);
      const began = process.cpuUsage();
      const [line] = await drain(file);
      // State by state it took minutes.
      expect(process.cpuUsage(began).user / 1000).toBeLessThan(3_000);
      expect(line?.text).toMatch(/\rerror$/);
    },
  );

  test('shows the end of a line without a line ending, but not out of the middle of an escape sequence', async () => {
    const path = join(await temporaryDirectory(), 'log');
    const endOf = async (text: string, most = 20) => {
      await writeFile(path, text);
      await using file = new GrowingLines(path, 0, 5);
      await drain(file);
      return await file.unfinished(most);
    };
    expect(await endOf('done\n')).toBe('');
    expect(await endOf('done\n@ updating....')).toBe('@ updating....');
    expect(await endOf(`done\n@ updating${'.'.repeat(100)}`)).toBe('.'.repeat(20));
    expect(await endOf(`done\n\u001b[31m@ up\u001b[0m`)).toBe('\u001b[31m@ up\u001b[0m');
    expect(await endOf('one\n10 %\r20 %\r \u001b[K\r')).toBe('20 %');
    expect(await endOf(`\u001b]8;;https://a-very-long-address/\u0007text\u001b]8;;\u0007`)).toBe('');
    expect(await endOf(`\u001b]8;;https://a-very-long-address/\u0007text\r99 %`)).toBe('99 %');
    expect(await endOf(`done\n${'ü'.repeat(30)}`, 21)).toBe('ü'.repeat(10));
    expect(await endOf('missing', 0)).toBe('');
  });

  test('cuts no escape sequence, whose rest would become visible', async () => {
    const path = join(await temporaryDirectory(), 'log');
    await fc.assert(
      fc.asyncProperty(lineWithSequences, fc.integer({ min: 1, max: 60 }), async (line, most) => {
        await writeFile(path, `${line}\n`);
        await using file = new GrowingLines(path, 0, most);
        const [cut = { text: '', cutBytes: 0 }] = await drain(file);
        expect(stripControl(line).startsWith(stripControl(cut.text))).toBe(true);
        expect(Buffer.byteLength(cut.text) + cut.cutBytes).toBeLessThanOrEqual(Buffer.byteLength(line));
        if (most >= Buffer.byteLength(line)) expect(cut).toMatchObject({ text: line, cutBytes: 0 });
      }),
      { numRuns: runs(300) },
    );
  });

  test('reads the same lines from any starting line, however they were written', async () => {
    const path = join(await temporaryDirectory(), 'log');
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ').toWellFormed()),
          { minLength: 1 },
        ),
        fc.nat(),
        fc.nat(),
        async (lines, from, cut) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          await writeFile(path, bytes.subarray(0, cut % (bytes.length + 1)));
          await using whole = new GrowingLines(path, 0, 10_000);
          const all = await drain(whole);
          await appendFile(path, bytes.subarray(cut % (bytes.length + 1)));
          all.push(...(await drain(whole)));
          expect(texts(all)).toEqual(lines);
          const start = from % lines.length;
          await using rest = new GrowingLines(path, start === 0 ? 0 : (all[start - 1]?.end ?? 0), 10_000);
          expect(texts(await drain(rest))).toEqual(lines.slice(start));
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('lastLines', () => {
  test('returns the last lines within the last bytes of a file', async () => {
    const path = join(await temporaryDirectory(), 'log');
    expect(await lastLines(path, 3)).toEqual([]);
    await writeFile(path, '');
    expect(await lastLines(path, 3)).toEqual([]);
    await writeFile(path, 'a\nb\nc\nd\nunended');
    expect(await lastLines(path, 3)).toEqual(['c', 'd', 'unended']);
    expect(await lastLines(path, 9)).toEqual(['a', 'b', 'c', 'd', 'unended']);
    await writeFile(path, `${'x'.repeat(100)}\nlast\n`);
    expect(await lastLines(path, 3, 20)).toEqual(['last']);
    await writeFile(path, 'y'.repeat(100));
    expect(await lastLines(path, 3, 20)).toEqual([]);
    await writeFile(path, `${'y'.repeat(100)}\r50%\r100%`);
    expect(await lastLines(path, 3, 12)).toEqual(['50%\r100%']);
  });

  test('begins in no escape sequence, whose rest would become visible', async () => {
    const path = join(await temporaryDirectory(), 'log');
    const states = fc.array(lineWithSequences, { minLength: 1, maxLength: 3 }).map((each) => each.join('\r'));
    await fc.assert(
      fc.asyncProperty(states, fc.integer({ min: 1, max: 60 }), async (line, most) => {
        await writeFile(path, line);
        for (const tail of await lastLines(path, 3, most)) expect(plainLine(line)).toContain(plainLine(tail));
      }),
      { numRuns: runs(300) },
    );
  });
});
