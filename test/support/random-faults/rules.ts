import { OUTCOME_NAMES } from '../../../src/base/outcome.ts';
import { CANARIES, FORMER, NEXT_OUTPUT, naturalOutcome, plannedSteps } from './job.ts';
import type { CloudFault } from './plan.ts';
import type { Directory, Seen } from './seen.ts';

/** What a rule finds broken, in words. */
type Rule = (seen: Seen) => string[];

/** Every rule that a run broke, as `rule: finding`. */
export function broken(seen: Seen): string[] {
  const rules =
    seen.queue === undefined
      ? Object.entries(RULES)
      : [...Object.entries(RULES).filter(([name]) => ANYWHERE.has(name)), ...Object.entries(POOL_RULES)];
  return rules.flatMap(([name, rule]) => rule(seen).map((finding) => `${name}: ${finding}`));
}

/** The rules that hold for a pool's agents too. */
const ANYWHERE: ReadonlySet<string> = new Set([
  'bounded time',
  'the protocol',
  'nothing left',
  'no secret anywhere',
]);

/** Milliseconds between polls, which the pauses are made of. */
const INTERVAL_MS = 300;

const POOL_RULES: Readonly<Record<string, Rule>> = {
  // "One fault costs one deployment": then one a pause, which doubles, for what no trial proves. A run has not met a
  // trouble that burns none, except 'busy after', and an engine that recovers while the preparation is repeated.
  'one fault burns one deployment': ({ queue = [], troubleMs, texts, plan: { pool } }) => {
    if (pool === undefined) return [];
    const { trouble, burns, ms, times } = pool;
    const planned = {
      'half engine': 1,
      'unreadable answer': 1,
      'lost polls': times,
      'failing hook': blind(troubleMs ?? ms),
      'busy before': blind(troubleMs ?? ms),
      // "It changes nothing of the job" (docs/hooks.md).
      'busy after': 0,
    }[trouble];
    const burnt = queue.filter(({ status }) => status !== 'succeeded');
    const most = planned + timedOut(texts);
    const least = planned === 0 || (trouble === 'half engine' && !burns) ? 0 : 1;
    if (burnt.length < least) return [`none of ${queue.length} burnt by: ${trouble}`];
    return burnt.length > most ? [`${burnt.length} of ${queue.length} burnt, not ${most} at most`] : [];
  },

  // What can't be read ends its agent's claiming for good, which its exit code says.
  'the agents end well': ({ exits, plan: { pool } }) => {
    const odd = exits.filter((code) => code !== 0);
    const isRead = pool?.trouble !== 'unreadable answer';
    if (odd.length === 0 || (!isRead && odd.length === 1 && odd[0] === 4)) return [];
    return [`they ended with ${exits.join(', ')} after SIGTERM`];
  },
};

