import type { z } from 'zod';
import { type Outcome, OutcomeError } from '../base/outcome.ts';
import { type StackName, stackText } from '../base/stack.ts';
import { type CallPurpose, CHECK_SERVICE, type CloudAnswer, refused } from './attempt.ts';
import { AuthError, CloudUnreachableError } from './errors.ts';
import type { CloudHttp } from './http.ts';
import {
  type DeploymentLoad,
  deploymentPageSchema,
  deploymentsPath,
  loadSchema,
  poolListSchema,
  poolSchema,
  type Started,
  stackPageSchema,
  stackPath,
  stackPauseSchema,
  stackSchema,
  stackSettingsSchema,
  startedSchema,
} from './organization-wire.ts';
import { refusal } from './refusal.ts';
import { AuthorizedHttp, ORGANIZATION, type TokenSource } from './token.ts';

/** The deployment to start; `settings` are of Pulumi's `DeploymentSettingsRequest`. */
export interface StartRequest {
  readonly operation: string;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** The result of one request to start a deployment. */
export type StartAnswer =
  | ({ readonly kind: 'started' } & Started)
  /**
   * `later`: not accepted, but a retry may be. `unknown`: no answer says whether it was accepted.
   */
  | {
      readonly kind: 'later' | 'unknown';
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
    };

/** A page of deployments, newest first. */
export interface DeploymentPage extends z.infer<typeof deploymentPageSchema> {
  /** Pulumi Cloud's clock: milliseconds since the epoch, accurate to a second. */
  readonly serverTime: number | undefined;
}

/** Deployments on a page: the most that Pulumi Cloud allows. */
const PAGE_SIZE = 100;

/** A call that reads: it may be repeated, and only Pulumi Cloud's own refusal is final. */
const READ = { method: 'GET', needsJson: true, refusesInJson: true } as const;

/** Calls with an access token: they start deployments, and read stacks and queues. */
export class OrganizationApi {
  readonly #http: AuthorizedHttp;

  constructor(http: CloudHttp, tokens: TokenSource) {
    this.#http = new AuthorizedHttp(http, tokens, ORGANIZATION);
  }

  /**
   * Asks once to start a deployment with the stack's settings, over which `settings` go in the
   * shape of the API; retry only `later`. Throws OutcomeError if refused.
   */
  async start(
    stack: StackName,
    { operation, settings }: StartRequest,
    signal: AbortSignal,
  ): Promise<StartAnswer> {
    let answer: CloudAnswer;
    const call = { purpose: `start ${operation}`, code: 'PRA-TRIGGER-01', signal } as const;

    try {
      const body = { ...settings, operation, inheritSettings: true };
      answer = await this.#http.once({ ...call, method: 'POST', path: deploymentsPath(stack), body });
    } catch (error) {
      if (!(error instanceof CloudUnreachableError) || error.reason === undefined) throw error;
      const { wasSent, status, reason, retryAfterMs } = error;
      return { kind: status === 429 || !wasSent ? 'later' : 'unknown', reason, retryAfterMs };
    }

    if (answer.status >= 300) throw startRefusal(stack, { operation, settings }, answer);

    const started = startedSchema.safeParse(answer.json);
    if (!started.success)
      return { kind: 'unknown', reason: 'the answer names no deployment', retryAfterMs: undefined };

    return { kind: 'started', ...started.data };
  }

  /** A stack's newest deployments. Throws OutcomeError if they can't be read. */
  deploymentsOf(stack: StackName, signal: AbortSignal): Promise<DeploymentPage> {
    return this.#page(deploymentsPath(stack), 1, signal);
  }

  /** A page, from 1, of the organization's deployments. Throws OutcomeError if it can't be read. */
  deployments(organization: string, page: number, signal: AbortSignal): Promise<DeploymentPage> {
    return this.#page(`/api/orgs/${encodeURIComponent(organization)}/deployments`, page, signal);
  }

  /**
   * Reads the organization's load, tried once; unknown parts are absent, and it is undefined if the
   * service refuses it. Throws OutcomeError if no answer arrives.
   */
  async load(organization: string, signal: AbortSignal): Promise<DeploymentLoad | undefined> {
    const path = `/api/orgs/${encodeURIComponent(organization)}/deployments/metadata`;
    const purpose = "read the organization's load";
    const answer = await this.#http.once({ method: 'GET', path, purpose, code: 'PRA-TRIGGER-05', signal });
    return answer.status < 300 ? loadSchema.parse(answer.json) : undefined;
  }

