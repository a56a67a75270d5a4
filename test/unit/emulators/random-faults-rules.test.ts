import { describe, expect, it } from 'vitest';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import { CANARIES, jobOf, plannedSteps } from '../../support/random-faults/job.ts';
import type { Plan, StepPlan } from '../../support/random-faults/plan.ts';
import type { PoolPlan } from '../../support/random-faults/pool-plan.ts';
import { broken } from '../../support/random-faults/rules.ts';
import type { Seen } from '../../support/random-faults/seen.ts';

const STEP: StepPlan = {
  ...{ style: 'plain', lines: 3, openEnd: false, tailMs: 0, exitCode: 0 },
  ...{ timeoutSeconds: undefined, writesVariables: false, saves: true },
};
const PLAN: Plan = {
  seed: 1,
  kind: 'agent',
  steps: [STEP],
  faults: [],
  strike: undefined,
  container: false,
  inPost: undefined,
  pool: undefined,
  clock: undefined,
};
const [{ output } = { output: '' }] = plannedSteps([STEP]);

/** A run that broke no rule, with changes. */
function run({
  text = output,
  taken = output,
  outcome = 'succeeded',
  ...changes
}: Partial<Seen> & Record<string, unknown> = {}): Seen {
  const cloud = new CloudModel();
  const deployment = cloud.enqueue({
    project: 'network',
    stack: 'prod',
    poolId: 'pool-1',
    job: jobOf([STEP], 'image'),
  });
  cloud.claim(deployment.id);
  const t = new Date(0).toISOString();
  const l = String(taken).split(/(?<=\n)/);
  const step = {
    index: 1,
    name: 'Step 1',
    status: 'succeeded',
    statusHistory: [],
    lines: l.map((each) => ({ t, l: each })),
  };
  const ended = { status: 'succeeded', endReason: 'steps', steps: [{ index: 0, lines: [] }, step] };
  const result = {
    outcome,
    reported: true,
    steps: [{}, { index: 1, status: 'succeeded', log: 'steps/01.log', cloud: { undelivered: 0 } }],
  };
  const files = new Map([
    ['run.json', Buffer.from(deployment.id)],
    ['events.ndjson', Buffer.from(deployment.id)],
    ['steps/01.log', Buffer.from(String(text))],
  ]);
  return {
    ...{
      plan: PLAN,
      struck: false,
      hits: new Set(),
      next: undefined,
      main: undefined,
      post: undefined,
      exits: [0],
    },
    ...{
      artifact: undefined,
      left: [],
      texts: new Map(),
      tokens: [],
      late: [],
      wrong: [],
      seconds: 3,
      directory: '',
    },
    deployment: Object.assign(deployment, ended, changes['deployment']),
    directories: [{ path: '', files, result }],
    marks: new Map(Object.entries({ 'began-1': 1, 'ended-1': 1 })),
    ...(Object.fromEntries(
      Object.entries(changes).filter(([name]) => name !== 'deployment'),
    ) as Partial<Seen>),
  } as Seen;
}

