import fc from 'fast-check';

/** What a person doesn't see, said another way than `src/base/log/invisible-text.ts` does. */
const CHARACTER = String.raw`(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;
const BODY = String.raw`(?:(?!${CHARACTER}|\n|\*\*\*)[^])*`;
export const INVISIBLE = new RegExp(
  [
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])${BODY}(?:\u0007|\u001b\\|\u009c)`,
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -)+-/]*[@-~]`,
    String.raw`\u001b[ -)+-/]+[0-~]`,
    String.raw`\u001b[0-OQ-WYZ\\\x60-~]`,
    CHARACTER,
  ].join('|'),
  'gu',
);

/** Invisible characters and sequences, whole ones, as terminals, editors and encodings put them into text. */
export const invisible = fc.constantFrom(
  ...[
    '\u001b[K',
    '\u001b[01;31m',
    '\u001b[m',
    '\u001b[38;5;2m',
    '\u001b]0;a title\u0007',
    '\u001b]8;;http://x\u001b\\',
  ],
  ...['\u001bPq\u009c', '\u009b1m', '\u001b(B', '\u001b7', '\0', '\r', '\b', '\u007f', '\u0085', '\0\0\0'],
  ...[
    '\u200b',
    '\u200d',
    '\u202e',
    '\u2066',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\ufe0f',
    '\u061c',
    '\u{e0041}',
    '\u{1d173}',
  ],
);

/** Text that opens sequences, breaks them off and nests them. */
export const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'\u001b[]P\\\u0007\u009b\u009c\u009d3;:mJ? a\r\n\t(*',
        '\u001b]',
        '\u001b[',
        '***',
        '\u200b',
        '\ufe0f',
        'é',
        '\u{1f600}',
      ),
      invisible,
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

/** Whole escape sequences of every kind, in both encodings, around a body. */
export const sequence = fc
  .tuple(
    fc.constantFrom(
      ...['\u001bP', '\u001bX', '\u001b]', '\u001b^', '\u001b_'],
      ...['\u0090', '\u0098', '\u009d', '\u009e', '\u009f'],
    ),
    fc.string({ unit: fc.constantFrom(...'ab_]P;0\\é '), maxLength: 12 }),
    fc.constantFrom('\u0007', '\u001b\\', '\u009c'),
  )
  .map((parts) => parts.join(''));
export const shortSequence = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('\u001b[', '\u009b'),
      fc.stringMatching(/^[0-?]{0,5}[ -)]{0,1}$/),
      fc.constantFrom(...'mKHab_'),
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom(...'()+-./#% '), fc.constantFrom(...'0ABab8'))
    .map((parts) => `\u001b${parts.join('')}`),
  fc.constantFrom(...'78=>cDEHMNOZab').map((end) => `\u001b${end}`),
);

/** A line of words and whole escape sequences. */
export const lineWithSequences = fc
  .array(fc.oneof(fc.constantFrom('hun', 'ter22', ' ', 'é', '\u200b'), sequence, shortSequence), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));
