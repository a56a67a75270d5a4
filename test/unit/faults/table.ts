import type { Outcome } from '../../../src/outcome.ts';
import type { FaultAnswer } from '../../emulators/pulumi-cloud/faults.ts';
import { brokenOff, changed, slowly, twice } from '../../emulators/pulumi-cloud/wire-faults.ts';

/** Every call of a run, in order, by what it is for. */
export const CALLS = {
  exchange: ['POST', /\/oauth\/token$/],
  poll: ['GET', /\/deployments\/poll$/],
  'greeting: token': ['GET', /\/background-activities\/token$/],
  'greeting: configuration': ['POST', /\/background-activities\/configuration$/],
  acknowledgement: ['POST', /\/agent-workflows\/deployment$/],
  definition: ['GET', /\/workflow\/jobs\/[^/]+$/],
  'first status': ['PATCH', /\/0\/status$/],
  status: ['PATCH', /\/1\/status$/],
  'last status': ['PATCH', /\/2\/status$/],
  lines: ['POST', /\/1\/logs$/],
  'last lines': ['POST', /\/2\/logs$/],
  heartbeat: ['POST', /\/heartbeat$/],
  'look for a cancel': ['GET', /\/deployments\/[^/]+\/status$/],
} as const satisfies Record<string, readonly [method: string, path: RegExp]>;
export type Call = keyof typeof CALLS;
export const EVERY_CALL = Object.keys(CALLS) as Call[];

/** Milliseconds that a call may take. */
export const REQUEST_TIMEOUT_MS = 6_000;

/** What happens to a call: `refused` means that nobody listens. */
export interface Fault {
  readonly name: string;
  readonly answer: FaultAnswer | 'refused';
  /** `after`: the call was processed, and only its answer is spoilt. */
  readonly when?: 'after';
  /** How the run ends where it isn't `succeeded`. */
  readonly ends?: Partial<Record<Call, Outcome>>;
}

/** The answer to the poll was a claim, which never comes again. */
const LOST_CLAIM = { poll: 'no-work' } as const;
const ELSEWHERE = { exchange: 'cloud-unreachable', definition: 'cloud-unreachable' } as const;

