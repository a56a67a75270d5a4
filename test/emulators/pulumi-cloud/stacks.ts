import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { Refusal } from './violations.ts';

/** What an update does. `up` sends `update`, for its preview too. */
export const UPDATE_KINDS = ['update', 'preview', 'refresh', 'destroy'] as const;
export type UpdateKind = (typeof UPDATE_KINDS)[number];
/** `not started` until the CLI begins it; `cancelled` by `pulumi cancel` or by the CLI. */
export type UpdateStatus = 'not started' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** One update, of `pulumi up` and its like. Times are milliseconds since the epoch. */
export interface StackUpdate {
  readonly id: string;
  readonly kind: UpdateKind;
  /** Whether it changes nothing, and so takes no lock. */
  readonly dryRun: boolean;
  readonly message: string;
  status: UpdateStatus;
  /** The token's value, which every call of the running update carries. */
  token: string;
  leaseEndsAt: number;
  startedAt: number;
  endedAt: number | undefined;
  /** How often the CLI wrote the state. */
  checkpoints: number;
  readonly events: object[];
}

/** A stack's state, as the CLI wrote it. */
export interface StackState {
  readonly version: number;
  readonly features?: readonly string[] | undefined;
  readonly deployment: Readonly<Record<string, unknown>> & { readonly resources?: readonly object[] | null };
}

/** A stack's registered deployment settings. */
export interface StackDefinition {
  readonly project: string;
  readonly stack: string;
  /** The organization's default pool, else Pulumi's own runners, when absent. */
  readonly poolId?: string | undefined;
  /** The job definition, or a function that makes one for an operation such as `update` and the settings sent with it. */
  readonly job: unknown;
  /** Further deployment settings, by their names in the API; none by default. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The claim's token; the documented one by default, empty as a service of others was seen to leave it. */
  readonly oidcToken?: string;
  /** Whether the job's environment lacks the variables that name the deployment. */
  readonly unnamed?: boolean;
  /** Whether the stack's deployments are paused: they queue. */
  readonly paused?: boolean;
  /** Whether a queued deployment is skipped once a newer one of its operation waits right behind it. */
  readonly skipsIntermediate?: boolean;
  /** Whether a drift detection finds drift. */
  readonly drifts?: boolean;
  /** An update's `resourceChanges`. */
  readonly changes?: Readonly<Record<string, number>>;
}

/** The name of a stack in the organization. */
export type StackName = Pick<StackDefinition, 'project' | 'stack'>;

/** A stack: its state, its updates and its deployment settings. */
export interface Stack extends StackName {
  readonly id: string;
  tags: Readonly<Record<string, string>>;
  state: StackState;
  /** Counts the updates that changed it. */
  version: number;
  /** The update that holds the lock. */
  active: StackUpdate | undefined;
  readonly updates: StackUpdate[];
  /** Its deployment settings, if it has any. */
  definition: StackDefinition | undefined;
}

/** An update's resource changes by operation, from the event that ends it. */
export function changesOf({ events }: StackUpdate): Readonly<Record<string, number>> {
  const [summary] = events.flatMap((event) => ('summaryEvent' in event ? [event.summaryEvent] : []));
  const { resourceChanges = {} } = (summary ?? {}) as { resourceChanges?: Record<string, number> };
  return resourceChanges;
}

/** Seconds that an update's lease is valid, and the most that a renewal may ask for. */
const LEASE_SECONDS = 300;
const MAGIC = { time: '2026-01-01T00:00:00Z', magic: '', version: '' };

/** The stacks of the organization and their updates: locks, leases, checkpoints, secrets. */
export class Stacks {
  readonly #clock: () => number;
  readonly #stacks: Stack[] = [];
  readonly #key = randomBytes(32);

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get all(): readonly Stack[] {
    return this.#stacks;
  }

