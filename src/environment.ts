/** The variables of a process's environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * True for a variable of the agent that no program gets which the agent starts for itself, such as a
 * hook or a credential helper: its settings and inputs with their tokens, GitHub's tokens, and the
 * credentials of a collector.
 */
export function isWithheld(name: string): boolean {
  return /^(?:PULUMI_AGENT_|INPUT_|ACTIONS_|STATE_|OTEL_EXPORTER_OTLP_)/.test(name);
}
