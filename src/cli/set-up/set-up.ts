import { constants } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { accessTokenSource, type Connection, connect } from '../../agent/connection.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { withoutServiceMessages } from '../../base/log/service-messages.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { counted } from '../../base/quantity.ts';
import { type StackName, stackText } from '../../base/stack.ts';
import { chooseStacks } from '../../cloud/deployments/stacks.ts';
import { OrganizationApi } from '../../cloud/organization-api.ts';
import type { CommandSources } from '../command-line.ts';
import { isTerminal, Questions } from '../questions.ts';
import { withConfiguration } from '../session.ts';
import { type Answers, nameProblem } from './answers.ts';
import { CI_SYSTEMS, nextSteps, policyOf } from './ci-systems.ts';
import { gatherAnswers, unusable } from './gather.ts';

/** Characters of a name that Pulumi Cloud gives. */
const MAX_NAME = 100;

/** A stack, and the pool that its settings name. */
interface StackPool {
  readonly stack: StackName;
  readonly poolId: string | undefined;
  /** Its settings say where its program is. */
  readonly hasSource: boolean;
  readonly runsPullRequests: boolean;
  /** Why its pool could not be set. */
  readonly failure?: OutcomeError;
}

/**
 * `pulumi-runner-agent set-up`: writes the workflow of a pool, prints the policy that it needs, and
 * sets the pool of its stacks. It asks once before it changes anything in Pulumi Cloud. Returns the
 * exit code. Throws OutcomeError.
 */
export function setUp(sources: CommandSources<'set-up'>): Promise<number> {
  const { command, process, workingDirectory, environment } = sources;

  return withConfiguration(sources, 'offline', async ({ config, redactor, redact, log, signal: stopped }) => {
    await using resources = new AsyncDisposableStack();
    // Text of Pulumi Cloud must not command a terminal or a CI system.
    const say = (text: string) => void process.stdout.write(`${withoutServiceMessages(redact(text))}\n`);

    const questions = isTerminal(process) ? new Questions(process, unfinished) : undefined;
    resources.defer(async () => questions?.[Symbol.dispose]());
    // On a terminal, readline gets the Ctrl-C.
    const signal = questions === undefined ? stopped : AbortSignal.any([stopped, questions.quit]);

    const findsPool = config.accessToken !== undefined;
    const { organizationName: organization, runnerPoolId: pool, runnerPoolName } = config;
    const input = {
      ...command.answers,
      organization,
      pool: pool ?? (findsPool ? runnerPoolName : undefined),
    };
    const answered = await gatherAnswers(input, workingDirectory, { questions, findsPool });
    const system = CI_SYSTEMS[answered.ci];
    const target = resolve(workingDirectory, command.output ?? system.file);
    const file = relative(workingDirectory, target) || target;

    // No retries: the reader is waiting.
    const connection = connect({ ...config, requestRetryCount: 0 }, { environment, log, redactor });
    resources.defer(() => connection.close());
    const tokens = accessTokenSource(config, connection.http, redactor);
    const api = config.accessToken === undefined ? undefined : new OrganizationApi(connection.http, tokens);

    if (api === undefined) say(await reached(connection, config.serviceUrl, signal));

    const found = api && (await poolOf(answered, api, signal));
    const answers = found === undefined ? answered : { ...answered, pool: found.id };
    const stacks = api === undefined ? [] : await poolsOf(answers, api, signal);
    const changing = stacks.filter(({ poolId }) => poolId !== answers.pool);

    const content = system.text(answers);
    const isThere = await hasContent(target, file, content);

    say(
      isThere
        ? `\n${file} is there already, as it would be written.`
        : `\nIt will write ${file} for ${[system.title, answers.repository.path].filter(Boolean).join(' of ')}.`,
    );
    if (found !== undefined) say(`The pool is ${plainText(found.name, MAX_NAME)} (${found.id}).`);
    for (const each of stacks) say(planned(each, answers.pool));
    if (api === undefined) say(NO_TOKEN);

    const applies = changing.length > 0 && (await mayApply(command.apply, changing.length, questions));

    signal.throwIfAborted();

    if (!isThere) {
      await write(target, file, content);
      say(`\nWrote ${file}.`);
    }

    const rest = applies ? await setPools(changing, answers.pool, { api, say, signal }) : changing;
    const unset = api === undefined ? answers.stacks : rest.map(({ stack }) => stackText(stack));
    say(instructions(answers, file, unset));

    const [failure] = rest.flatMap(({ failure }) => failure ?? []);
    if (failure !== undefined) throw failure;

    return 0;
  });
}