  /** @throws Refusal (409) if the stack exists. */
  create(name: StackName, tags: Stack['tags'] = {}, state?: StackState): Stack {
    if (this.find(name) !== undefined)
      throw new Refusal(409, `Conflict: Stack '${name.stack}' already exists`);
    const stack: Stack = {
      project: name.project,
      stack: name.stack,
      id: randomUUID(),
      tags,
      state: state ?? { version: 3, deployment: { manifest: MAGIC } },
      version: 0,
      active: undefined,
      updates: [],
      definition: undefined,
    };
    this.#stacks.push(stack);
    return stack;
  }

  /** The stack of this name, which is made if there is none. */
  ensure(name: StackName): Stack {
    return this.find(name) ?? this.create(name);
  }

  find(name: StackName): Stack | undefined {
    return this.#stacks.find(({ project, stack }) => project === name.project && stack === name.stack);
  }

  /** @throws Refusal (400) if it still has resources. */
  remove(stack: Stack, force: boolean): void {
    if (!force && (stack.state.deployment.resources ?? []).length > 0)
      throw new Refusal(400, 'Bad Request: Stack still contains resources.');
    this.#stacks.splice(this.#stacks.indexOf(stack), 1);
  }

  /** Records an update that the CLI is about to begin. */
  plan(stack: Stack, update: Pick<StackUpdate, 'kind' | 'dryRun' | 'message'>): StackUpdate {
    const planned: StackUpdate = {
      ...update,
      id: randomUUID(),
      status: 'not started',
      token: '',
      leaseEndsAt: 0,
      startedAt: 0,
      endedAt: undefined,
      checkpoints: 0,
      events: [],
    };
    stack.updates.push(planned);
    return planned;
  }

  /** Begins an update, which takes the stack's lock unless it is a dry run. @throws Refusal (409) if it is taken. */
  begin(stack: Stack, update: StackUpdate): void {
    if (!update.dryRun) {
      if (stack.active !== undefined)
        throw new Refusal(409, 'Conflict: Another update is currently in progress.');
      stack.active = update;
      stack.version += 1;
    }
    update.status = 'running';
    update.token = `lease-${randomBytes(16).toString('hex')}`;
    update.startedAt = this.#clock();
    this.renew(update, LEASE_SECONDS);
  }

  /** Extends an update's lease. */
  renew(update: StackUpdate, seconds: number): void {
    update.leaseEndsAt = this.#clock() + Math.min(seconds, LEASE_SECONDS) * 1000;
  }

  /**
   * The update of a call with its token. @throws Refusal (403) once it has ended, and after its lease. Its lock outlives
   * the lease: whether Pulumi Cloud frees a stack by itself is unknown.
   */
  leased(stack: Stack, id: string, token: string): StackUpdate {
    const update = this.update(stack, id);
    if (token !== update.token || update.status !== 'running' || this.#clock() >= update.leaseEndsAt)
      throw new Refusal(403, 'The provided update token is invalid or expired.');
    return update;
  }

  /** @throws Refusal (404). */
  update(stack: Stack, id: string): StackUpdate {
    const found = stack.updates.find((each) => each.id === id);
    if (found === undefined) throw new Refusal(404, `Not Found: Update '${id}' not found`);
    return found;
  }

  /** Ends an update and frees its lock. */
  end(stack: Stack, update: StackUpdate, status: UpdateStatus): void {
    update.status = status;
    update.endedAt = this.#clock();
    if (stack.active === update) stack.active = undefined;
  }

  /** Encrypts base64 for a stack's secrets. */
  encrypt(plaintext: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    const text = Buffer.concat([cipher.update(plaintext, 'base64'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
  }

  /** The base64 that `encrypt` was given. @throws Refusal (400) for anything else. */
  decrypt(ciphertext: string): string {
    const bytes = Buffer.from(ciphertext, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('base64');
    } catch {
      throw new Refusal(400, 'Bad Request: the ciphertext is not of this stack');
    }
  }
}
