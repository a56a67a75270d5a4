import { decoded } from '../../base/url-parts.ts';

/** A call of Pulumi's agent, classified by its method and path. */
export type Call =
  | { readonly kind: 'poll' | 'lease' | 'exchange' | 'greeting' | 'acknowledgement' | 'other' }
  | { readonly kind: 'deployment-status'; readonly deployment: string }
  | { readonly kind: 'definition' | 'heartbeat'; readonly job: string }
  | { readonly kind: 'step-status' | 'logs'; readonly job: string; readonly step: number };

type CallPattern = readonly [method: string, path: RegExp, call: (id: string, step: number) => Call];

const ROUTES: readonly CallPattern[] = [
  ['GET', /^\/api\/deployments\/poll$/, () => ({ kind: 'poll' })],
  ['POST', /^\/api\/background-activities\/worker\/lease\/acquire$/, () => ({ kind: 'lease' })],
  ['POST', /^\/api\/oauth\/token$/, () => ({ kind: 'exchange' })],
  ['GET', /^\/api\/background-activities\/token$/, () => ({ kind: 'greeting' })],
  ['POST', /^\/api\/background-activities\/configuration$/, () => ({ kind: 'greeting' })],
  ['POST', /^\/api\/agent-workflows\/[^/:]+$/, () => ({ kind: 'acknowledgement' })],
  [
    'POST',
    /^\/api\/agent-workflows\/[^/:]+:([^/]+)\/check$/,
    (deployment) => ({ kind: 'deployment-status', deployment }),
  ],
  [
    'GET',
    /^\/api\/deployments\/([^/]+)\/status$/,
    (deployment) => ({ kind: 'deployment-status', deployment }),
  ],
  ['GET', /^\/api\/workflow\/jobs\/([^/]+)$/, (job) => ({ kind: 'definition', job })],
  ['POST', /^\/api\/workflow\/jobs\/([^/]+)\/heartbeat$/, (job) => ({ kind: 'heartbeat', job })],
  [
    'PATCH',
    /^\/api\/workflow\/jobs\/([^/]+)\/(\d{1,4})\/status$/,
    (job, step) => ({ kind: 'step-status', job, step }),
  ],
  ['POST', /^\/api\/workflow\/jobs\/([^/]+)\/(\d{1,4})\/logs$/, (job, step) => ({ kind: 'logs', job, step })],
];

/** Classifies a call. The path can have a query, and any spelling that a router understands. */
export function callOf(method: string, path: string): Call {
  const bare = decoded(path.split(/[?#]/, 1).join()).replace(/\/+(?=\/|$)/g, '');

  // Servers such as Go's answer HEAD as they answer GET.
  const asked = method === 'HEAD' ? 'GET' : method;

  for (const [wanted, pattern, call] of ROUTES) {
    const match = wanted === asked ? pattern.exec(bare) : null;
    if (match !== null) return call(match[1] ?? '', Number(match[2]));
  }

  return { kind: 'other' };
}

/** True for the calls that fetch work. Work is offered only once. */
export function asksForWork({ kind }: Call): boolean {
  return kind === 'poll' || kind === 'lease';
}

const MIB = 1024 * 1024;

/** The most bytes of a body that the relay reads, for such a call. */
export function mostRead({ kind }: Call): number {
  if (kind === 'definition') return 16 * MIB;
  if (kind === 'logs') return 4 * MIB;
  // Read before anything is known of the caller.
  if (kind === 'exchange') return MIB / 16;
  return MIB;
}