/** How many polls' answers a loaded machine lost: no plan delays one. */
function timedOut(texts: Seen['texts']): number {
  const consoles = [...texts].flatMap(([place, text]) => (/^agent \d's output$/.test(place) ? [text] : []));
  return (
    consoles.join('').match(/^\S+ warning Failed to poll for work .*: no answer in time\./gm)?.length ?? 0
  );
}

/** How many claims fit into so many milliseconds, one after each pause. */
const blind = (ms: number) => 1 + Math.ceil(Math.log2(ms / INTERVAL_MS + 1));

const OWN_LINE = /^Loading PULUMI_ENV from \S+\n/m;
/** An engine's words where a step's output would be, if its container ended just before it. */
const NOT_BEGUN = /^(?:OCI runtime exec failed: |cannot exec in a stopped state).*\r?\n?/m;

/** The run directory of the planned job. */
function first({ plan, directories, deployment }: Seen): Directory | undefined {
  if (plan.kind === 'action') return directories[0];
  const named = (path: string) =>
    directories.find(({ files }) => String(files.get(path) ?? '').includes(deployment.id));
  return named('run.json') ?? named('events.ndjson');
}

/** The outcome in the last line of a console about its run: `✗ acme/network/prod · update #1 failed in 2 s: …`. */
function endIn(console: readonly string[]): string | undefined {
  const line = console.findLast((each) => /^[✓✗○–] /.test(each)) ?? '';
  const known = { '✓': 'succeeded', '○': 'no-work', '–': 'skipped' } as Record<string, string>;
  if (!line.startsWith('✗')) return known[line[0] ?? ''];
  return new RegExp(`^✗ (?:.*? )?(${OUTCOME_NAMES.join('|')})(?: in [^:]+)?: `).exec(line)?.[1] ?? 'failed';
}

/** The last word to the user about the planned job: its result, else what post or main said. */
function lastWord(seen: Seen): string | undefined {
  const ofPost = endIn(seen.post?.console ?? []);
  return first(seen)?.result?.outcome ?? ofPost ?? seen.main?.outputs['outcome'];
}

const struckBy = ({ struck, plan }: Seen, ...names: readonly string[]) =>
  (struck && names.includes(plan.strike?.what ?? '')) || names.includes(plan.inPost ?? '');
const hitAt = ({ hits }: Seen, place: string) => [...hits].some(({ at }) => at === place);
const cloudHits = ({ hits }: Seen): CloudFault[] => [...hits].filter((fault) => fault.at === 'cloud');

/** "If the answer to the claim gets lost, the deployment runs nowhere." */
function isClaimLost(seen: Seen): boolean {
  return (
    seen.deployment.claimedAt !== undefined &&
    !seen.directories.some(({ files }) => String(files.get('events.ndjson')).includes(seen.deployment.id)) &&
    cloudHits(seen).some(({ call, failure }) => call === 'poll' && failure === 'taken')
  );
}

/** "A cancel that no look could see leaves the verdict": the call that looks for one failed too. */
const isUnseen = (seen: Seen) =>
  seen.deployment.endReason === 'cancelled' && cloudHits(seen).some(({ call }) => call === 'look');

const RULES: Readonly<Record<string, Rule>> = {
  'bounded time': ({ late }) => [...late],

  'the protocol': ({ wrong }) => [...wrong],

  'nothing left': ({ left }) => [...left],

  post: ({ post }) =>
    post === undefined || post.conclusion === 'success' ? [] : [`it is a ${post.conclusion}`],

  'green only over a success': (seen) => {
    const { main, deployment } = seen;
    if (main?.conclusion !== 'success') return [];
    const { outcome = 'no outcome', reported } = main.outputs;
    if (outcome === 'no-work' && (deployment.claimedAt === undefined || isClaimLost(seen))) return [];
    if (outcome !== 'succeeded') return [`main is green and says ${outcome}`];
    return [
      ...(deployment.status === 'succeeded' || isUnseen(seen)
        ? []
        : [`main is green, Pulumi Cloud shows ${deployment.status} (${deployment.endReason})`]),
      ...(reported === 'true' ? [] : [`main is green, reported is "${reported}"`]),
    ];
  },

  'agreement with Pulumi Cloud': (seen) => {
    const { deployment, main, artifact } = seen;
    const word = lastWord(seen);
    const result = first(seen)?.result;
    const found: string[] = [];
    const isSuccess = deployment.status === 'succeeded';
    if (word === 'succeeded' && !isSuccess && !isUnseen(seen))
      found.push(`the run succeeded, Pulumi Cloud shows ${deployment.status} (${deployment.endReason})`);
    if (isSuccess && word !== 'succeeded' && !diedUnheard(seen))
      found.push(`Pulumi Cloud shows succeeded, the run says ${word}`);
    if (isSuccess && main?.outputs['outcome'] === 'failed' && !diedUnheard(seen))
      found.push('Pulumi Cloud shows succeeded, main says failed');
    if (result?.reported === true && deployment.endReason === 'heartbeat-timeout')
      found.push('reported, and Pulumi Cloud waited in vain');
    if (
      result?.reported === false &&
      deployment.endReason === 'steps' &&
      (isSuccess || !isRefusedForGood(seen))
    )
      found.push('Pulumi Cloud took the last status, reported is false');
    if (artifact?.result !== undefined && artifact.result.outcome !== result?.outcome)
      found.push('the artifact has another outcome');
    return found;
  },

  'the outcome': (seen) => {
    const word = lastWord(seen);
    const expected = expectedOutcomes(seen);
    return expected === undefined || expected.includes(word ?? 'nothing')
      ? []
      : [`${word}, not ${expected.join(' or ')}`];
  },

  'every line once and in order': (seen) => {
    const directory = first(seen);
    if (directory?.result === undefined) return [];
    return plannedSteps(seen.plan.steps).flatMap(({ output }, at) => {
      const step = directory.result?.steps[at + 1];
      if (step?.log === undefined) return [];
      const log = String(directory.files.get(step.log) ?? '');
      // The agent's own line, once a step has written variables. It ends a line that the step left open.
      const text = log.replace(OWN_LINE, '').replace(struckBy(seen, 'container') ? NOT_BEGUN : '', '');
      const shown = text === log || output.endsWith('\n') ? output : `${output}\n`;
      if (step.status === 'succeeded' && text !== shown && !text.includes('[agent] '))
        return [`step ${at + 1} succeeded: ${difference(text, output, true) ?? 'line feeds differ'}`];
      // "What a step prints while its connection is cut is lost. A notice tells you how long that was."
      const isCut = hitAt(seen, 'stream') && text.includes("[agent] The connection that carries the step's");
      const isWhole =
        (step.status === 'succeeded' && !isCut) ||
        (seen.marks.has(`ended-${at + 1}`) &&
          !hitAt(seen, 'engine') &&
          !isCut &&
          !struckBy(seen, 'container'));
      const problem = difference(text, output, isWhole);
      return problem === undefined ? [] : [`step ${at + 1} (${step.status}): ${problem}`];
    });
  },

  'Pulumi Cloud has the lines': (seen) => {
    const directory = first(seen);
    return (directory?.result?.steps ?? []).flatMap(({ index, log, cloud, status }) => {
      const step = seen.deployment.steps[index];
      if (log === undefined || step === undefined) return [];
      const text = String(directory?.files.get(log) ?? '');
      const taken = step.lines.map(({ l }) => l).join('');
      // Lines over 40 KiB go in pieces.
      const [kept, sent] = [text, taken].map((each) => each.replaceAll('\n', '')) as [string, string];
      const found: string[] = [];
      if (!kept.startsWith(sent)) found.push(`step ${index}: Pulumi Cloud has lines that the log lacks`);
      if (cloud.undelivered === 0 && kept !== sent)
        found.push(
          `step ${index}: ${sent.length} of ${kept.length} characters, and none counted as undelivered`,
        );
      if (directory?.result?.reported === true && step.status !== status)
        found.push(`step ${index} is ${status}, Pulumi Cloud has ${step.status}`);
      // Faults last less than report_timeout.
      if (cloud.undelivered > 0) found.push(`step ${index}: ${cloud.undelivered} undelivered`);
      return found;
    });
  },

  'a step begins once': ({ marks, plan }) =>
    plan.steps.flatMap((_, at) =>
      (marks.get(`began-${at + 1}`) ?? 0) > 1
        ? [`step ${at + 1} began ${marks.get(`began-${at + 1}`)} times`]
        : [],
    ),

  'an interrupted step could save': (seen) => {
    // The table of stops: `docker kill`, the kernel for lack of memory and a power cut leave no time.
    if (struckBy(seen, 'container')) return [];
    return seen.plan.steps.flatMap(({ saves }, at) => {
      const has = (name: string) => seen.marks.has(`${name}-${at + 1}`);
      return saves && has('began') && !has('ended') && !has('saved')
        ? [`step ${at + 1} was ended without its time`]
        : [];
    });
  },

  'no secret anywhere': ({ texts, tokens }) => {
    const secrets = [...Object.values(CANARIES), ...tokens];
    const forms = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]);
    const isFormer = (place: string, text: string) =>
      text.includes(FORMER) && !place.endsWith('Pulumi Cloud next') && !text.includes(NEXT_OUTPUT);
    return [...texts].flatMap(([place, text]) => [
      ...forms.filter((form) => text.includes(form)).map((form) => `${form} in ${place}`),
      ...(isFormer(place, text) ? [`${FORMER} in ${place}`] : []),
    ]);
  },

  'the next job': ({ next, exits }) => {
    if (next === undefined) return [];
    const found: string[] = [];
    if (next.status !== 'succeeded') found.push(`it is ${next.status}`);
    const text = next.steps[1]?.lines.map(({ l }) => l).join('');
    if (next.status === 'succeeded' && text !== NEXT_OUTPUT) found.push(`it printed ${text}`);
    if (exits.at(-1) !== 0) found.push(`its agent ended with ${exits.at(-1)} after SIGTERM`);
    return found;
  },
};