describe('the rules for runs with random faults', () => {
  it('are all kept by a good run', () => expect(broken(run())).toEqual([]));

  it.each<[Partial<PoolPlan>, number, string | undefined]>([
    [{ burns: true }, 0, 'none of 6 burnt by: half engine'],
    [{ burns: false }, 0, undefined],
    [{ burns: true }, 1, undefined],
    [{ burns: true }, 2, '2 of 6 burnt, not 1 at most'],
    [{ trouble: 'unreadable answer' }, 2, '2 of 6 burnt, not 1 at most'],
    [{ trouble: 'lost polls' }, 2, undefined],
    [{ trouble: 'lost polls' }, 3, '3 of 6 burnt, not 2 at most'],
    // The trouble lasted 2 s, with pauses of 0.3, 0.6 and 1.2 s.
    [{ trouble: 'busy before' }, 0, 'none of 6 burnt by: busy before'],
    [{ trouble: 'busy before' }, 4, undefined],
    [{ trouble: 'failing hook' }, 5, '5 of 6 burnt, not 4 at most'],
    [{ trouble: 'busy after' }, 0, undefined],
    [{ trouble: 'busy after' }, 1, '1 of 6 burnt, not 0 at most'],
  ])('hold for a pool: %j burns %i', (changes, burnt, finding) => {
    const half = {
      agents: 2,
      deployments: 6,
      trouble: 'half engine',
      refused: 'create',
      burns: true,
    } as const;
    const pool = { ...half, ms: 500, times: 2, skip: 0, ...changes };
    const queue = Array.from({ length: 6 }, (_, at) => ({ status: at < burnt ? 'failed' : 'succeeded' }));
    const seen = run({ plan: { ...PLAN, pool }, queue, troubleMs: 2_000 } as never);
    expect(broken(seen)).toEqual(finding === undefined ? [] : [`one fault burns one deployment: ${finding}`]);
  });

  it('blame no agent of a pool for an answer that a loaded machine lost', () => {
    const pool = { agents: 1, deployments: 2, trouble: 'lost polls', ms: 500, times: 1, skip: 0 };
    const queue = [{ status: 'failed' }, { status: 'failed' }];
    const late = 'Failed to poll for work for http://127.0.0.1:1: no answer in time. Check the network path.';
    const texts = new Map([["agent 0's output", `2026-11-29T16:57:56.593Z warning ${late}\n`]]);
    const plan = { ...PLAN, pool };
    expect(broken(run({ plan, queue, texts } as never))).toEqual([]);
    expect(broken(run({ plan, queue } as never))).toHaveLength(1);
  });

  it.each([
    ['busy after', [0, 0], true],
    ['busy after', [1, 0], false],
    ['unreadable answer', [4, 0], true],
    ['unreadable answer', [4, 4], false],
    ['lost polls', [4, 0], false],
  ])('hold for the agents of a pool: %s ends them with %j', (trouble, exits, isWell) => {
    const pool = { agents: 2, deployments: 1, trouble, ms: 500, times: 1, skip: 0 };
    const queue = [{ status: trouble === 'busy after' ? 'succeeded' : 'failed' }];
    const seen = run({ plan: { ...PLAN, pool }, queue, exits } as never);
    const finding = `the agents end well: they ended with ${exits.join(', ')} after SIGTERM`;
    expect(broken(seen)).toEqual(isWell ? [] : [finding]);
  });

  it('expect a refusal from a hook that could not be started', () => {
    const plan = { ...PLAN, faults: [{ at: 'hook', failure: 'busy before' }] };
    const deployment = { status: 'failed' };
    expect(broken(run({ plan, deployment, outcome: 'refused' } as never))).toEqual([]);
    expect(broken(run({ plan, deployment, outcome: 'failed' } as never))).toEqual([
      'the outcome: failed, not refused',
    ]);
  });

  it.each([
    ['before', '', []],
    [
      'after',
      '{"type":"reported"}',
      ['agreement with Pulumi Cloud: Pulumi Cloud shows succeeded, the run says failed'],
    ],
  ])('forgive an agent its success if it was killed %s it heard of it', (_, events, findings) => {
    const killed = { ...PLAN, strike: { what: 'agent', moment: { name: 'removal' } } };
    const seen = run({ outcome: 'failed', plan: killed, struck: true } as never);
    const files = seen.directories[0]?.files as Map<string, Buffer>;
    files.set('events.ndjson', Buffer.from(`${seen.deployment.id} ${events}`));
    expect(broken(seen)).toEqual(findings);
  });

  it.each<[string, Parameters<typeof run>[0]]>([
    [
      'agreement with Pulumi Cloud: the run succeeded',
      { deployment: { status: 'failed', endReason: 'cancelled' } as never },
    ],
    ['agreement with Pulumi Cloud: Pulumi Cloud shows succeeded', { outcome: 'unreported' }],
    ['the outcome: failed', { outcome: 'failed', deployment: { status: 'failed' } as never }],
    ['every line once and in order: step 1', { text: output.replace('1.2 a line\n', ''), taken: output }],
    [
      'every line once and in order: step 1',
      { text: output.replace('1.2 a line\n', '1.2 a line\n1.2 a line\n') },
    ],
    ['Pulumi Cloud has the lines: step 1', { taken: output.replace('1.3 a line\n', '') }],
    ['a step begins once: step 1', { marks: new Map([['began-1', 2]]) }],
    ['an interrupted step could save: step 1', { marks: new Map([['began-1', 1]]) }],
    ['no secret anywhere: ', { texts: new Map([['agent.log', `password ${CANARIES.job}`]]) }],
    [
      'no secret anywhere: ',
      { texts: new Map([['agent.log', Buffer.from(CANARIES.later).toString('base64')]]) },
    ],
    ['nothing left: ', { left: ['container 4f'] }],
    ['bounded time: ', { late: ['main did not end within 150 s'] }],
    ['the protocol: ', { wrong: ['step 1 has 2 log calls in flight'] }],
  ])('find: %s', (finding, changes) => {
    expect(
      broken(run(changes)).some((each) => each.startsWith(finding)),
      String(broken(run(changes))),
    ).toBe(true);
  });
});
