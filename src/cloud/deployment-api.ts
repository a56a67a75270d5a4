import type { z } from 'zod';
import { type StackName, stackText } from '../base/stack.ts';
import { CHECK_SERVICE, type CloudAnswer, type CloudCall, refused } from './attempt.ts';
import {
  type DeploymentUpdate,
  type DeploymentView,
  type DriftRun,
  deploymentSchema,
  driftRunIn,
  driftSchema,
  eventsSchema,
  linesSchema,
  type OutputValues,
  outputsInExport,
  outputsSchema,
  pathsOf,
  type UpdateStep,
  updatesIn,
} from './deployment-wire.ts';
import { refusedStatus } from './errors.ts';
import type { CloudHttp } from './http.ts';
import {
  deploymentPageSchema,
  deploymentsPath,
  operationIn,
  type StackOperation,
  stackPath,
} from './organization-wire.ts';
import { AuthorizedHttp, ORGANIZATION, type TokenSource } from './token.ts';

export interface DeploymentName {
  readonly stack: StackName;
  readonly deploymentId: string;
}

const CODE = 'PRA-TRIGGER-07';

/** The newest drift runs to look among. */
const RUNS = 20;

/** The newest deployments of a stack to look among: the most on a page. */
const LISTED = 100;

/** Statuses of a service without a call. */
const NOT_SERVED: ReadonlySet<number> = new Set([404, 405, 501]);

/** Lines of a step's log to request at once: the most that Pulumi Cloud allows. */
const LINES_AT_ONCE = 499;

/** Pages of one update's events: with the most bytes of an answer, its bound. */
const MAX_PAGES = 50;

/** Calls about started deployments, made with an access token. Each is tried once. */
export class DeploymentApi {
  readonly #http: AuthorizedHttp;

  constructor(http: CloudHttp, tokens: TokenSource) {
    this.#http = new AuthorizedHttp(http, tokens, ORGANIZATION);
  }

  /**
   * Reads a deployment's state. Throws OutcomeError if it can't be read, or if the answer is about
   * another deployment.
   */
  async read(name: DeploymentName, signal: AbortSignal): Promise<DeploymentView> {
    const purpose = 'read the deployment';
    const answer = await this.#get(name, '', purpose, signal);
    const view = parsed(deploymentSchema, answer, { purpose, stack: name.stack, missing: 'status' });
    if (view.id === undefined || view.id === name.deploymentId) return view;

    const subject = { purpose, code: CODE } as const;
    const why = 'the answer is about another deployment';
    throw refused(subject, stackText(name.stack), answer, CHECK_SERVICE, why);
  }

  /** A stack's newest deployments, and Pulumi Cloud's clock. Throws OutcomeError. */
  async newestOf(stack: StackName, signal: AbortSignal) {
    const purpose = "read the stack's deployments";
    const path = `${deploymentsPath(stack)}?page=1&pageSize=${LISTED}`;
    const answer = await this.#call(stack, path, { needsJson: true, purpose, signal });
    const { deployments } = parsed(deploymentPageSchema, answer, { purpose, stack, missing: 'list' });
    return { deployments, serverTime: answer.serverTime };
  }

  /**
   * A step's lines from `offset`, without line ends, and the offset of the next ones, if any.
   * Throws OutcomeError.
   */
  async lines(
    name: DeploymentName,
    { job, step, offset }: { readonly job: number; readonly step: number; readonly offset: number },
    signal: AbortSignal,
  ): Promise<{ readonly lines: readonly string[]; readonly next: number | undefined }> {
    const query = `/logs?job=${job}&step=${step}&offset=${offset}&count=${LINES_AT_ONCE}`;
    const purpose = "read the deployment's log";
    const answer = await this.#get(name, query, purpose, signal);
    const read = parsed(linesSchema, answer, { purpose, stack: name.stack, missing: 'lines' });
    const lines = (read.lines ?? []).map(({ line }) => line.replace(/\r?\n$/, ''));
    const { nextOffset = offset + lines.length } = read;
    const hasMore = lines.length === LINES_AT_ONCE || (lines.length > 0 && read.nextOffset !== undefined);

    return { lines, next: hasMore && nextOffset > offset ? nextOffset : undefined };
  }

  /** The updates that tell what the deployment did. Throws OutcomeError. */
  async updates(name: DeploymentName, signal: AbortSignal): Promise<readonly DeploymentUpdate[]> {
    const answer = await this.#get(name, '/updates', "read the deployment's updates", signal);
    return updatesIn(answer.json);
  }