/**
 * "A deployment that ran here is green only if Pulumi Cloud accepted its last status." The agent was killed before it could
 * record that.
 */
function diedUnheard(seen: Seen): boolean {
  const events = String(first(seen)?.files.get('events.ndjson') ?? '');
  return struckBy(seen, 'agent') && !events.includes('"type":"reported"');
}

/** The last status was taken, its answer lost, all after it refused: of a failure nobody can tell that it was taken. */
const isRefusedForGood = (seen: Seen) => cloudHits(seen).some(({ thenRefused }) => thenRefused !== undefined);

/** The outcomes that the planned job may have; undefined if any may be right. */
function expectedOutcomes(seen: Seen): string[] | undefined {
  const { plan, deployment, struck } = seen;
  // "hook-before-job is broken: the deployment fails as refused" (docs/hooks.md).
  const isHookBusy = plan.faults.some(({ failure }) => failure === 'busy before');
  const natural = isHookBusy ? 'refused' : naturalOutcome(plan.steps);
  // What the engine's failures do to a job is in docs/internals/endings.md.
  if (hitAt(seen, 'engine')) return undefined;
  if (deployment.claimedAt === undefined) {
    if (struck) return struckBy(seen, 'agent') ? ['failed', 'interrupted'] : undefined;
    // "There are two exceptions: … the exchange or poll of a single run" (docs/internals/calls.md).
    const met = cloudHits(seen).filter(({ call }) => call === 'exchange' || call === 'poll');
    const isRefused = met.some(({ failure }) => failure === '401' || failure === '403');
    return [...(isRefused ? ['auth-error'] : []), met.length > 0 ? 'cloud-unreachable' : 'a claim'];
  }
  if (isClaimLost(seen)) return undefined;
  // A failure tells its reason, a cancel can come too late.
  if (deployment.endReason === 'cancelled' && isUnseen(seen)) return undefined;
  if (deployment.endReason === 'cancelled')
    return struckBy(seen, 'agent')
      ? undefined
      : [
          'cancelled',
          ...(natural === 'succeeded' ? [] : [natural]),
          ...(struckBy(seen, 'ci-cancel') ? ['interrupted'] : []),
          ...(isRefusedForGood(seen) ? ['unreported'] : []),
        ];
  // An agent that dies while it is being stopped has failed.
  if (struckBy(seen, 'agent')) return undefined;
  if (struckBy(seen, 'ci-cancel', 'interrupt')) return ['interrupted', natural];
  if (struckBy(seen, 'container')) return ['failed', natural];
  return [natural];
}

/** How a step's file differs from its output, whole or cut off; undefined if it doesn't. */
function difference(file: string, output: string, isWhole: boolean): string | undefined {
  if (file === output) return undefined;
  // The agent's own lines begin on new ones, wherever the output had got to.
  const [text, expected] = [file.replace(/^\[agent\] .*\n/gm, ''), output].map((each) =>
    each.replaceAll('\n', ''),
  ) as [string, string];
  let same = 0;
  while (same < text.length && text[same] === expected[same]) same += 1;
  const rest = text.slice(same).replace(/(?:interrupted)?(?:saved)?$/, '');
  if (rest === '' && (same === expected.length || !isWhole)) return undefined;
  // Cut off, the beginning of a secret is no secret.
  const isBeginning = Object.values(CANARIES).some(
    (secret) => rest.length < secret.length && secret.startsWith(rest),
  );
  if (!isWhole && isBeginning) return undefined;
  const [there, planned] = [rest, expected.slice(same)].map((each) => JSON.stringify(each.slice(0, 80)));
  return `from character ${same} of ${expected.length} it has ${there} instead of ${planned}`;
}
