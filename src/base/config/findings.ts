import { type ConfigProblem, describeSetting, problemWith, type Setting } from './problem.ts';
import { environmentNames, type KeyName } from './schema.ts';

/**
 * The purpose of a command. It decides the token: the pool's, an access token to start deployments
 * or read the queue, or none, so that authentication is neither required nor checked.
 */
export type Purpose = 'run' | 'trigger' | 'plan' | 'offline';

export type Settings = ReadonlyMap<KeyName, Setting>;

/** The findings of the checks. A clause follows the name of its setting. */
export class Findings {
  readonly problems: ConfigProblem[] = [];
  readonly notices: string[] = [];
  /** Notices about defaults, which nobody has to correct. */
  readonly defaultNotices: string[] = [];
  readonly warnings: string[] = [];
  readonly #settings: Settings;
  readonly #missingName: (key: KeyName) => string;

  constructor(settings: Settings, missingName: (key: KeyName) => string) {
    this.#settings = settings;
    this.#missingName = missingName;
  }

  problem(key: KeyName, clause: string): void {
    const setting = this.#settings.get(key);
    if (setting !== undefined) this.problems.push(problemWith(key, setting, clause));
  }

  /** Adds a problem for each of `keys` that isn't set, unless it has one already. */
  require(keys: readonly KeyName[], use: string): void {
    const missing = keys.filter(
      (key) => !this.#settings.has(key) && !this.problems.some((one) => one.key === key),
    );
    for (const key of missing) {
      const message = `${this.#missingName(key)} is required ${use}; set it (or ${environmentNames(key)[0]})`;
      this.problems.push({ message, key });
    }
  }

  warning(key: KeyName, clause: string): void {
    const setting = this.#settings.get(key);
    if (setting !== undefined) this.warnings.push(`${describeSetting(setting)} ${clause}.`);
  }

  /** Adds a notice about a setting, unless it is a default. */
  notice(key: KeyName, clause: string): void {
    const setting = this.#settings.get(key);
    if (setting !== undefined && setting.isDefault !== true)
      this.notices.push(`${describeSetting(setting)} ${clause}.`);
  }
}