const NO_TOKEN =
  'Without an access token (PULUMI_AGENT_ACCESS_TOKEN) it checks no pool, and changes nothing in Pulumi Cloud.';

/** Whether Pulumi Cloud can be reached, in a sentence: any answer shows it. */
async function reached({ http }: Connection, serviceUrl: string, signal: AbortSignal): Promise<string> {
  const call = { method: 'GET', path: '/api/capabilities', code: 'PRA-SETUP-01', signal } as const;

  try {
    await http.once({ ...call, purpose: 'reach Pulumi Cloud' });
    return `✔ ${serviceUrl} answers.`;
  } catch (error) {
    signal.throwIfAborted();
    return `✘ ${messageOf(error)}`;
  }
}

/**
 * The pool that is meant by its ID or its name. Throws OutcomeError `config-error` if there is none,
 * and if several have the name: a workflow for the wrong one claims what it must not run.
 */
async function poolOf({ organization, pool }: Answers, api: OrganizationApi, signal: AbortSignal) {
  const pools = await api.pools(organization, signal);
  const byId = pools.filter(({ id }) => id === pool);
  const [found, ...more] = byId.length > 0 ? byId : pools.filter(({ name }) => name === pool);
  if (found !== undefined && more.length > 0) {
    const ids = [found, ...more].map(({ id }) => plainText(id, MAX_NAME)).join(', ');
    throw unusable(
      `${organization} has ${1 + more.length} pools with the name ${pool}: give the ID of one (${ids})`,
    );
  }

  // It gets into a file that a shell reads.
  const problem = found && nameProblem(found.id);
  if (problem !== undefined) throw unusable(`the ID of the pool ${pool} ${problem}`);
  if (found !== undefined) return found;

  const names = pools.map(({ id, name }) => `${plainText(name, MAX_NAME)} (${plainText(id, MAX_NAME)})`);
  const others = names.length > 0 ? `its pools are ${names.join(', ')}` : 'it has none; create one first';
  throw unusable(`this access token sees no pool ${pool} in ${organization}: ${others}`);
}

/** The stacks that the answers mean, each with its pool. */
async function poolsOf({ stacks }: Answers, api: OrganizationApi, signal: AbortSignal): Promise<StackPool[]> {
  const found: StackPool[] = [];
  for (const stack of await chooseStacks(stacks, api, signal)) {
    // Without settings, another call than this one says whether there is such a stack.
    await api.stack(stack, signal);
    const settings = await api.settingsOf(stack, signal);
    const runsPullRequests = [settings?.gitHub, settings?.vcs].some(
      (source) => source?.previewPullRequests === true || source?.pullRequestTemplate === true,
    );
    const hasSource = settings?.sourceContext !== undefined;
    found.push({ stack, poolId: settings?.agentPoolID, hasSource, runsPullRequests });
  }
  return found;
}

/** What becomes of a stack's pool. */
function planned({ stack, poolId, hasSource, runsPullRequests }: StackPool, wanted: string): string {
  const name = stackText(stack);
  const pool = poolId === undefined ? 'it names none now' : `now ${plainText(poolId, MAX_NAME)}`;
  const change =
    poolId === wanted ? `${name} has the pool already.` : `It will set the pool of ${name} (${pool}).`;
  const source = hasSource ? '' : ' Its settings name no source: set it in Settings → Deploy.';
  const pullRequests = runsPullRequests
    ? " Its pull requests run before anyone reviews them, with the workflow's keys: switch off their previews and the template for review stacks in Settings → Deploy."
    : '';
  return `${change}${source}${pullRequests}`;
}

