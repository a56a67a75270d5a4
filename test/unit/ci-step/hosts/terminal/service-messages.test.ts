import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripControl } from '../../../../../src/base/log/plain-text.ts';
import { COLOURED, UNCOLOURED } from '../../../../../src/ci-step/hosts/console-text.ts';
import { runs } from '../../../../support/property-runs.ts';

/** What TeamCity, MyGet, Continua CI and Travis CI take for their own, wherever it stands. */
const MARKER = /(?:##|@@)[\w.-]*\[|travis_(?:fold|time):/;
/** … of these, what a reader could take for one that skips what can't be seen. */
const MESSAGE = /(?:##|@@)[\w.-]*\[/;

const part = fc.oneof(
  fc.constantFrom(
    '#',
    '##',
    '@@',
    'teamcity',
    '[',
    ']',
    "setParameter name='a' value='b'",
    'travis_fold',
    ':',
  ),
  fc.constantFrom('\u001b[31m', '\u001b[0m', '\r', '\n', '\u200b', '\u200d', '\ufe0f', '\u0000', ' '),
  fc.string({ maxLength: 4, unit: 'grapheme' }),
);
const hostile = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

describe.each([
  ['a line in colour', COLOURED.consoleLine],
  ['a line without colour', UNCOLOURED.consoleLine],
  ['a message', COLOURED.consoleText],
])('%s', (_, safe) => {
  it('never makes a message to a CI system, as it is or without its invisible characters', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const line of safe(text).split('\n')) {
          expect(line).not.toMatch(MARKER);
          expect(stripControl(line).replace(/[\u200d\ufe0f]/g, '')).not.toMatch(MESSAGE);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it.each([
    ["##teamcity[setParameter name='env.PATH' value='/evil']", '# #teamcity'],
    ["progress 50%\r##teamcity[publishArtifacts '/']", '# #teamcity'],
    ['say @@continua[setBuildVariable]', '@ @continua'],
    ['###team\u200bcity[x]', '# #teamcity'],
    ['travis_fold:start:x', 'travis_fold :start'],
  ])('defuses %j', (text, shown) => {
    expect(safe(text)).toContain(shown);
  });

  it('leaves other text as it is', () => {
    for (const text of ['## Heading [x]', 'a@@b', '##', 'x[0]##', 'user@host[1]'])
      expect(safe(text)).toBe(text);
  });
});

it('takes time in proportion to a line', () => {
  for (const text of ['#'.repeat(200_000), `##${'a'.repeat(200_000)}`, '##a'.repeat(60_000)]) {
    const began = performance.now();
    UNCOLOURED.consoleText(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  }
});
