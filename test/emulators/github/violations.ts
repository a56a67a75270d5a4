/** Something an action did that the real service would punish, or that no correct action does. */
export interface Violation {
  /** A short name to assert on, such as `pipes-held-open`. */
  readonly rule: string;
  readonly detail: string;
}
