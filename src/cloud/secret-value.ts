import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** Null counts as absent, as some clients write it for an unset field. */
const content = scalar.nullish();

/** The keys that Pulumi's decoder knows, in lower case: it takes them in any. */
const KEYS = ['issecret', 'value', 'secret', 'plaintext', 'ciphertext'] as const;

const form = z.object({
  issecret: z.boolean().nullish(),
  value: content,
  secret: content,
  plaintext: content,
  ciphertext: content,
});

/** A value, and whether it is a secret. */
export interface JobValue {
  readonly value: string;
  readonly secret: boolean;
}

/** A value that can't be used: only Pulumi Cloud can read it, or it has no form of a value. */
export type Unusable = 'encrypted' | 'malformed';

/**
 * Reads a value as Pulumi's own decoder does (secret_value.go of its SDK): text, `{secret}`,
 * `{isSecret, value}`, `{plaintext}`; `{}` and null are an empty secret. Numbers and booleans count
 * as text, and `{value}` alone as a secret.
 */
export function readSecretValue(input: unknown): JobValue | Unusable {
  const text = scalar.safeParse(input);
  if (text.success) return { value: text.data, secret: false };
  if (typeof input !== 'object' || Array.isArray(input)) return 'malformed';

  const entries = Object.entries(input ?? {}).map(([key, value]) => [key.toLowerCase(), value] as const);
  const isKnown = entries.length === 0 || entries.some(([key]) => KEYS.some((each) => each === key));
  const read = form.safeParse(Object.fromEntries(entries));
  if (!isKnown || !read.success) return 'malformed';

  const { issecret, value, secret, plaintext, ciphertext } = read.data;
  const hidden = secret || value;
  if (ciphertext && !hidden && !plaintext) return 'encrypted';
  if (issecret === false) return { value: value ?? '', secret: false };
  return typeof plaintext === 'string' && !hidden
    ? { value: plaintext, secret: false }
    : { value: hidden ?? '', secret: true };
}
