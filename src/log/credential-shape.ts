/** Credentials by the forms that their makers document, wherever they stand in a value. */
const KNOWN_FORMS = new RegExp(
  [
    // Pulumi, GitHub, GitLab, Slack, Vault, Stripe, AWS, Google, npm, SendGrid, OpenAI and others of its form.
    String.raw`\bpul-[0-9a-f]{16}|\bgh[pousr]_\w{16}|\bgithub_pat_\w{16}|\bgl[a-z]{2,6}-[\w-]{16}|\bxox[a-z]-[\w-]{8}`,
    String.raw`\bhv[bsr]\.[\w-]{16}|\b[rsp]k_(?:live|test)_\w{12}|\bA[KS]IA[0-9A-Z]{12}|\bAIza[\w-]{30}|\bnpm_\w{30}`,
    String.raw`\bSG\.[\w-]{16}|\bsk-[\w-]{20}`,
    // A JWT; PEM; a password in a URL; 32 hexadecimal digits.
    String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}\.|-----BEGIN |:\/\/[^\s/:@]{0,256}:[^\s/@]{1,256}@|[0-9a-fA-F]{32}`,
  ].join('|'),
);
/** A field of a connection string, of JSON or of a header that says credential. */
const CREDENTIAL_FIELD =
  /(?:passw(?:or)?d|pwd|secret|token|api_?key|(?:account|access|shared)_?key|signature|sig)["']?\s{0,9}[=:]\s{0,9}["']?[^\s"';&,]{4}|\b(?:bearer|basic)\s{1,9}[\w.~+/-]{8}/i;

/** Documented forms that look random and are no secrets: UUIDs, digests of content, IDs of AWS resources. */
const PLAIN_FORMS =
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\bsha256:[0-9a-f]{64}\b|\b[a-z]{1,12}-(?:[0-9a-f]{8}|[0-9a-f]{17})\b/gi;

/** The least number of a token's characters that belong to no word. */
const OUTSIDE = 8;
/** At least 20 of the characters that tokens are made of, and what separates their parts. */
const TOKENS = /[A-Za-z0-9+/_=.~-]{20,}/g;
const BETWEEN = /[^A-Za-z0-9]+/;
/** A short part, one in a single case, a number with a unit, or words in camel case; each with a few digits behind it. */
const WORDLIKE = /^(?:.{1,4}|[a-z]+\d{0,4}[a-z]?|\d+[a-z]{0,3}|[a-z]*(?:[A-Z]{1,6}[a-z]{2,})*[A-Z]*\d{0,4})$/;

/**
 * True if a value has the shape of a credential: a known form, or random text of at least 20 characters. That is told by
 * the characters outside of words, as entropy can't: an ARN has more a character than 20 random ones. The test's tables
 * justify the bound. Passwords that people make up, and random text in one case without digits, are not found.
 */
export function looksLikeCredential(value: string): boolean {
  const text = value.replace(PLAIN_FORMS, '');
  if (KNOWN_FORMS.test(text) || CREDENTIAL_FIELD.test(text)) return true;
  const tokens = text.match(TOKENS) ?? [];
  return tokens.some((token) => outsideWords(token) >= OUTSIDE);
}

function outsideWords(token: string): number {
  return token
    .split(BETWEEN)
    .filter((part) => !WORDLIKE.test(part))
    .reduce((sum, part) => sum + part.length, 0);
}
