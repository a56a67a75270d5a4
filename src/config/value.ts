import path from 'node:path';
import { z } from 'zod';
import { addressProblem, networkProblem, parseCpus, parseQuantity } from './container-setting.ts';
import { DurationError, formatDuration, parsePositiveDuration } from './duration.ts';
import { nearest } from './edit-distance.ts';
import { imageNameProblem, imagePatternProblem } from './image-setting.ts';
import type { KeyDefinition, KeyType } from './key-definition.ts';
import { quoteValue } from './quote.ts';
import { parseServiceUrl } from './service-url.ts';
import { stackPatternProblem } from './stack-pattern.ts';
import { readTemplate } from './template-setting.ts';
import { volumeProblem } from './volume-setting.ts';

/** What a text means, or the clause that follows the setting's name and says what is wrong with it. */
export type Parsed = { readonly value: Value } | { readonly problem: string };
export type Value = string | number | boolean | readonly string[];

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
const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
};

/** A text that passes `test`; `problem` says what is wrong with any other, and shows no more of it than it should. */
function texts(test: (text: string) => boolean, problem: (text: string) => string) {
  return z.string().refine(test, { error: ({ input }) => problem(String(input)) });
}

function without(pattern: RegExp, what: string) {
  return texts(
    (text) => !pattern.test(text),
    (text) => `${quoteValue(text)} holds ${what}`,
  );
}

/** A text that `problem` has nothing to say of. */
function withoutProblem(problem: (text: string) => string | undefined) {
  return texts(
    (text) => problem(text) === undefined,
    (text) => problem(text) ?? '',
  );
}

const PEM_BEGIN = '-----BEGIN';

/** What is wrong with a PEM text, or a path of one; whether there are certificates in it is for whoever loads them. */
function certificateProblem(text: string): string | undefined {
  // Never shown: it may be the key that should have stayed where it was.
  if (text.includes('PRIVATE KEY')) return 'holds a private key; give certificates alone';
  if (text.includes(PEM_BEGIN))
    return text.includes('-----END CERTIFICATE-----')
      ? undefined
      : 'holds no whole certificate; give it to its END line';
  return /\p{Cc}/u.test(text) ? `${quoteValue(text)} is neither a PEM text nor a path` : undefined;
}

function wholeNumber(smallest: number, largest: number) {
  const fits = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= smallest && Number(text) <= largest;
  return texts(fits, (text) => `${quoteValue(text)} is not a whole number from ${smallest} to ${largest}`).transform(
    Number,
  );
}

function oneOf(choices: readonly string[]) {
  return texts(
    (text) => choices.includes(text),
    (text) => {
      const near = nearest(text, choices);
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      return `${quoteValue(text)} is not one of ${choices.join(', ')}${hint}`;
    },
  );
}

/** `read` turns the text into the value; what it throws as a DurationError is the problem. */
function durations(read: (text: string) => number) {
  return z.string().transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof DurationError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
}

const STACKS = texts(
  (text) => stackPatternProblem(text) === undefined,
  (text) =>
    stackPatternProblem(text) === 'organization'
      ? `${quoteValue(text)} has a wildcard for its organization; name the organization in full`
      : `${quoteValue(text)} is not of the form org/project/stack`,
);

function numbers(read: (text: string) => { readonly value: number } | { readonly problem: string }) {
  return z.string().transform((text, context) => {
    const parsed = read(text);
    if ('value' in parsed) return parsed.value;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  });
}

type Schema = z.ZodType<Value, string>;

/** Each type as a zod schema from the text of a setting to its value. */
const SCHEMAS: Readonly<Record<Exclude<KeyType, ListType | 'none'>, (reading: Reading) => Schema>> = {
  // It becomes an HTTP header: only what a header may hold. The text itself is never shown.
  secret: () =>
    texts(
      (text) => /^[\x21-\x7e]+$/.test(text),
      () => 'holds white space or characters a token cannot have; copy the token again',
    ),
  word: () => without(/[\s\p{Cc}]/u, 'white space'),
  text: () => without(/\p{Cc}/u, 'control characters'),
  path: ({ workingDirectory }) =>
    without(/\p{Cc}/u, 'control characters').transform((text) => path.resolve(workingDirectory, text)),
  // One line of an environment file can hold a PEM text only with its line breaks written as \n.
  certificates: ({ workingDirectory }) =>
    withoutProblem(certificateProblem).transform((text) =>
      text.includes(PEM_BEGIN) ? text.replaceAll('\\n', '\n') : path.resolve(workingDirectory, text),
    ),
  template: ({ workingDirectory }) => z.string().transform((text) => readTemplate(text, workingDirectory)),
  url: () =>
    z.string().transform((text, context) => {
      const parsed = parseServiceUrl(text);
      if ('url' in parsed) return parsed.url;
      context.addIssue({ code: 'custom', message: parsed.problem });
      return z.NEVER;
    }),
  boolean: () =>
    texts(
      (text) => Object.hasOwn(BOOLEANS, text),
      (text) => `${quoteValue(text)} is neither true nor false`,
    ).transform((text) => BOOLEANS[text] === true),
  count: ({ definition }) => wholeNumber(definition.minimum ?? 0, 999_999),
  port: () => wholeNumber(0, 65_535),
  duration: ({ definition }) =>
    durations((text) => {
      const value = parsePositiveDuration(text, { allowZero: definition.zero === true });
      if (value <= LONGEST_TIMER_MS || definition.untimed === true) return value;
      throw new DurationError(
        `${quoteValue(text)} is longer than the longest wait, ${formatDuration(LONGEST_TIMER_MS)}`,
      );
    }),
  lifetime: () => durations((text) => Math.ceil(parsePositiveDuration(/^\d+$/.test(text) ? `${text}s` : text) / 1000)),
  volume: () => withoutProblem(volumeProblem),
  network: () => withoutProblem(networkProblem),
  quantity: () => numbers(parseQuantity),
  decimal: () => numbers(parseCpus),
  choice: ({ definition }) => oneOf(definition.choices ?? []),
};

const VARIABLE_NAME = texts(
  (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text),
  (text) => `${quoteValue(text)} is not a name of an environment variable (letters, digits and _)`,
);

function checked(schema: Schema, text: string): Parsed {
  const result = schema.safeParse(text);
  return result.success ? { value: result.data } : { problem: result.error.issues[0]?.message ?? 'cannot be used' };
}

/** Reads one element of a list. */
export function parseItem(text: string, { definition }: Reading): Parsed {
  switch (definition.type) {
    case 'choices':
      return checked(oneOf(definition.choices ?? []), text);
    case 'stacks':
      return checked(STACKS, text);
    case 'images':
      return checked(withoutProblem(imageNameProblem), text);
    case 'image-patterns':
      return checked(withoutProblem(imagePatternProblem), text);
    case 'addresses':
      return checked(withoutProblem(addressProblem), text);
    default:
      return checked(VARIABLE_NAME, text);
  }
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
  const { type } = reading.definition;
  if (type === 'none' || isListType(type)) return { value: text };
  return checked(SCHEMAS[type](reading), text);
}
