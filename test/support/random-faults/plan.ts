import { type ClockStep, clockStepInWords, drawClockStep } from './clock-steps.ts';
import { type ContainerFault, drawContainerFaults } from './container-faults.ts';
import { Draw } from './draw.ts';
import { drawHookFault, type HookFault } from './hook-faults.ts';
import { drawMoment, type Moment, momentInWords } from './moment.ts';
import { drawPool, type PoolPlan, poolInWords } from './pool-plan.ts';

/** How a step's lines look. */
export const STYLES = ['plain', 'crlf', 'ansi', 'unicode', 'long', 'secret'] as const;

/** One step of a job: what it prints, how long it takes and how it ends. */
export interface StepPlan {
  readonly style: (typeof STYLES)[number];
  readonly lines: number;
  /** Its last line has no line feed. */
  readonly openEnd: boolean;
  /** Milliseconds between its output and its end. */
  readonly tailMs: number;
  readonly exitCode: number;
  /** Seconds that it may take, if it runs past them. */
  readonly timeoutSeconds: number | undefined;
  /** Writes variables for the steps after it, one of them a secret. */
  readonly writesVariables: boolean;
  /** On SIGINT it saves before it ends, like an engine that writes its state and frees its lock. */
  readonly saves: boolean;
  /** It takes seconds for that, as a large state does. */
  readonly savesSlowly?: boolean;
}

/** Kinds of calls to Pulumi Cloud. */
export const CLOUD_CALLS = [
  ...[
    'exchange',
    'bootstrap',
    'poll',
    'acknowledgement',
    'definition',
    'heartbeat',
    'running',
    'lines',
    'final',
  ],
  ...['last', 'look'],
] as const;
export type CloudCall = (typeof CLOUD_CALLS)[number];

/** How such a call fails; `taken` means that it is processed and its answer lost. */
export const CLOUD_FAILURES = [
  '500',
  '503',
  '429',
  '401',
  '403',
  '404 page',
  'reset',
  'hang',
  'taken',
] as const;

/** Calls of one kind that fail: after the first `skip`, `times` of them, or all of `ms` milliseconds from there. */
export interface CloudFault {
  readonly at: 'cloud';
  readonly call: CloudCall;
  readonly failure: (typeof CLOUD_FAILURES)[number];
  readonly skip: number;
  readonly times: number | undefined;
  readonly ms: number | undefined;
  /** After a lost answer, every further call is refused with this status. */
  readonly thenRefused: 401 | 404 | 410 | undefined;
}

/** The Docker engine's socket, from a moment on and for some time. */
export interface EngineFault {
  readonly at: 'engine';
  readonly failure: 'cut' | 'refused' | 'mute';
  readonly moment: Moment;
  readonly ms: number;
}

/** One of GitHub's services fails its first calls. */
export interface GitHubFault {
  readonly at: 'github';
  readonly service: 'token' | 'CreateArtifact' | 'FinalizeArtifact';
  readonly failure: '500' | 'reset';
  readonly times: number;
}

export type FaultPlan = CloudFault | EngineFault | GitHubFault | ContainerFault | HookFault;

/** A death or a stop: of the action's step, the agent, the container, the CI job, the deployment, or a signal to the agent. */
export const STRIKES = [
  'main',
  'agent',
  'container',
  'ci-cancel',
  'cloud-cancel',
  'terminate',
  'interrupt',
] as const;
export type StrikeName = (typeof STRIKES)[number];
export interface Strike {
  readonly what: StrikeName;
  readonly moment: Moment;
}

/** Everything that a run is made of. */
export interface Plan {
  readonly seed: number;
  /** The action as GitHub's runner starts it, or a lasting agent that then serves a second, undisturbed job. */
  readonly kind: 'action' | 'agent';
  readonly steps: readonly StepPlan[];
  readonly faults: readonly FaultPlan[];
  readonly strike: Strike | undefined;
  /** The CI job has a `container:`, so that a cancel reaches only what runs beside it. */
  readonly container: boolean;
  /** Strikes a little after post has begun, if the agent still runs then. */
  readonly inPost: 'agent' | 'cloud-cancel' | undefined;
  /** Played in place of all that. */
  readonly pool: PoolPlan | undefined;
  /** The wall clock is set meanwhile. */
  readonly clock: ClockStep | undefined;
}

