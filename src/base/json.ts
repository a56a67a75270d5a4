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

/** The deepest level, the most keys of an object, and the characters of a key that `shapeOf` shows. */
const SHOWN = { depth: 3, keys: 20, characters: 40 } as const;

/**
 * The shape of a parsed value, without any of its values: `{jobId: string, run: {id: number}, tags: [string]}`.
 */
export function shapeOf(json: unknown, depth = 0): string {
  if (json === null) return 'null';
  if (typeof json !== 'object') return typeof json;
  const isArray = Array.isArray(json);
  const entries = Object.entries(json);
  if (depth === SHOWN.depth && entries.length > 0) return isArray ? '[…]' : '{…}';

  if (isArray) return `[${json.length === 0 ? '' : shapeOf(json[0], depth + 1)}]`;

  const members = entries
    .slice(0, SHOWN.keys)
    // A key that isn't a plain name can be a value.
    .map(([key, value]) => `${isName(key) ? key : '?'}: ${shapeOf(value, depth + 1)}`);
  const omission = entries.length > SHOWN.keys ? [`${entries.length - SHOWN.keys} more`] : [];
  return `{${[...members, ...omission].join(', ')}}`;
}

function isName(key: string): boolean {
  return key.length <= SHOWN.characters && /^[A-Za-z_]+\d{0,2}$/.test(key);
}
