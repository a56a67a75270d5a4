import type { Log } from '../../base/log/level.ts';
import type { RequestEnd } from '../../cloud/attempt.ts';
import type { Metrics } from './metrics.ts';

const HEARTBEAT = /\/api\/workflow\/jobs\/[^/]+\/heartbeat$/;

const PURPOSES: readonly (readonly [RegExp, string])[] = [
  [/\/api\/workflow\/jobs\/[^/]+\/\d+\/logs$/, 'log-lines'],
  [/\/api\/workflow\/jobs\/[^/]+\/\d+\/status$/, 'step-status'],
  [/\/api\/workflow\/jobs\/[^/]+$/, 'job-definition'],
  [/\/api\/deployments\/poll$/, 'poll'],
  [/\/api\/deployments\/[^/]+\/status$/, 'deployment-status'],
  [/\/api\/oauth\/token$/, 'token-exchange'],
  [/\/api\/agent-workflows\//, 'acknowledgement'],
  [/\/api\/background-activities\//, 'announcement'],
];

/** Counts and debug-logs requests to Pulumi Cloud, except heartbeats, which have a counter. */
export function requestWatch(
  metrics: { request: Metrics['request'] },
  log: Log,
): (request: RequestEnd) => void {
  return ({ method, path, status, ms }) => {
    if (HEARTBEAT.test(path)) return;
    const [, purpose] = PURPOSES.find(([pattern]) => pattern.test(path)) ?? [undefined, 'other'];
    const result = status === undefined ? 'no-answer' : `${Math.floor(status / 100)}xx`;
    metrics.request(purpose, result, ms / 1000);
    log('debug', `${method} ${path}: ${status ?? 'no answer'} in ${Math.round(ms)} ms`);
  };
}
