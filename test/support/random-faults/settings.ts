/** Waits, patience and limits in seconds, so that a run takes seconds. */
const SETTINGS: Readonly<Record<string, string>> = {
  POLLING_INTERVAL: '300ms',
  JOB_STATUS_LOOP_INTERVAL: '500ms',
  REQUEST_TIMEOUT: '3s',
  REQUEST_RETRY_COUNT: '3',
  REQUEST_RETRY_WAIT: '100ms',
  REQUEST_RETRY_MAX_WAIT: '500ms',
  CIRCUIT_BREAKER_FAILURES: '4',
  CIRCUIT_BREAKER_TIMEOUT: '2s',
  CANCEL_GRACE_PERIOD: '6s',
  REPORT_TIMEOUT: '20s',
  PULL_IMAGE: 'false',
  HTTP_SERVER_PORT: '0',
  ENV_FORWARD_ALLOWLIST: 'FORWARDED_SECRET',
};

/** The variables that set these, and more of the kind. */
export function quickSettings(more: Readonly<Record<string, string>>): Record<string, string> {
  const settings = Object.entries({ ...SETTINGS, ...more });
  return Object.fromEntries(settings.map(([key, value]) => [`PULUMI_AGENT_${key}`, value]));
}