/** Whether the stacks' pool may be set: as a flag says, else the user. Throws OutcomeError if neither can. */
async function mayApply(
  apply: boolean | undefined,
  count: number,
  questions: Questions | undefined,
): Promise<boolean> {
  if (apply !== undefined) return apply;
  if (questions === undefined)
    throw unusable(
      `without a terminal it needs --apply to set the pool of ${counted(count, 'stack')}, or --no-apply`,
    );
  return questions.confirmed(`\nSet the pool of ${counted(count, 'stack')}? Their other settings stay.`);
}

/** Sets the stacks' pool, and returns those that could not be set. */
async function setPools(
  stacks: readonly StackPool[],
  poolId: string,
  tools: {
    readonly api: OrganizationApi | undefined;
    readonly say: (text: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<StackPool[]> {
  const { api, say, signal } = tools;
  const rest: StackPool[] = [];

  for (const each of stacks) {
    try {
      await api?.setPool(each.stack, poolId, signal);
      say(`✔ ${stackText(each.stack)} has the pool now; its other settings stayed.`);
    } catch (failure) {
      signal.throwIfAborted();
      if (!(failure instanceof OutcomeError)) throw failure;
      say(`✘ ${failure.message}`);
      rest.push({ ...each, failure });
    }
  }

  return rest;
}

/** True if the workflow is there already. Throws OutcomeError `config-error` if another file is. */
async function hasContent(target: string, file: string, content: string): Promise<boolean> {
  try {
    // Without O_NONBLOCK, a FIFO would hold it until a writer comes.
    await using there = await open(target, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await there.stat()).isFile() && (await there.readFile('utf8')) === content) return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false;
    throw unwritten(`${messageOf(cause)}. Choose another place with --output`, cause);
  }
  throw present(file);
}

/** Writes the workflow; never over another file. */
async function write(target: string, file: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { flag: 'wx', flush: true });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw present(file);
    throw unwritten(`${messageOf(cause)}. Choose another place with --output`, cause);
  }
}

function present(file: string): OutcomeError {
  return unwritten(`${file} exists. Choose another place with --output`);
}

function unfinished(): OutcomeError {
  const message = 'Failed to set up the workflow: it was not finished. Start again: finished parts stay.';
  return new OutcomeError('interrupted', message, { code: 'PRA-SETUP-01' });
}

function unwritten(reason: string, cause?: unknown): OutcomeError {
  const message = `Failed to write the workflow: ${reason}.`;
  return new OutcomeError('config-error', message, { code: 'PRA-SETUP-02', cause });
}

/** What an admin of the organization and the author of the workflow do next. */
function instructions(answers: Answers, file: string, stacks: readonly string[]): string {
  const { issuer, cautions } = CI_SYSTEMS[answers.ci];
  const policy = policyOf(answers);
  const steps = nextSteps(answers, file);
  const choose =
    stacks.length === 0
      ? []
      : [
          `For ${stacks.join(', ')}: choose the pool in the stack's Settings → Deploy, and switch off its previews for pull requests and its template for review stacks.`,
        ];
  const { sub } = policy.rules;

  return `
In Pulumi Cloud, as an admin (Settings → Access Management → OIDC Issuers):
Register the issuer ${issuer(answers)}
and replace its policy, which denies everything, with this one. If the issuer is there already, keep its other policies.
In the form, "runner" is the token type Deployment Runner:

${JSON.stringify(policy, undefined, 2)}
${sub === undefined ? '' : `\nThe subject of the job's token: ${sub}\n`}
Note:
${cautions(answers)
  .map((each) => `- ${each}`)
  .join('\n')}

Next:
${[...choose, ...steps].map((step, index) => `${index + 1}. ${step}`).join('\n')}`;
}
