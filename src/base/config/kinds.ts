import { isIP } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { LONGEST_TIMER_MS } from '../clock.ts';
import { formatDuration, parsePositiveDuration } from './duration.ts';
import { about, checked, type Kind, kind, listOf, type Mapping, parsed } from './key-definition.ts';
import { nearest, quoteValue } from './problem.ts';

/**
 * A template: YAML stays, a path becomes absolute. A path has no line break, no `{`, no colon
 * before white space.
 */
function readTemplate(text: string, workingDirectory: string): string {
  return /[\n{]|:\s/.test(text) ? text : path.resolve(workingDirectory, text);
}

const absolute = (text: string, from: string): string => path.resolve(from, text);
const plain = z.string().regex(/^\P{Cc}*$/u, about('holds control characters'));

export const word = kind('word', z.string().regex(/^[^\s\p{Cc}]+$/u, about('holds white space')));
export const text = kind('text', plain);

/** Sent in an HTTP header. No message or log may show it. */
export const secret = kind(
  'secret',
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'holds white space or characters a token cannot have; copy the token again'),
);

export const filePath = kind('path', plain, { locate: absolute });

export const template = kind(
  'YAML or path',
  z.custom<string | Mapping>().meta({ type: ['string', 'object', 'null'] }),
  { locate: readTemplate, mapping: true },
);

/** Accepted, but never read. */
export const ignored = kind('ignored', z.custom<never>());

const PEM_BEGIN = '-----BEGIN';

/** PEM text of a `noun`, or the path of a PEM file; the loader finds out whether it is valid. */
function pem(noun: string, end: string): Kind<string> {
  const schema = checked((text) => {
    // Never quote the text: it holds a private key.
    if (text.includes('PRIVATE KEY')) return `contains a private key; provide only ${noun}s`;
    if (!text.includes(PEM_BEGIN)) return plain.safeParse(text).error?.issues[0]?.message;
    return text.includes(end) ? undefined : `contains no complete ${noun}; include its END line`;
  });

  // A line of an environment file can hold PEM text only with its line breaks written as \n.
  const locate = (text: string, from: string) =>
    text.includes(PEM_BEGIN) ? text.replaceAll('\\n', '\n') : absolute(text, from);
  return kind('PEM text or path', schema, { locate });
}

export const certificates = pem('certificate', '-----END CERTIFICATE-----');
export const publicKey = pem('public key', '-----END PUBLIC KEY-----');