  /**
   * A page of the stacks that the token can see; `continuation` is the previous page's. Throws
   * OutcomeError.
   */
  async stacks(organization: string, continuation: string | undefined, signal: AbortSignal) {
    const query = new URLSearchParams({ organization });
    if (continuation !== undefined) query.set('continuationToken', continuation);

    const call = { ...READ, purpose: 'list the stacks', code: 'PRA-TRIGGER-04', signal } as const;
    const answer = await this.#http.call({ ...call, path: `/api/user/stacks?${query}` });
    const read = stackPageSchema.safeParse(answer.json);
    if (answer.status >= 300 || !read.success) throw unreadable(call, organization, answer);

    // The server filters too, but isn't trusted to.
    const stacks: StackName[] = read.data.stacks.filter((stack) => stack.organization === organization);
    return { stacks, continuation: read.data.continuationToken || undefined };
  }

  /** A stack's version, and what runs on it. Throws OutcomeError if it can't be read. */
  async stack(stack: StackName, signal: AbortSignal): Promise<z.infer<typeof stackSchema>> {
    const call = { ...READ, purpose: 'read the stack', code: 'PRA-TRIGGER-11', signal } as const;
    const answer = await this.#http.call({ ...call, path: stackPath(stack) });
    const read = stackSchema.safeParse(answer.json);
    if (answer.status >= 300 || !read.success) throw unreadable(call, stackText(stack), answer);
    return read.data;
  }

  /** The organization's pools. Throws OutcomeError. */
  async pools(organization: string, signal: AbortSignal) {
    return (await this.#pools(organization, 'list the pools', signal)).pools;
  }

  /** The pool of stacks that name none; undefined for Pulumi's hosted runners. Throws OutcomeError. */
  async defaultPool(organization: string, signal: AbortSignal) {
    const { pools, defaultId } = await this.#pools(organization, 'find the default pool', signal);
    if (defaultId === undefined) return undefined;
    return pools.find(({ id }) => id === defaultId) ?? { id: defaultId, name: defaultId };
  }

  /** A pool, and whether it is the organization's default; the others if there is none. Throws OutcomeError. */
  async pool(organization: string, poolId: string, signal: AbortSignal) {
    const purpose = 'read the pool';
    const { pools, defaultId } = await this.#pools(organization, purpose, signal);
    if (!pools.some(({ id }) => id === poolId)) return { others: pools };
    const path = `${poolsPath(organization)}/${encodeURIComponent(poolId)}`;
    const { name, agents } = await this.#read(poolSchema, path, { purpose, whom: organization, signal });
    return { name, agents, isDefault: defaultId === poolId };
  }

  /** The pool that a stack's settings name; undefined for the default. Throws like `pool`. */
  async poolOf(stack: StackName, signal: AbortSignal): Promise<string | undefined> {
    const how = { purpose: "read the stack's settings", whom: stackText(stack), signal };
    return (await this.#read(stackSettingsSchema, `${deploymentsPath(stack)}/settings`, how)).agentPoolID;
  }

  /** Whether a stack's new deployments wait, and by whose pause. Throws like `pool`. */
  async pauseOf(stack: StackName, signal: AbortSignal): Promise<z.infer<typeof stackPauseSchema>> {
    const how = { purpose: "read the stack's pause", whom: stackText(stack), signal };
    return await this.#read(stackPauseSchema, `${deploymentsPath(stack)}/metadata`, how);
  }

  /** A stack's deployment settings; undefined if it has none. Throws like `pool`. */
  async settingsOf(stack: StackName, signal: AbortSignal) {
    const path = `${deploymentsPath(stack)}/settings`;
    const call = {
      ...READ,
      path,
      purpose: "read the stack's settings",
      code: 'PRA-TRIGGER-05',
      signal,
    } as const;
    const answer = await this.#http.once(call);
    if (answer.status === 404) return undefined;
    const read = stackSettingsSchema.safeParse(answer.json);
    if (answer.status >= 300 || !read.success) throw unreadable(call, stackText(stack), answer);
    return read.data;
  }

  /**
   * Sets the pool of a stack's deployments. Pulumi Cloud merges it into the stack's settings, so all
   * others stay (PatchDeploymentSettings). Throws OutcomeError.
   */
  async setPool(stack: StackName, agentPoolID: string, signal: AbortSignal): Promise<void> {
    const path = `${deploymentsPath(stack)}/settings`;
    const call = { method: 'POST', path, purpose: 'set the pool', code: 'PRA-SETUP-03', signal } as const;
    const answer = await this.#http.once({ ...call, body: { agentPoolID } });
    if (answer.status < 300) return;

    const advice = "Check that the access token can change the stack's deployment settings.";
    const message = `Failed to set the pool for ${stackText(stack)}: ${refusal(answer)}. ${advice}`;
    throw new OutcomeError(answer.status === 400 ? 'config-error' : 'auth-error', message, {
      code: call.code,
    });
  }

  async #pools(organization: string, purpose: string, signal: AbortSignal) {
    const how = { purpose, whom: organization, signal };
    const { agentPools, defaultAgentPoolID } = await this.#read(poolListSchema, poolsPath(organization), how);
    return { pools: agentPools.map(({ id, name = id }) => ({ id, name })), defaultId: defaultAgentPoolID };
  }

  async #read<T>(
    schema: z.ZodType<T>,
    path: string,
    { whom, ...how }: { readonly purpose: string; readonly whom: string; readonly signal: AbortSignal },
  ): Promise<T> {
    const call = { ...READ, path, code: 'PRA-TRIGGER-05', ...how } as const;
    const answer = await this.#http.once(call);
    const read = schema.safeParse(answer.json);
    if (answer.status >= 300 || !read.success) throw unreadable(call, whom, answer);
    return read.data;
  }

