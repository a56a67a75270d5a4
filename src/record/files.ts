/**
 * The run directory: the whole contract between the agent, which writes it, and whoever started it.
 *
 *   agent.log            the agent's own log, one line each
 *   events.ndjson        typed events in order (RecordEvent)
 *   health.ndjson        one HealthSnapshot a line
 *   steps/NN-name.log    each step's redacted output; step 0 is the environment's preparation
 *   run.json             the result (RunResult), written last and in one piece
 *
 * Nothing in it is secret: everything passed the redactor. Times are RFC 3339 with milliseconds, in UTC.
 */
export const RUN_FILES = {
  log: 'agent.log',
  events: 'events.ndjson',
  health: 'health.ndjson',
  steps: 'steps',
  result: 'run.json',
} as const;