/** The moments at which each strike is possible, by kind. */
const MOMENTS: Readonly<Record<StrikeName, readonly Moment['name'][]>> = {
  main: ['first poll', 'claim', 'preparation', 'step', 'step', 'last status', 'removal', 'publishing'],
  agent: ['first poll', 'claim', 'preparation', 'step', 'step', 'last status', 'removal'],
  container: ['step'],
  'ci-cancel': ['first poll', 'claim', 'preparation', 'step', 'step', 'last status', 'removal', 'publishing'],
  'cloud-cancel': ['claim', 'preparation', 'step', 'step', 'last status', 'removal'],
  terminate: ['claim', 'preparation', 'step', 'last status'],
  interrupt: ['claim', 'preparation', 'step', 'last status'],
};
const OF_KIND: Readonly<Record<Plan['kind'], readonly StrikeName[]>> = {
  action: ['main', 'agent', 'container', 'ci-cancel', 'cloud-cancel'],
  agent: ['agent', 'container', 'cloud-cancel', 'terminate', 'interrupt'],
};

/** Milliseconds that a step goes on in which something is to strike. */
const LASTING_MS = 3_000;

/** The seeds that are always played. Together they have every failure, strike, moment and kind. */
export const SEEDS = [
  23, 55, 76, 79, 152, 254, 380, 397, 570, 853, 986, 1058, 1185, 1406, 1640, 1842, 1960, 2037, 2339, 2751,
  3092, 3421, 3526, 4453,
] as const;

/** Draws a run. The same seed always gives the same plan. */
export function draw(seed: number): Plan {
  const dice = new Draw(seed);
  const kind: Plan['kind'] = dice.chance(0.7) ? 'action' : 'agent';
  const count = dice.int(1, 4);
  const failing = dice.chance(0.2) ? dice.int(1, count) : undefined;
  const steps = Array.from({ length: count }, (_, at) => drawStep(dice, at + 1 === failing));
  const strike = dice.chance(0.65) ? drawStrike(dice, kind, count) : undefined;
  const faults: FaultPlan[] = Array.from({ length: dice.pick([0, 1, 1, 2, 3]) }, () =>
    drawFault(dice, kind, count),
  );
  // Long enough for a stop to arrive while the step still runs, half of the time.
  const struck = strike?.moment.name === 'step' && dice.chance(0.5) ? strike.moment.step - 1 : undefined;
  const lasting = steps.map((step, at) => (at === struck ? { ...step, tailMs: LASTING_MS } : step));
  const container = strike?.what === 'ci-cancel' && dice.chance(0.25);
  // Too rare otherwise: the end was taken, and nothing that follows says so.
  if (faults.length === 0 && dice.chance(0.2)) faults.push(lostEnd(dice));
  const isLeft = kind === 'action' && (strike?.what === 'main' || strike?.what === 'ci-cancel');
  const inPost = isLeft && dice.chance(0.2) ? dice.pick(['agent', 'cloud-cancel']) : undefined;
  faults.push(...drawContainerFaults(dice, count));
  const slow = lasting.map((step) => ({ ...step, savesSlowly: step.saves && dice.chance(0.2) }));
  faults.push(...drawHookFault(dice));
  const pool = drawPool(dice);
  const clock = drawClockStep(seed, count);
  const plan = { seed, kind, steps: slow, pool, clock };
  return pool === undefined
    ? { ...plan, strike, faults, container, inPost }
    : { ...plan, strike: undefined, faults: [], container: false, inPost: undefined };
}

function drawStep(dice: Draw, fails: boolean): StepPlan {
  const style = dice.pick(STYLES);
  const most = style === 'long' ? 20 : dice.pick([5, 300, 3_000, 20_000]);
  return {
    style,
    lines: dice.int(1, most),
    openEnd: dice.chance(0.3),
    tailMs: dice.pick([0, 0, 200, 800]),
    exitCode: fails ? dice.pick([1, 3, 255]) : 0,
    timeoutSeconds: fails && dice.chance(0.3) ? 2 : undefined,
    writesVariables: dice.chance(0.3),
    saves: dice.chance(0.7),
  };
}

