import { describe, expect, it } from 'vitest';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import { CANARIES, jobOf, plannedSteps } from '../../support/random-faults/job.ts';
import type { Plan, StepPlan } from '../../support/random-faults/plan.ts';
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

  it.each([
    [0, 'one fault burns one deployment: none of 3 burnt by: half engine'],
    [1, undefined],
    [2, 'one fault burns one deployment: 2 of 3 burnt, not 1 at most'],
  ])('hold for a pool whose trouble burns %i', (burnt, finding) => {
    const pool = { agents: 2, deployments: 3, trouble: 'half engine', ms: 5_000, times: 1, skip: 0 } as const;
    const queue = [0, 1, 2].map((at) => ({ status: at < burnt ? 'failed' : 'succeeded' }));
    const seen = run({ plan: { ...PLAN, pool }, queue } as never);
    expect(broken(seen)).toEqual(finding === undefined ? [] : [finding]);
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