/** An address such as `example`, without trailing slashes. */
export function urlOf(example: string): Kind<string> {
  const schema = checked((address) => {
    const quoted = address.includes('@') ? '' : `${quoteValue(address)} `;
    if (!/^https?:\/\/[^?#]+$/i.test(address) || !URL.canParse(address))
      return `${quoted}is not an address such as ${example}: scheme, host, port and path alone`;
    const { username, password } = new URL(address);
    return username + password === '' ? undefined : 'holds credentials; remove them, they are never sent';
  })
    .transform((address) => new URL(address))
    .transform(({ origin, pathname }) => `${origin}${pathname}`.replace(/\/+$/, ''))
    .meta({ type: ['string', 'null'], pattern: '^https?://[^?#]+$' });

  return kind('URL', schema);
}

const [TRUE, FALSE] = [
  ['1', 't', 'T', 'true', 'TRUE', 'True'],
  ['0', 'f', 'F', 'false', 'FALSE', 'False'],
];

/** As in Go's strconv.ParseBool, which the official agent uses. */
export const boolean = kind(
  'true or false',
  z
    .stringbool({ truthy: TRUE, falsy: FALSE, case: 'sensitive', ...about('is neither true nor false') })
    .meta({
      type: ['boolean', 'string', 'integer', 'null'],
      pattern: `^(${[...TRUE, ...FALSE].join('|')})$`,
      ...{ minimum: 0, maximum: 1 },
    }),
);

/** Off unless set. */
export const off = { kind: boolean, default: 'false' } as const;

/** A whole number from `minimum` to `maximum`. */
export function wholeNumber(minimum = 0, maximum = 999_999, words = 'number'): Kind<number> {
  const fits = (digits: string) => Number(digits) >= minimum && Number(digits) <= maximum;
  const refusal = about(`is not a whole number from ${minimum} to ${maximum}`);
  const digits = z.string().regex(/^\d{1,9}$/, { ...refusal, abort: true });
  const schema = digits.refine(fits, refusal).transform(Number);
  return kind(words, schema.meta({ type: ['integer', 'string', 'null'], minimum, maximum }));
}

export const port = wholeNumber(0, 65_535, 'port');

/** One of `names`. */
export function oneOf<const C extends string>(...names: readonly C[]): Kind<C> {
  return kind(names.join(' | '), memberOf(names));
}

/** A list of some of `names`. */
export function someOf<const C extends string>(...names: readonly C[]): Kind<readonly C[]> {
  return listOf(memberOf(names), names.join(', '));
}

function memberOf<const C extends string>(names: readonly C[]): z.ZodType<C> {
  return z.enum(names, {
    error: ({ input }) => {
      const near = nearest(String(input), names);
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      return `${quoteValue(String(input))} is not one of ${names.join(', ')}${hint}`;
    },
  });
}

const TERMS = '(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+';

function durationKind(allowZero: boolean, meta: object): Kind<number> {
  const milliseconds = (written: string): number => {
    const value = parsePositiveDuration(written, { allowZero });
    if (value <= LONGEST_TIMER_MS) return value;
    throw new RangeError(
      `${quoteValue(written)} is longer than the longest wait, ${formatDuration(LONGEST_TIMER_MS)}`,
    );
  };

  return kind('duration', parsed(milliseconds).meta({ ...meta }));
}

/** A duration as Go writes it, longer than zero. */
export const duration = durationKind(false, { type: ['string', 'null'], pattern: `^\\+?${TERMS}$` });
const NUMBER_ZERO = { type: ['string', 'integer', 'null'], minimum: 0, maximum: 0 };
export const durationOrZero = durationKind(true, { ...NUMBER_ZERO, pattern: `^[+-]?(${TERMS}|0)$` });

/** A duration, or a plain number of seconds. */
export const lifetime = kind(
  'duration or seconds',
  parsed((written) =>
    Math.ceil(parsePositiveDuration(/^\d+$/.test(written) ? `${written}s` : written) / 1000),
  ).meta({
    type: ['string', 'integer', 'null'],
    pattern: `^([0-9]+|\\+?${TERMS})$`,
    minimum: 1,
  }),
);

const ipAddressText = z
  .string()
  .regex(/^[0-9A-Fa-f:.]+$/, { ...about('is not an IP address'), abort: true })
  .refine((text) => isIP(text) !== 0, about('is not an IP address'));

export const ipAddress = kind('IP address', ipAddressText.meta({ type: ['string', 'null'] }));
export const ipAddressList = listOf(ipAddressText);

/** The size of a job's own network: 16 addresses. */
const JOB_PREFIX = 28;

/** A clause that says what is wrong with a block of IPv4 addresses. */
function blockProblem(text: string): string | undefined {
  const quoted = quoteValue(text);
  const [, base = '', bits = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? [];
  if (isIP(base) !== 4) return `${quoted} is not a block of IPv4 addresses such as 10.210.0.0/16`;

  const prefix = Number(bits);
  if (prefix < 8 || prefix > JOB_PREFIX)
    return `${quoted} is not from /8 to /${JOB_PREFIX}, the size of one job's network`;

  const first = addressNumber(base);
  const mask = 2 ** (32 - prefix);
  if (first % mask !== 0) return `${quoted} does not begin with the first address of its block`;
  // "This" network, loopback, link-local, and multicast with all above it.
  if (/^(0|127|169\.254|22[4-9]|2[3-5]\d)\./.test(base))
    return `${quoted} holds addresses that no network can have; choose a private block, such as 10.210.0.0/16`;

  return undefined;
}

/** An IPv4 address as a number. */
export function addressNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

export const addressBlock = kind(
  'IPv4 block',
  checked(blockProblem).meta({ type: ['string', 'null'], pattern: '^[0-9.]+/[0-9]{1,2}$' }),
);