function drawStrike(dice: Draw, kind: Plan['kind'], steps: number): Strike {
  const what = dice.pick(OF_KIND[kind]);
  return { what, moment: drawMoment(dice, MOMENTS[what], steps) };
}

function drawFault(dice: Draw, kind: Plan['kind'], steps: number): FaultPlan {
  const at = dice.pick(
    kind === 'action'
      ? (['cloud', 'cloud', 'cloud', 'engine', 'github'] as const)
      : (['cloud', 'cloud', 'engine'] as const),
  );
  if (at === 'github') {
    const service = dice.pick(['token', 'CreateArtifact', 'FinalizeArtifact'] as const);
    return { at, service, failure: dice.pick(['500', 'reset']), times: 1 };
  }
  if (at === 'engine') {
    const moment = drawMoment(
      dice,
      ['first poll', 'claim', 'preparation', 'step', 'step', 'last status', 'removal'],
      steps,
    );
    return { at, failure: dice.pick(['cut', 'refused', 'mute']), moment, ms: dice.int(3, 25) * 100 };
  }
  const call = dice.pick(CLOUD_CALLS);
  const failure = dice.pick(CLOUD_FAILURES);
  const isWindow = dice.chance(0.4);
  return {
    at,
    call,
    failure,
    skip:
      call === 'last' || call === 'definition' || call === 'acknowledgement' ? 0 : dice.pick([0, 0, 1, 3]),
    times: isWindow ? undefined : dice.int(1, 3),
    ms: isWindow ? dice.int(5, 30) * 100 : undefined,
    thenRefused:
      call === 'last' && failure === 'taken' && dice.chance(0.5) ? dice.pick([401, 404, 410]) : undefined,
  };
}

function lostEnd(dice: Draw): CloudFault {
  const once = { skip: 0, times: 1, ms: undefined };
  return { at: 'cloud', call: 'last', failure: 'taken', ...once, thenRefused: dice.pick([401, 404, 410]) };
}

/** The plan in words, on one line. */
export function inWords({ kind, steps, faults, strike, container, inPost, pool, clock }: Plan): string {
  if (pool !== undefined) return [poolInWords(pool), ...clockStepInWords(clock)].join('; ');
  const job = steps.map(({ style, lines, exitCode, timeoutSeconds, saves, savesSlowly }) => {
    const end = timeoutSeconds === undefined ? (exitCode === 0 ? '' : ` exit ${exitCode}`) : ' times out';
    return `${lines} ${style}${end}${saves ? ' saves' : ''}${savesSlowly ? ' slowly' : ''}`;
  });
  const met = faults.map((fault) => {
    if (fault.at === 'github') return `GitHub's ${fault.service}: ${fault.failure} ×${fault.times}`;
    if (fault.at === 'stream') return `stream cut at ${momentInWords(fault.moment)}`;
    if (fault.at === 'hook') return `hook ${fault.failure}`;
    if (fault.at === 'prune') return `a prune takes the ${fault.failure}`;
    if (fault.at === 'engine')
      return `engine ${fault.failure} for ${fault.ms} ms at ${momentInWords(fault.moment)}`;
    const extent = fault.ms === undefined ? `×${fault.times}` : `for ${fault.ms} ms`;
    const then = fault.thenRefused === undefined ? '' : `, then ${fault.thenRefused} for good`;
    return `${fault.call}: ${fault.failure} ${extent}${fault.skip > 0 ? ` after ${fault.skip}` : ''}${then}`;
  });
  const struck = strike === undefined ? [] : [`${strike.what} at ${momentInWords(strike.moment)}`];
  return [
    `${kind}${container ? ' in a container' : ''} [${job.join(', ')}]`,
    ...met,
    ...struck,
    ...(inPost === undefined ? [] : [`${inPost} in post`]),
    ...clockStepInWords(clock),
  ].join('; ');
}
