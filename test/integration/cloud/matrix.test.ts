import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Issuer, startIssuer } from '../../emulators/github/issuer.ts';
import { CALLS, failing, type ScriptedRequest } from '../../emulators/pulumi-cloud/faults.ts';
import { brokenOff } from '../../emulators/pulumi-cloud/wire-faults.ts';
import { type Fault, served, WELL } from './served.ts';

const says = (status: string) => ({
  method: 'PATCH',
  path: CALLS.statuses,
  matches: ({ text }: ScriptedRequest) => text.includes(status),
});

/** Every call of the protocol, with the subject of the sentence that reports its recovery. */
const EVERY_CALL = {
  exchange: ['Signing in to Pulumi Cloud', { method: 'POST', path: /\/oauth\/token$/ }],
  poll: ['Polling for work', { method: 'GET', path: CALLS.poll }],
  acknowledgement: ['', { method: 'POST', path: CALLS.acknowledgement }],
  definition: ['Reading the job definition', { method: 'GET', path: CALLS.definition }],
  'status running': ['Reporting the status of steps', says('running')],
  'status succeeded': ['Reporting the status of steps', says('succeeded')],
  lines: ['Sending log lines', { method: 'POST', path: CALLS.logs }],
  heartbeat: ['Sending heartbeats', { method: 'POST', path: CALLS.heartbeat, isWhileRunning: true }],
  look: [
    "Reading the deployment's status",
    { method: 'GET', path: CALLS.look, isWhileRunning: true, atLeast: 4 },
  ],
} as const;

const FAULTS: Readonly<Record<string, Pick<Fault, 'answer' | 'when' | 'atLeast'>>> = {
  500: {
    answer: failing(500, 'TypeError: store is undefined\n    at append (/srv/service/store.js:118:11)'),
  },
  503: { answer: failing(503, 'Down for maintenance') },
  429: { answer: { status: 429, headers: { 'retry-after': '20' } } },
  403: { answer: failing(403, 'no') },
  // The first one renews the token, and nothing is logged.
  401: { answer: failing(401, 'no'), atLeast: 4 },
  404: { answer: failing(404, 'no such job') },
  'no answer': { answer: 'hang' },
  'a reset': { answer: 'reset' },
  'a page': {
    answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><h1>Sign in</h1></html>' },
  },
  'a redirect to elsewhere': { answer: { status: 302, headers: { location: 'http://127.0.0.1:9/login' } } },
  'answers that are lost': { when: 'after', answer: 'reset' },
  'answers that break off': { when: 'after', answer: brokenOff },
};

/** What the log says when a fault begins and when it ends. */
function sentences(call: string, fault: string, what: string): RegExp[] {
  // Best effort: a 403 or 404 is ignored, and a missing answer is not waited for.
  if (call === 'acknowledgement')
    return /403|404|no answer/.test(fault) ? [] : [/^warning: Failed to acknowledge/];
  // A service without this call answers the same.
  if (call === 'look' && (fault === '404' || fault === '500'))
    return [/^info: .* the agent uses the call check instead/];
  // Its tries wait for more than five minutes in all.
  const unseen =
    call === 'look' && fault === 'no answer' ? [/^warning: The agent can't notice a cancel in/] : [];
  return [
    /^warning: Failed to /,
    ...unseen,
    new RegExp(`^info: ${what} works again after \\d+ failures? in \\d+ s\\.$`),
  ];
}

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

describe('45 s of', () => {
  it.each(Object.entries(FAULTS))(
    '%s, on any call, cost nothing and are reported once',
    { timeout: 120_000 },
    async (fault, script) => {
      await Promise.all(
        Object.entries(EVERY_CALL).map(async ([name, [what, call]]) => {
          // A claim whose answer is lost stays lost: Pulumi Cloud never hands it out again.
          if (name === 'poll' && 'when' in script) return;
          const { end, said, struck, traces } = await served({ ...call, ...script }, issuer);
          expect.soft([name, end, struck, traces]).toEqual([name, WELL, true, []]);
          expect
            .soft([name, said])
            .toEqual([name, sentences(name, fault, what).map((each) => expect.stringMatching(each))]);
        }),
      );
    },
  );
});