const said = (status: number, retryAfter?: string | readonly string[]): FaultAnswer => ({
  status,
  ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
  body: { code: status, message: 'not this time' },
});
const page = (status: number, text: string): FaultAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><h1>${text}</h1></html>`,
});
const inTwoSeconds = changed(() => ({
  status: 429,
  headers: { 'retry-after': new Date(Date.now() + 2_000).toUTCString() },
}));
const to =
  (where: (path: string) => string): FaultAnswer =>
  (response) =>
    response.writeHead(307, { location: where(response.req.url ?? '') }).end();
const saying = (text: string) => changed(() => ({ status: 200, text }));

/** What may happen to a call once; `elsewhere` is the origin of a service that isn't Pulumi Cloud. */
export const faults = (elsewhere: string): readonly Fault[] => [
  { name: 'nobody listens', answer: 'refused' },
  { name: 'the connection is reset', answer: 'reset' },
  { name: 'the connection is reset behind the call', answer: 'reset', when: 'after', ends: LOST_CLAIM },
  { name: 'the connection is closed behind the call', answer: 'close', when: 'after', ends: LOST_CLAIM },
  { name: 'no answer', answer: 'hang' },
  { name: 'an answer whose head is too slow', answer: slowly('head', 9_000), when: 'after', ends: LOST_CLAIM },
  { name: 'an answer whose body is too slow', answer: slowly('body', 9_000), when: 'after', ends: LOST_CLAIM },
  { name: 'an answer whose head is slow, but in time', answer: slowly('head', 300), when: 'after' },
  { name: 'an answer whose body is slow, but in time', answer: slowly('body', 300), when: 'after' },
  { name: 'an answer that breaks off', answer: brokenOff, when: 'after', ends: LOST_CLAIM },
  { name: '429', answer: said(429) },
  { name: '429, `Retry-After: 1`', answer: said(429, '1') },
  { name: '429, `Retry-After` a date', answer: inTwoSeconds },
  { name: '429, `Retry-After` nonsense, twice', answer: said(429, ['soon', 'Mon 5']) },
  { name: '429, `Retry-After` a year', answer: said(429, String(365 * 24 * 3600)) },
  { name: '408', answer: said(408) },
  { name: '500', answer: said(500) },
  { name: '503, a maintenance page', answer: page(503, 'Down for maintenance') },
  { name: '200, a login page', answer: page(200, 'Sign in') },
  {
    name: '200, half of its JSON',
    answer: changed(({ text }) => ({ text: text.slice(0, text.length / 2) })),
    when: 'after',
    ends: LOST_CLAIM,
  },
  { name: '200, garbage', answer: saying('\u0000\u0001 what?'), when: 'after', ends: LOST_CLAIM },
  { name: '200, empty', answer: saying(''), when: 'after', ends: LOST_CLAIM },
  {
    name: '200, more than 16 MiB',
    answer: changed(() => ({ text: `"${'x'.repeat(17 * 1024 * 1024)}"` })),
    when: 'after',
    ends: LOST_CLAIM,
  },
  {
    name: '200, JSON of another shape',
    answer: saying('{"unexpected":[true]}'),
    when: 'after',
    ends: { ...LOST_CLAIM, exchange: 'auth-error', definition: 'failed' },
  },
  {
    name: '204 instead of a body',
    answer: changed(() => ({ status: 204, text: '' })),
    when: 'after',
    ends: LOST_CLAIM,
  },
  {
    name: 'the right answer, called text/html',
    answer: changed(({ headers }) => ({ headers: { ...headers, 'content-type': 'text/html' } })),
    when: 'after',
  },
  { name: 'the answer twice', answer: twice, when: 'after' },
  { name: 'a redirect to another host', answer: to(() => `${elsewhere}/login`), ends: ELSEWHERE },
  {
    name: 'a redirect within the service',
    answer: to((path) => `${path}?again=yes`),
    ends: { exchange: 'cloud-unreachable' },
  },
  { name: '400', answer: said(400), ends: { exchange: 'auth-error' } },
  { name: '401', answer: said(401), ends: { exchange: 'auth-error' } },
  { name: '403', answer: said(403), ends: { exchange: 'auth-error', poll: 'auth-error' } },
  { name: '404', answer: said(404), ends: { exchange: 'auth-error', poll: 'auth-error' } },
  { name: '413', answer: said(413), ends: { exchange: 'auth-error' } },
  { name: '501', answer: said(501), ends: { exchange: 'auth-error' } },
];

/** How Pulumi Cloud fails when it fails for good. */
type Failure = 'away' | 'refuses' | 'knows no job' | 'odd';

/** The faults that are looked at for good, by name, and what they amount to. */
export const LASTING: readonly (readonly [name: string, failure: Failure])[] = [
  ['nobody listens', 'away'],
  ['no answer', 'away'],
  ['429', 'away'],
  ['500', 'away'],
  ['200, a login page', 'away'],
  ['a redirect to another host', 'away'],
  ['401', 'refuses'],
  ['403', 'refuses'],
  ['404', 'knows no job'],
  ['200, JSON of another shape', 'odd'],
];

const BEFORE_THE_JOB: Readonly<Record<Failure, Partial<Record<Call, Outcome>>>> = {
  away: { exchange: 'cloud-unreachable', poll: 'cloud-unreachable', definition: 'cloud-unreachable' },
  refuses: { exchange: 'auth-error', poll: 'auth-error', definition: 'failed' },
  'knows no job': { exchange: 'auth-error', poll: 'auth-error', definition: 'cancelled' },
  odd: { exchange: 'auth-error', poll: 'cloud-unreachable', definition: 'failed' },
};

/** How a run ends when `call` fails so every time. A job that runs is not stopped because its reports don't arrive. */
export function endForGood(failure: Failure, call: Call): Outcome {
  const before = BEFORE_THE_JOB[failure][call];
  if (before !== undefined || call.startsWith('greeting') || call === 'acknowledgement') return before ?? 'succeeded';
  if (failure === 'knows no job') return 'cancelled';
  return call === 'heartbeat' && failure !== 'odd' ? 'lease-lost' : 'succeeded';
}
