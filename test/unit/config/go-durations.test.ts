import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { DurationError, formatDuration, parseNanoseconds } from '../../../src/config/duration.ts';

/** What Go makes of a text: its nanoseconds and how it writes them, or null twice when it is no duration. */
type GoRow = [text: string, nanoseconds: string | null, written: string | null];

const INT64 = ['9223372036854775807', '9223372036854775808', '9223372036854775809', '18446744073709551616'];
const PICKED = [
  ...[
    '',
    ' ',
    '0',
    '+0',
    '-0',
    '00',
    '+',
    '-',
    '+-0',
    '--1s',
    '.',
    '.s',
    '+.s',
    '-.s',
    '1',
    '1.',
    '1.s',
    '.5s',
    '5.s',
    '0.s',
    '.0s',
    '1..s',
  ],
  ...[
    '1h30m',
    '1h 30m',
    ' 1s',
    '1s ',
    '1s\n',
    '1,5s',
    '1_000s',
    '1e3s',
    '0x1s',
    '1S',
    '1H',
    '1M',
    '1d',
    '1w',
    '1min',
    '1sec',
    '1.5.5s',
  ],
  ...[
    '1us',
    '1µs',
    '1μs',
    '1µ',
    '1u',
    '1μ',
    '1 µs',
    '1Âµs',
    '1nss',
    '1ms1ns',
    '1m1ns',
    '1h1m1s1ms1us1ns',
    '1s1h1s',
    '-1h-1m',
    '1h+1m',
  ],
  ...['9'.repeat(18), '9'.repeat(19), '9'.repeat(20), '0'.repeat(40)].flatMap((digits) => [
    `${digits}1ns`,
    `${digits}ns`,
    `1.${digits}1s`,
  ]),
  ...INT64.flatMap((n) =>
    ['', '-', '+'].flatMap((sign) => [`${sign}${n}ns`, `${sign}0${n}ns`, `${sign}${n.slice(0, -3)}.${n.slice(-3)}us`]),
  ),
  ...INT64.flatMap((n) => [`.${n}s`, `0.${n}h`, `1.${n}${n}m`, `${n}ns1ns`, `1ns${n}ns`, `-${n}ns.9ns`, `-${n}ns1ns`]),
  ...['9223372036854775808ns9223372036854775808ns', '-9223372036854775808ns9223372036854775808ns5s'],
  ...[
    '9223372036.854775807s',
    '9223372036.854775808s',
    '2562047.7880152154h',
    '2562047.7880152155h',
    '153722867.280912930m',
  ],
  ...[
    '0.1s',
    '0.3333333333333333333h',
    '0.0000000005s',
    '0.9999999999s',
    '1.0000000001s',
    '123456789.987654321s',
    '.999999999999999999999h',
  ],
  ...['١s', '1ｓ', '１s', '1s\u0000', '\u00001s', '1\u200bs', '1toString', '1__proto__', '1constructor', '\ufeff1s'],
];

const digits = fc.oneof(
  fc.nat({ max: 99 }).map(String),
  fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 24 }),
  fc.constantFrom(...INT64, ''),
);
const unit = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h') },
  { weight: 1, arbitrary: fc.constantFrom('', 'd', 'S', ' s', 'S', 'µ', 'mss', 's ') },
);
const term = fc
  .tuple(digits, fc.oneof(fc.constant(undefined), digits), unit)
  .map(([whole, fraction, name]) => `${whole}${fraction === undefined ? '' : `.${fraction}`}${name}`);
const duration = fc
  .tuple(fc.constantFrom('', '', '', '-', '+', ' '), fc.array(term, { minLength: 1, maxLength: 4 }))
  .map(([sign, terms]) => sign + terms.join(''));
const noise = fc.string({ unit: fc.constantFrom(...'0019.-+hmsuµμn _e'), maxLength: 12 });
const anything = fc.string({ unit: 'binary', maxLength: 8 });

/** Runs the Go program beside this file, which imports nothing but the standard library: no network is asked. */
function askGo(texts: readonly string[]): GoRow[] {
  const offline = { GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '', GOWORK: 'off', GO111MODULE: 'off' };
  const output = execFileSync('go', ['run', fileURLToPath(new URL('go-durations.go', import.meta.url))], {
    env: { ...process.env, ...offline, PATH: `${process.env['PATH']}:/usr/local/go/bin` },
    input: texts.map((text) => `${JSON.stringify(text)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 150_000,
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GoRow);
}

function ours(text: string): string | null {
  try {
    return parseNanoseconds(text).toString();
  } catch (error) {
    if (error instanceof DurationError) return null;
    throw error;
  }
}

describe('durations, side by side with Go', () => {
  const recorded = JSON.parse(readFileSync(new URL('go-durations.json', import.meta.url), 'utf8')) as GoRow[];
  const seed = Date.now() % 2 ** 31;
  const texts = [
    ...PICKED,
    ...fc.sample(duration, { numRuns: 3_000, seed }),
    ...fc.sample(noise, { numRuns: 1_500, seed }),
    ...fc.sample(anything, { numRuns: 500, seed }),
    ...recorded.map(([text]) => text),
  ];
  let rows: GoRow[];
  // The first run on a machine compiles a part of the standard library.
  beforeAll(() => {
    rows = askGo(texts);
  }, 160_000);

  it(`takes the same texts for the same nanoseconds (seed ${seed})`, () => {
    expect(rows.map(([text]) => text)).toEqual(texts);
    expect(rows.filter(([, nanoseconds]) => nanoseconds !== null).length).toBeGreaterThan(1_000);
    expect(rows.filter(([, nanoseconds]) => nanoseconds === null).length).toBeGreaterThan(1_000);
    const different = rows.filter(([text, nanoseconds]) => ours(text) !== nanoseconds);
    expect(different.map(([text, go]) => ({ text, go, ours: ours(text) }))).toEqual([]);
  });

  it('writes whole milliseconds the same', () => {
    const whole = rows.filter(([, nanoseconds]) => nanoseconds !== null && BigInt(nanoseconds) % 1_000_000n === 0n);
    expect(whole.length).toBeGreaterThan(100);
    const written = whole.map(([, nanoseconds]) => formatDuration(BigInt(nanoseconds ?? 0) / 1_000_000n));
    expect(written).toEqual(whole.map(([, , go]) => go));
  });

  it('says what was recorded of it', () => {
    expect(rows.slice(-recorded.length)).toEqual(recorded);
  });
});
