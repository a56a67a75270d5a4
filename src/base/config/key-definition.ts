import { z } from 'zod';
import { quoteValue } from './problem.ts';

/** How settings of one kind are read: `schema` takes the text as written, or a list of texts. */
export interface Kind<T = unknown> {
  /** Describes the values to a reader. */
  readonly words: string;

  /**
   * Its messages are clauses that follow the setting's name. Its metadata tells editors more than
   * zod's own.
   */
  readonly schema: z.ZodType<T>;

  readonly list: boolean;
  /** A file can hold it as a mapping: `schema` also takes a `Mapping`. */
  readonly mapping?: boolean | undefined;
  /** Makes a relative path absolute. */
  readonly locate?: ((text: string, from: string) => string) | undefined;
}

/** Settings, each under its property of AgentConfig, whose name ends with the unit; an ignored one has none there. */
export type KeyTable = Readonly<Record<string, KeyDefinition>>;

export interface KeyDefinition {
  /** Its name in the configuration file. */
  readonly key: string;
  readonly kind: Kind;
  /** One line for `--help`. */
  readonly help: string;
  /** As written in the environment; read like any other value. */
  readonly default?: string;
  /** A default that depends on other settings, in words; the loader computes it. */
  readonly computedDefault?: string;
  /** The meaning of an unset key, in words; it is then absent from AgentConfig. */
  readonly unsetMeans?: string;
  /** The unit of a plain number, by environment variable. */
  readonly plainUnit?: Readonly<Record<string, string>>;
  /** The environment variables, instead of PULUMI_AGENT_<KEY>. */
  readonly environment?: readonly string[];
  /** The only target that it acts on; setting it on another is a notice. */
  readonly target?: 'docker' | 'kubernetes';
  /** Never a flag, as every user of a machine can read command lines. */
  readonly noFlag?: true;
  /** Why setting it changes nothing: a clause that follows the name in a notice. */
  readonly noEffect?: string;
}

/** A value that a configuration file holds as a mapping. */
export interface Mapping {
  /** JSON. */
  readonly text: string;
  /** The file's path. */
  readonly name: string;
}

/** A message of the quoted text and `clause`. */
export function about(clause: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => `${quoteValue(String(input))} ${clause}` };
}

/** Text for which `problem` returns no clause. */
export function checked(problem: (text: string) => string | undefined): z.ZodType<string, string> {
  return z.string().superRefine((text, context) => {
    const clause = problem(text);
    if (clause !== undefined) context.addIssue(clause);
  });
}

/** Text parsed by `read`; the message of its error is the clause. */
export function parsed<T>(read: (text: string) => T): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
      return z.NEVER;
    }
  });
}

/** A kind of one value. */
export function kind<T>(
  words: string,
  schema: z.ZodType<T>,
  { mapping, locate }: { mapping?: boolean; locate?: Kind['locate'] } = {},
): Kind<T> {
  return { words, schema, list: false, mapping, locate };
}

/** A kind of several values: a list, or one text that is split at white space and commas. */
export function listOf<T extends string>(item: z.ZodType<T>, words = 'list'): Kind<readonly T[]> {
  const split = (written: unknown) => (typeof written === 'string' ? splitList(written) : written);
  const schema = z.preprocess(
    split,
    z.array(item).transform((items) => [...new Set(items)]),
  );
  return { words, schema, list: true };
}

/**
 * The elements of a list written as one text: split at white space and commas, empty ones left out.
 */
export function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '');
}
