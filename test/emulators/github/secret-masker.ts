/** Masks a job's secrets like actions/runner's `SecretMasker`, but not encoded ones; adjacent ones share one `***`. */
export class SecretMasker {
  readonly #secrets = new Set<string>();
  #pattern = /(?!)/g;

  /** The values that were added. */
  get values(): readonly string[] {
    return [...this.#secrets];
  }

  /** Adds a secret; an empty one is ignored. */
  add(value: string): void {
    if (value === '') return;
    this.#secrets.add(value);
    const longestFirst = this.values.toSorted((one, other) => other.length - one.length);
    const literals = longestFirst.map((secret) => secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    this.#pattern = new RegExp(`(?:${literals.join('|')})+`, 'g');
  }

  /** Adds a secret and, as `add-mask` does, each of its trimmed lines. */
  addLines(value: string): void {
    this.add(value);
    for (const line of value.split(/[\r\n]/u)) this.add(line.trim());
  }

  /** The text with every known secret replaced. */
  mask(text: string): string {
    return text.replace(this.#pattern, '***');
  }
}
