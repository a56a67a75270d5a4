import path from 'node:path';
import { addressProblem, networkProblem, parseCpus, parseQuantity } from './container-setting.ts';
import { DurationError, formatDuration, parsePositiveDuration } from './duration.ts';
import { nearest } from './edit-distance.ts';
import { imageNameProblem, imagePatternProblem } from './image-setting.ts';
import type { KeyDefinition, KeyType } from './key-definition.ts';
import { quoteValue } from './quote.ts';
import { parseServiceUrl } from './service-url.ts';
import { stackPatternProblem } from './stack-pattern.ts';
import { readTemplate, type TemplateMapping } from './template-setting.ts';
import { volumeProblem } from './volume-setting.ts';

/** What a text means, or the clause that follows the setting's name and says what is wrong with it. */
export type Parsed = { readonly value: Value } | { readonly problem: string };
export type Value = string | number | boolean | readonly string[] | TemplateMapping;

interface Reading {
  readonly definition: KeyDefinition;
  /** What a relative path is relative to. */
  readonly workingDirectory: string;
}
const LIST_TYPES = ['choices', 'names', 'stacks', 'images', 'image-patterns', 'addresses'] as const;
type ListType = (typeof LIST_TYPES)[number];

/** Node fires a longer timer at once (a signed 32-bit count of milliseconds). */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

// Go's strconv.ParseBool, which the official agent's booleans go through
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

type Reader = (text: string, reading: Reading) => Parsed;

/** The value of a text that has no problem: the text itself, or what `read` makes of it. */
function checked(text: string, problem: string | undefined, read: (text: string) => Value = (same) => same): Parsed {
  return problem === undefined ? { value: read(text) } : { problem };
}

const CONTROL = /\p{Cc}/u;
const PEM_BEGIN = '-----BEGIN';

/** What is wrong with a PEM text, or a path of one; whether there are certificates in it is for whoever loads them. */
function certificateProblem(text: string): string | undefined {
  // Never shown: it may be the key that should have stayed where it was.
  if (text.includes('PRIVATE KEY')) return 'holds a private key; give certificates alone';
  if (text.includes(PEM_BEGIN))
    return text.includes('-----END CERTIFICATE-----')
      ? undefined
      : 'holds no whole certificate; give it to its END line';
  return CONTROL.test(text) ? `${quoteValue(text)} is neither a PEM text nor a path` : undefined;
}

function secretProblem(text: string): string | undefined {
  // It becomes an HTTP header: only what a header may hold. The text itself is never shown.
  return /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : 'holds white space or characters a token cannot have; copy the token again';
}

function wordProblem(text: string): string | undefined {
  return /[\s\p{Cc}]/u.test(text) ? `${quoteValue(text)} holds white space` : undefined;
}

function textProblem(text: string): string | undefined {
  return CONTROL.test(text) ? `${quoteValue(text)} holds control characters` : undefined;
}

function variableProblem(text: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
    ? undefined
    : `${quoteValue(text)} is not a name of an environment variable (letters, digits and _)`;
}

function stackProblem(text: string): string | undefined {
  const problem = stackPatternProblem(text);
  if (problem === undefined) return undefined;
  return problem === 'organization'
    ? `${quoteValue(text)} has a wildcard for its organization; name the organization in full`
    : `${quoteValue(text)} is not of the form org/project/stack`;
}

function wholeNumber(text: string, smallest: number, largest: number): Parsed {
  const fits = /^\d{1,9}$/.test(text) && Number(text) >= smallest && Number(text) <= largest;
  const problem = fits ? undefined : `${quoteValue(text)} is not a whole number from ${smallest} to ${largest}`;
  return checked(text, problem, Number);
}

function oneOf(text: string, choices: readonly string[] = []): Parsed {
  if (choices.includes(text)) return { value: text };
  const near = nearest(text, choices);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return { problem: `${quoteValue(text)} is not one of ${choices.join(', ')}${hint}` };
}

/** What `read` throws as a DurationError is the problem. */
function duration(read: () => number): Parsed {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return { problem: error.message };
  }
}

/** Milliseconds that a timer can wait, unless none is to. */
function milliseconds(text: string, { zero, untimed }: KeyDefinition): number {
  const value = parsePositiveDuration(text, { allowZero: zero === true });
  if (value <= LONGEST_TIMER_MS || untimed === true) return value;
  throw new DurationError(`${quoteValue(text)} is longer than the longest wait, ${formatDuration(LONGEST_TIMER_MS)}`);
}

/** How the text of each type is read; a list's type says how one element is. Plain functions: each start reads some 60 texts. */
const READERS: Readonly<Record<Exclude<KeyType, 'none'>, Reader>> = {
  secret: (text) => checked(text, secretProblem(text)),
  word: (text) => checked(text, wordProblem(text)),
  text: (text) => checked(text, textProblem(text)),
  path: (text, { workingDirectory }) =>
    checked(text, textProblem(text), (plain) => path.resolve(workingDirectory, plain)),
  // One line of an environment file can hold a PEM text only with its line breaks written as \n.
  certificates: (text, { workingDirectory }) =>
    checked(text, certificateProblem(text), (good) =>
      good.includes(PEM_BEGIN) ? good.replaceAll('\\n', '\n') : path.resolve(workingDirectory, good),
    ),
  template: (text, { workingDirectory }) => ({ value: readTemplate(text, workingDirectory) }),
  url: parseServiceUrl,
  boolean: (text) => {
    const value = BOOLEANS.get(text);
    return value === undefined ? { problem: `${quoteValue(text)} is neither true nor false` } : { value };
  },
  count: (text, { definition }) => wholeNumber(text, definition.minimum ?? 0, 999_999),
  port: (text) => wholeNumber(text, 0, 65_535),
  duration: (text, { definition }) => duration(() => milliseconds(text, definition)),
  lifetime: (text) => duration(() => Math.ceil(parsePositiveDuration(/^\d+$/.test(text) ? `${text}s` : text) / 1000)),
  volume: (text) => checked(text, volumeProblem(text)),
  network: (text) => checked(text, networkProblem(text)),
  quantity: parseQuantity,
  decimal: parseCpus,
  choice: (text, { definition }) => oneOf(text, definition.choices),
  choices: (text, { definition }) => oneOf(text, definition.choices),
  names: (text) => checked(text, variableProblem(text)),
  stacks: (text) => checked(text, stackProblem(text)),
  images: (text) => checked(text, imageNameProblem(text)),
  'image-patterns': (text) => checked(text, imagePatternProblem(text)),
  address: (text) => checked(text, addressProblem(text)),
  addresses: (text) => checked(text, addressProblem(text)),
};

/** Reads one element of a list. */
export function parseItem(text: string, reading: Reading): Parsed {
  return read(text, reading);
}

/** True for a type whose value is a list. */
export function isListType(type: KeyType): type is ListType {
  return LIST_TYPES.some((list) => list === type);
}

/** The elements of a list written as one text: split at white space and commas, empty ones left out. */
export function splitList(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}

/** Reads the text of a setting that is no list; the text is trimmed and not empty. */
export function parseValue(text: string, reading: Reading): Parsed {
  return isListType(reading.definition.type) ? { value: text } : read(text, reading);
}

function read(text: string, reading: Reading): Parsed {
  const { type } = reading.definition;
  return type === 'none' ? { value: text } : READERS[type](text, reading);
}
