/** Hides a job's secrets as actions/runner's `SecretMasker` does, encoded ones too (PowerShell's left out): what touches becomes a single `***`. */
export class SecretMasker {
  readonly #originals = new Set<string>();
  readonly #variants = new Set<string>();

  /** The values that were added, without their encodings. */
  get values(): readonly string[] {
    return [...this.#originals];
  }

  /** Adds a secret; an empty one is ignored. */
  add(value: string): void {
    if (value === '' || this.#originals.has(value)) return;
    this.#originals.add(value);
    for (const variant of [value, ...encodings(value)]) if (variant !== '') this.#variants.add(variant);
  }

  /** Adds a secret and, as `add-mask` does, each of its trimmed lines. */
  addLines(value: string): void {
    this.add(value);
    for (const line of value.split(/[\r\n]/u)) this.add(line.trim());
  }

  /** The text with every known secret replaced. */
  mask(text: string): string {
    const spans: [start: number, end: number][] = [];
    for (const secret of this.#variants) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
        spans.push([at, at + secret.length]);
    }
    if (spans.length === 0) return text;
    spans.sort((a, b) => a[0] - b[0]);
    let masked = '';
    let done = 0;
    for (let i = 0; i < spans.length; ) {
      const first = spans[i] as [number, number];
      let end = first[1];
      for (i += 1; i < spans.length && (spans[i] as [number, number])[0] <= end; i += 1) {
        end = Math.max(end, (spans[i] as [number, number])[1]);
      }
      masked += `${text.slice(done, first[0])}***`;
      done = end;
    }
    return masked + text.slice(done);
  }
}

function encodings(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const shifted = (by: number): string => (bytes.length > by ? bytes.subarray(by) : bytes).toString('base64');
  return [
    bytes.toString('base64'),
    shifted(1),
    shifted(2),
    value.replaceAll('"', '\\"'),
    value.replaceAll("'", "''"),
    JSON.stringify(value).slice(1, -1),
    // Uri.EscapeDataString escapes everything outside RFC 3986's unreserved set; encodeURIComponent leaves !'()* alone.
    encodeURIComponent(value.toWellFormed()).replace(
      /[!'()*]/gu,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
    value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&apos;'),
    value.length > 8 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : '',
  ];
}