  /**
   * The steps of one update of a stack, a page at a time, in order. Throws OutcomeError, and Error if
   * they are too many.
   */
  async *steps(
    stack: StackName,
    { id, kind }: { readonly id: string; readonly kind: string },
    signal: AbortSignal,
  ): AsyncGenerator<readonly UpdateStep[]> {
    const purpose = "read the update's events";
    let at: string | undefined;
    let continuation = '';

    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = continuation === '' ? '' : `?continuationToken=${encodeURIComponent(continuation)}`;
      const paths = at === undefined ? pathsOf(kind) : [at];
      const [path, answer] = await this.#firstOf(paths, async (each) => {
        const full = `${stackPath(stack)}/${each}/${encodeURIComponent(id)}/events${query}`;
        return await this.#call(stack, full, { needsJson: true, purpose, signal });
      });
      at = path;

      const { events, continuationToken } = parsed(eventsSchema, answer, {
        purpose,
        stack,
        missing: 'events',
      });
      yield events;
      // Without an end, the same token means that nothing new was stored.
      if (!continuationToken || continuationToken === continuation) return;
      continuation = continuationToken;
    }

    throw new Error(`Failed to ${purpose} for ${stackText(stack)}: it has more than ${MAX_PAGES} pages.`);
  }

  /**
   * The operation that holds a stack's lock, or `none`; undefined if not reported. Throws
   * OutcomeError.
   */
  async operation(stack: StackName, signal: AbortSignal): Promise<StackOperation | 'none' | undefined> {
    const purpose = "read the stack's current operation";
    const answer = await this.#call(stack, stackPath(stack), { needsJson: true, purpose, signal });
    return operationIn(answer.json);
  }

  /**
   * Whether a stack's last drift detection found drift; undefined if not reported. Throws
   * OutcomeError.
   */
  async drift(stack: StackName, signal: AbortSignal): Promise<boolean | undefined> {
    const path = `${stackPath(stack)}/drift/status`;
    const answer = await this.#call(stack, path, { purpose: "read the stack's drift", signal });
    return driftSchema.safeParse(answer.json).data?.driftDetected;
  }

  /**
   * The drift run of this very deployment; undefined if none is listed. Throws OutcomeError.
   */
  async driftRun(
    { stack, deploymentId }: DeploymentName,
    signal: AbortSignal,
  ): Promise<DriftRun | undefined> {
    const path = `${stackPath(stack)}/drift/runs?page=1&pageSize=${RUNS}`;
    const answer = await this.#call(stack, path, { purpose: "read the stack's drift runs", signal });
    return driftRunIn(answer.json, deploymentId);
  }

  /**
   * A stack's outputs, as its latest update recorded them: undefined while they are pending. From its exported state
   * where the service has no call for them. Throws OutcomeError.
   */
  async outputs(stack: StackName, signal: AbortSignal): Promise<OutputValues | undefined> {
    const call = { method: 'GET', purpose: "read the stack's outputs", code: 'PRA-TRIGGER-12' } as const;
    const ask = (below: string) =>
      this.#http.once({ ...call, path: `${stackPath(stack)}/${below}`, needsJson: true, signal });
    const refuse = (answer: CloudAnswer, reason?: string) =>
      refused(call, stackText(stack), answer, 'Check that the access token can read the stack.', reason);

    const answer = await ask('outputs');
    if (NOT_SERVED.has(answer.status)) {
      const exported = await ask('export');
      const outputs = exported.status < 300 ? outputsInExport(exported.json) : undefined;
      if (outputs === undefined) throw refuse(exported);
      return outputs;
    }

    if (answer.status >= 300) throw refuse(answer);
    const read = outputsSchema.safeParse(answer.json);
    if (!read.success) throw refuse(answer, 'the answer holds none');
    const { outputs, unknown, state } = read.data;
    if (unknown === true) throw refuse(answer, 'their values are not known');
    return state === 'pending' ? undefined : outputs;
  }

  /** Asks Pulumi Cloud to stop a deployment or to remove it from its queue. Throws OutcomeError. */
  async cancel({ stack, deploymentId }: DeploymentName, signal: AbortSignal): Promise<void> {
    const path = `${deploymentsPath(stack)}/${encodeURIComponent(deploymentId)}/cancel`;
    await this.#call(stack, path, { method: 'POST', body: {}, purpose: 'cancel the deployment', signal });
  }

  /** The first of these that is found, and what it yields. Throws OutcomeError, of the last one. */
  async #firstOf<T>(
    paths: readonly string[],
    ask: (path: string) => Promise<T>,
  ): Promise<readonly [path: string, result: T]> {
    for (const [index, path] of paths.entries())
      try {
        return [path, await ask(path)];
      } catch (error) {
        if (refusedStatus(error) !== 404 || index === paths.length - 1) throw error;
      }
    throw new Error('Pulumi Cloud keeps no events of this kind of update');
  }

  #get({ stack, deploymentId }: DeploymentName, rest: string, purpose: string, signal: AbortSignal) {
    const path = `${deploymentsPath(stack)}/${encodeURIComponent(deploymentId)}${rest}`;
    return this.#call(stack, path, { needsJson: true, purpose, signal });
  }

  async #call(
    stack: StackName,
    path: string,
    options: Pick<CloudCall, 'purpose' | 'signal' | 'needsJson' | 'body'> & { readonly method?: 'POST' },
  ): Promise<CloudAnswer> {
    const call = { method: 'GET', path, code: CODE, ...options } as const;
    const answer = await this.#http.once(call);
    if (answer.status < 300) return answer;
    const advice = "Check that the access token can see the stack's deployments.";
    throw refused(call, stackText(stack), answer, advice);
  }
}

/** Parses an answer by its schema. Throws CloudRefusedError if it doesn't match. */
function parsed<T>(
  schema: z.ZodType<T>,
  answer: CloudAnswer,
  {
    purpose,
    stack,
    missing,
  }: { readonly purpose: string; readonly stack: StackName; readonly missing: string },
): T {
  const read = schema.safeParse(answer.json);
  if (read.success) return read.data;

  throw refused(
    { purpose, code: CODE },
    stackText(stack),
    answer,
    CHECK_SERVICE,
    `the answer holds no ${missing}`,
  );
}
