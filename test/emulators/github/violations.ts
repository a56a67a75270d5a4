/** Something an action did that the real service would punish, or that no correct action does. */
export interface Violation {
  /** A short name to assert on, such as `pipes-held-open`. */
  readonly rule: string;
  readonly detail: string;
}

/** Collects violations; an emulator never throws them at its peer. */
export class ViolationLog {
  readonly #entries: Violation[] = [];

  get entries(): readonly Violation[] {
    return this.#entries;
  }

  record(rule: string, detail: string): void {
    this.#entries.push({ rule, detail });
  }
}
