import type { Environment } from '../environment.ts';
import { basicCredentials, decoded } from '../url-parts.ts';
import { SHORTEST_SECRET } from './secret-forms.ts';

/** Parses `key=value,key=value` with percent-encoded values; undefined if it is invalid. */
export function parseHeaders(text = ''): Record<string, string> | undefined {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');

  const headers = pairs.map((pair) => {
    const at = Math.max(0, pair.indexOf('='));
    return [pair.slice(0, at).trim().toLowerCase(), decoded(pair.slice(at + 1).trim())] as const;
  });

  const isValid = ([name, value]: readonly [string, string]) =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return headers.every(isValid) ? Object.fromEntries(headers) : undefined;
}

/** Of OTLP's headers and endpoints, of every signal, the values that no log may show. */
export function telemetrySecrets(environment: Environment): string[] {
  const values = Object.entries(environment).flatMap(([name, value = '']) => {
    if (/^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/.test(name))
      return [value, ...Object.values(parseHeaders(value) ?? {})];
    if (!/^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?ENDPOINT$/.test(name)) return [];

    const { username = '', password = '', searchParams } = URL.parse(value.trim()) ?? {};
    const isSigned = username !== '' || password !== '';
    const queried = [...(searchParams?.values() ?? [])];
    return [
      ...(isSigned ? [password, decoded(password), basicCredentials(username, password)] : []),
      ...queried,
    ];
  });

  // A scheme in front of a token is no part of it.
  const tokens = values.map((value) => /^[A-Za-z-]+\s+(\S+)$/.exec(value)?.[1] ?? '');
  return [...new Set([...values, ...tokens])].filter((value) => value.length >= SHORTEST_SECRET);
}
