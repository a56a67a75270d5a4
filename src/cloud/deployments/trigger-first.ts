import type { Clock } from '../../base/clock.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import { organizationOf, stackNamed } from '../../base/config/stack-pattern.ts';
import type { RunLog } from '../../base/log/level.ts';
import { OutcomeError } from '../../base/outcome.ts';
import type { StackName } from '../../base/stack.ts';
import { DeploymentApi } from '../deployment-api.ts';
import type { CloudHttp } from '../http.ts';
import { OrganizationApi } from '../organization-api.ts';
import { deploymentUrl, type Service } from '../organization-wire.ts';
import type { TokenSource } from '../token.ts';
import { type AskOptions, askBriefly } from './ask.ts';
import { CHOOSE_POOL, misplaced, misplacedSentence } from './queue.ts';
import { stillAt } from './stack-version.ts';
import { type Starts, startConfigured, startsVerdict, type TriggerOptions } from './start-deployments.ts';

/**
 * Between two updates of the health endpoint: an agent that waits out a long jitter is healthy.
 */
const ACTIVITY_MS = 5_000;

export interface TriggerFirstOptions {
  readonly config: AgentConfig;
  readonly http: CloudHttp;
  /** The access token. */
  readonly tokens: TokenSource;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The deployments started before the first wait, with their own pages where known. */
export interface Triggered {
  readonly starts: Starts;
  /** IDs of those that Pulumi Cloud lists for another pool, or for none. */
  readonly elsewhere: ReadonlySet<string>;
  /** Follows them. */
  readonly api: DeploymentApi;
  /** Throws OutcomeError if the stack no longer has the expected version; absent if none is expected. */
  readonly recheck?: ((stack: StackName, signal: AbortSignal) => Promise<void>) | undefined;
}

/**
 * Starts deployments before the agent waits. Throws OutcomeError if none could be started or, for a
 * lasting agent, if any could not; started ones stay queued. `onActivity` is called every 5 s.
 */
export async function triggerFirst(
  { config, http, tokens, clock, signal }: TriggerFirstOptions,
  notice: RunLog,
  onActivity: () => void,
): Promise<Triggered> {
  const api = new OrganizationApi(http, tokens);
  const { expectedVersion: expected, operation = '' } = config;
  const log: AskOptions['log'] = (level, message) => notice(level === 'info' ? 'info' : 'warning', message);
  const activity = setInterval(onActivity, ACTIVITY_MS);

  try {
    const trigger = { api, config, clock, signal, log, random: Math.random };
    const starts = await startConfigured(trigger);
    const { started } = starts;
    const { outcome, ...end } = startsVerdict(starts);
    if (outcome !== 'succeeded' && (!config.singleRun || started.length === 0))
      throw new OutcomeError(outcome, end.message, { code: end.code ?? 'PRA-TRIGGER-01' });

    // Once some are started, the run must follow them, and cancel them if asked: a failed read
    // doesn't matter.
    const reading = startedElsewhere(started, trigger);
    const elsewhere = await reading.catch(() => new Set<string>());

    return {
      starts: withPages(starts, config),
      elsewhere,
      api: new DeploymentApi(http, tokens),
      recheck:
        expected === undefined
          ? undefined
          : (stack, end) => stillAt(stack, { api, operation, expected }, end),
    };
  } catch (error) {
    if (!signal.aborted || error instanceof OutcomeError) throw error;
    const message = 'The agent was asked to stop before it had started the deployments.';
    throw new OutcomeError('interrupted', message, { code: 'PRA-JOB-05', cause: error });
  } finally {
    clearInterval(activity);
  }
}

function withPages({ started, failed }: Starts, service: Service): Starts {
  const paged = started.map((each) => {
    return { ...each, consoleUrl: deploymentUrl(service, stackNamed(each.stack), each) };
  });
  return { started: paged, failed };
}

/** IDs of those for another pool, or for none, which are logged. None if the list can't be read. */
async function startedElsewhere(
  started: Starts['started'],
  options: TriggerOptions,
): Promise<ReadonlySet<string>> {
  const { api, config, log } = options;
  const { runnerPoolId, singleRun } = config;
  const [first] = started;
  if (runnerPoolId === undefined || first === undefined) return new Set();

  const organization = organizationOf(first.stack);
  const ask = (signal: AbortSignal) => api.deployments(organization, 1, signal);
  const page = await askBriefly(`The queue of ${organization}`, ask, options);
  const listed = new Map(page?.deployments.map((each) => [each.id, each]));
  const theirs = misplaced(started, listed, runnerPoolId);
  const sentence = (what: string) => misplacedSentence(theirs, runnerPoolId, what);

  if (theirs.length > 0 && singleRun) log('info', sentence('followed here, run elsewhere'));
  else if (theirs.length > 0) log('warning', sentence(CHOOSE_POOL));

  return new Set(theirs.map(({ deploymentId }) => deploymentId));
}
