import type { GitHub } from '../../emulators/github/github.ts';
import {
  type ActiveScript,
  CALLS,
  type FaultAnswer,
  failing,
  type ScriptedRequest,
} from '../../emulators/pulumi-cloud/faults.ts';
import type { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import type { EngineGate } from '../docker/engine-gate.ts';
import type { CloudCall, CloudFault, EngineFault, GitHubFault } from './plan.ts';

const STATUS_PATH = /\/(\d+)\/status$/;

/** Whether a request is a call of this kind, for a job whose last step has this index. */
function isOf(call: CloudCall, { method, path, text }: ScriptedRequest, last: number): boolean {
  const isFinal = !text.includes('"running"');
  switch (call) {
    case 'exchange':
      return path === '/api/oauth/token';
    case 'bootstrap':
      return path.startsWith('/api/background-activities/');
    case 'lines':
      return CALLS.logs.test(path);
    case 'running':
      return CALLS.statuses.test(path) && !isFinal;
    case 'final':
      return CALLS.statuses.test(path) && isFinal;
    case 'last':
      return CALLS.statuses.test(path) && isFinal && endsTheJob(path, text, last);
    case 'definition':
      return method === 'GET' && CALLS.definition.test(path);
    default:
      return CALLS[call].test(path);
  }
}

/** Whether a status is the job's last one: the last step's, or a failure. */
function endsTheJob(path: string, text: string, last: number): boolean {
  return text.includes('"failed"') || Number(STATUS_PATH.exec(path)?.[1]) === last;
}

/** Calls `then` each time the job's last status arrives, before it is processed. */
export function onLastStatus(cloud: PulumiCloud, last: number, then: () => void): ActiveScript {
  const matches = (request: ScriptedRequest) => {
    if (isOf('last', request, last)) then();
    return false;
  };
  return cloud.script({ path: CALLS.statuses, matches, answer: 'hang' });
}

function answerOf(failure: CloudFault['failure']): FaultAnswer {
  if (failure === 'reset' || failure === 'hang') return failure;
  if (failure === 'taken') return 'reset';
  if (failure === '404 page')
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found\n' };
  if (failure === '429') return { ...(failing(429) as object), status: 429, headers: { 'retry-after': '1' } };
  return failing(Number(failure));
}

/** Puts a fault of Pulumi Cloud in force. `onHit` is called for each call that it meets. */
export function injectCloud(
  cloud: PulumiCloud,
  fault: CloudFault,
  { last, onHit }: { readonly last: number; readonly onHit: () => void },
): ActiveScript[] {
  const { call, failure, skip, times, ms, thenRefused } = fault;
  let seen = 0;
  let first: number | undefined;
  const isDue = () => {
    seen += 1;
    if (seen <= skip) return false;
    first ??= cloud.clock();
    return times === undefined ? cloud.clock() < first + (ms ?? 0) : seen <= skip + times;
  };
  const script = (due: () => boolean, answer: FaultAnswer, when: 'before' | 'after') =>
    cloud.script({
      path: /./,
      times: Number.POSITIVE_INFINITY,
      matches: (request) => {
        const isMet = isOf(call, request, last) && due();
        if (isMet) onHit();
        return isMet;
      },
      answer,
      when,
    });
  const scripts = [script(isDue, answerOf(failure), failure === 'taken' ? 'after' : 'before')];
  if (thenRefused !== undefined) scripts.push(script(() => true, failing(thenRefused), 'before'));
  return scripts;
}

/** Makes one of GitHub's services fail its next calls. */
export function injectGitHub(
  { idTokens, artifacts }: GitHub,
  { service, failure, times }: GitHubFault,
): void {
  const { faults } = service === 'token' ? idTokens : artifacts;
  const fault =
    failure === 'reset' ? ({ kind: 'reset' } as const) : ({ kind: 'status', status: 500 } as const);
  for (let n = 0; n < times; n += 1) faults.inject(service, fault);
}

/** Makes the engine's socket fail for a while. */
export function injectEngine(gate: EngineGate, { failure, ms }: EngineFault): void {
  if (failure === 'cut') gate.cutConnections();
  if (failure === 'refused') {
    gate.refuse();
    gate.cutConnections();
  }
  if (failure === 'mute') gate.freeze();
  if (failure !== 'cut') setTimeout(() => gate.recover(), ms).unref();
}