  async #page(path: string, page: number, signal: AbortSignal): Promise<DeploymentPage> {
    const call = { ...READ, purpose: 'read the deployments', code: 'PRA-TRIGGER-06', signal } as const;
    const query = `page=${page}&pageSize=${PAGE_SIZE}`;
    const answer = await this.#http.call({ ...call, path: `${path}?${query}` });
    const read = deploymentPageSchema.safeParse(answer.json);
    if (answer.status >= 300 || !read.success)
      throw unreadable(call, path.replace(/^\/api\/\w+\//, ''), answer);
    return { ...read.data, serverTime: answer.serverTime };
  }
}

function poolsPath(organization: string): string {
  return `/api/orgs/${encodeURIComponent(organization)}/agent-pools`;
}

/** The error for an answer to a read that is a refusal or not as documented. */
function unreadable(call: CallPurpose, whom: string, answer: CloudAnswer): Error {
  const { status } = answer;
  if (status === 403 || status === 404) {
    const advice = "Check the names, and that the access token can see them; a pool's token can't.";
    return new AuthError(`Failed to ${call.purpose} for ${whom}: ${refusal(answer)}. ${advice}`, {
      code: call.code,
    });
  }

  return refused(call, whom, answer, CHECK_SERVICE, status >= 300 ? undefined : UNDOCUMENTED);
}

const UNDOCUMENTED = 'the answer is not as Pulumi documents it';

/** Where Pulumi's console shows a stack's deployment settings. */
const DEPLOY_SETTINGS = "the stack's Settings → Deploy in Pulumi Cloud";

/** `pulumi up` and `pulumi preview` run the program; a refresh doesn't. */
const SOURCE = 'update, preview and remediate-drift need the source of the program there.';

/**
 * The remedy for a refusal to start a deployment; meanings from Pulumi's OpenAPI document where it
 * has them.
 */
const MEANINGS: Readonly<Record<number, string>> = {
  400: `Check ${DEPLOY_SETTINGS}: they must be there, and their Deployment runner pool must exist. ${SOURCE}`,
  402: "The organization's edition of Pulumi Cloud has no such operation. Ask for an edition that has it.",
  403: "Check that the access token can deploy the stack; a pool's token can't.",
  404: 'Check the names of organization, project and stack, that the stack exists, and that the access token can see it.',
  409: "Pulumi documents no such answer to a start, as deployments of a paused stack queue. Check the stack's deployments, then start it again.",
  422: `Check ${DEPLOY_SETTINGS}, and that they suit the operation. ${SOURCE}`,
};

function startRefusal(
  stack: StackName,
  { operation, settings }: StartRequest,
  answer: CloudAnswer,
): OutcomeError {
  const failed = `Failed to start ${operation} for ${stackText(stack)}: ${refusal(answer)}.`;
  const meaning = MEANINGS[answer.status] ?? CHECK_SERVICE;
  const isOfSettings = settings !== undefined && (answer.status === 400 || answer.status === 422);
  const advice = isOfSettings ? ' Check trigger_settings too.' : '';
  return new OutcomeError(refusalOutcome(answer.status), `${failed} ${meaning}${advice}`, {
    code: 'PRA-TRIGGER-01',
  });
}

function refusalOutcome(status: number): Outcome {
  if (!(status in MEANINGS)) return 'cloud-unreachable';
  if (status === 402 || status === 403) return 'auth-error';
  return status === 409 ? 'failed' : 'config-error';
}
