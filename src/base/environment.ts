import { homedir } from 'node:os';

/** The variables of a process's environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Names the credentials of a CI system among an agent's variables, separated by spaces. */
export const WITHHELD = 'PULUMI_RUNNER_WITHHELD';

/**
 * True for a variable of the agent that no program gets which the agent starts for itself, such as a
 * hook or a credential helper: its settings and inputs with their tokens, GitHub's tokens, the
 * credentials of a collector, and those that `WITHHELD` names.
 */
export function isWithheld(name: string, environment: Environment): boolean {
  if (/^(?:PULUMI_AGENT_|INPUT_|ACTIONS_|STATE_|OTEL_EXPORTER_OTLP_)/.test(name)) return true;
  return name === WITHHELD || (environment[WITHHELD] ?? '').split(' ').includes(name);
}

/** The variables that are set, without those that `isLeftOut` names. */
export function setVariables(
  environment: Environment,
  isLeftOut = (_name: string) => false,
): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isLeftOut(entry[0]),
  );
  return Object.fromEntries(entries);
}

/** This user's home directory; `/`, as in a container, if neither HOME nor the system names one. */
export function homeOf({ HOME: home }: Environment): string {
  try {
    return home ?? homedir();
  } catch {
    return '/';
  }
}
