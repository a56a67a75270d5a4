/** `text` as JSON; undefined if it isn't JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The claims of a JWT, read without verification; none if `token` is no JWT. */
export function tokenClaims(token: string): Readonly<Record<string, unknown>> {
  return fieldsOf(parsedJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')));
}

/** The fields of an object whose shape is unknown; none if `value` is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
