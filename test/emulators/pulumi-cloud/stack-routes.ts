import { z } from 'zod';
import { type Answer, type Call, jsonBody, param, query, type Route, routesFor } from './call.ts';
import type { CloudSettings } from './options.ts';
import { type Stack, type StackState, type Stacks, type StackUpdate, UPDATE_KINDS } from './stacks.ts';
import { Refusal } from './violations.ts';

// Bodies have more fields than these, which only the CLI's own types describe.
const stateSchema: z.ZodType<StackState> = z.looseObject({
  version: z.number(),
  features: z.array(z.string()).optional(),
  deployment: z.looseObject({ resources: z.array(z.looseObject({})).nullish() }),
}) as z.ZodType<StackState>;
const tagsSchema = z.record(z.string(), z.string());
const createSchema = z.looseObject({
  stackName: z.string().min(1),
  tags: tagsSchema.optional(),
  state: stateSchema.optional(),
});
const programSchema = z.looseObject({
  name: z.string().min(1),
  runtime: z.string().min(1),
  options: z.looseObject({ dryRun: z.boolean() }),
  metadata: z.looseObject({ message: z.string() }),
});
const startSchema = z.looseObject({ tags: tagsSchema.nullish() });
const renewSchema = z.looseObject({ duration: z.number().int().min(1).max(300) });
const eventsSchema = z.looseObject({ events: z.array(z.looseObject({})) });
const continuationSchema = z.strictObject({ continuationToken: z.string().regex(/^\d+$/).optional() });
const completeSchema = z.looseObject({ status: z.enum(['succeeded', 'failed', 'cancelled']) });
const base64 = z.base64();

const STACK = '/api/stacks/:org/:project/:stack';
const KIND = `:kind(${UPDATE_KINDS.join('|')})`;
const UPDATE = `${STACK}/${KIND}/:updateId`;
const NONE = { status: 204 };

/**
 * The calls of Pulumi's CLI with a user's token: signing in, stacks and their secrets, the beginning of an update. An
 * agent reads a stack too.
 */
export function stackRoutes(stacks: Stacks, settings: CloudSettings): Route[] {
  const [cli, user] = [routesFor('user', 'cli'), routesFor('user')];
  const { organization } = settings;
  const owned = (call: Call) => {
    if (param(call, 'org') !== organization)
      throw new Refusal(404, `Not Found: Organization '${param(call, 'org')}' not found`);
    return param(call, 'project');
  };
  const found = (call: Call): Stack => {
    const name = { project: owned(call), stack: param(call, 'stack') };
    const stack = stacks.find(name);
    if (stack === undefined)
      throw new Refusal(404, `Not Found: Stack '${organization}/${name.project}/${name.stack}' not found`);
    return stack;
  };
  return [
    cli('GET', '/api/user', () => ({ status: 200, body: userOf(organization) })),
    cli('GET', '/api/user/organizations/default', () => ({
      status: 200,
      body: { GitHubLogin: organization, Messages: [] },
    })),
    cli('HEAD', '/api/stacks/:org/:project', (call) => {
      const project = owned(call);
      return { status: stacks.all.some((each) => each.project === project) ? 200 : 404 };
    }),
    cli('POST', '/api/stacks/:org/:project', (call) => {
      const project = owned(call);
      const { stackName, tags, state } = jsonBody(call, createSchema);
      return () => {
        stacks.create({ project, stack: stackName }, tags, state);
        return { status: 200, body: {} };
      };
    }),
    user('GET', STACK, (call) => ({ status: 200, body: shown(found(call), organization) })),
    cli('DELETE', STACK, (call) => () => {
      stacks.remove(found(call), call.query['force'] === 'true');
      return NONE;
    }),
    cli('PATCH', `${STACK}/tags`, (call) => {
      const [stack, tags] = [found(call), jsonBody(call, tagsSchema)];
      return () => {
        stack.tags = tags;
        return NONE;
      };
    }),
    user('GET', `${STACK}/outputs`, (call) => outputsOf(found(call), settings)),
    user('GET', `${STACK}/export`, (call) => ({ status: 200, body: found(call).state })),
    cli('GET', `${STACK}/updates`, (call) => ({
      status: 200,
      body: { updates: historyOf(found(call)).toReversed() },
    })),
    ...secretRoutes(stacks, found),
    cli('POST', `${STACK}/${KIND}`, (call) => {
      const stack = found(call);
      const { options, metadata } = jsonBody(call, programSchema);
      const kind = z.enum(UPDATE_KINDS).parse(param(call, 'kind'));
      const dryRun = options.dryRun || kind === 'preview';
      return () => {
        const { id: updateID } = stacks.plan(stack, { kind, dryRun, message: metadata.message });
        return { status: 200, body: { updateID, aiSettings: { copilotIsEnabled: false } } };
      };
    }),
    cli('POST', UPDATE, (call) => {
      const stack = found(call);
      const update = stacks.update(stack, param(call, 'updateId'));
      const { tags } = jsonBody(call, startSchema);
      return () => {
        stacks.begin(stack, update);
        stack.tags = tags ?? stack.tags;
        // Without `journalVersion` the CLI writes plain checkpoints.
        const { token } = update;
        return { status: 200, body: { version: stack.version, token, tokenExpiration: expiry(update) } };
      };
    }),
    cli('GET', UPDATE, (call) => {
      const { status } = stacks.update(found(call), param(call, 'updateId'));
      return {
        status: 200,
        body: { status, events: [], ...(status === 'running' && { continuationToken: '0' }) },
      };
    }),
    user('GET', `${UPDATE}/events`, (call) => {
      const update = stacks.update(found(call), param(call, 'updateId'));
      if (update.kind !== param(call, 'kind'))
        throw new Refusal(404, `Not Found: Update '${update.id}' not found`);
      const { continuationToken = '0' } = query(call, continuationSchema);
      const from = Number(continuationToken);
      const end = Math.min(from + settings.eventPageSize, update.events.length);
      const isMore = end < update.events.length || update.endedAt === undefined;
      const events = update.events.slice(from, end).map(storedEvent);
      return { status: 200, body: { events, continuationToken: isMore ? String(end) : null } };
    }),
    cli('POST', `${UPDATE}/cancel`, (call) => () => {
      const stack = found(call);
      const update = stacks.update(stack, param(call, 'updateId'));
      if (update.status !== 'running') throw new Refusal(409, 'Conflict: The update is not running.');
      stacks.end(stack, update, 'cancelled');
      return NONE;
    }),
    ...leaseRoutes(stacks, found, settings.checkpointMs),
  ];
}

type Found = (call: Call) => Stack;

/** Secrets that the service encrypts. */
function secretRoutes(stacks: Stacks, found: Found): Route[] {
  const cli = routesFor('user', 'cli');
  const secret = <T>(name: string, schema: z.ZodType<T>, answer: (asked: T) => object) =>
    cli('POST', `${STACK}/${name}`, (call) => {
      found(call);
      return { status: 200, body: answer(jsonBody(call, schema)) };
    });
  return [
    secret('encrypt', z.looseObject({ plaintext: base64 }), ({ plaintext }) => ({
      ciphertext: stacks.encrypt(plaintext),
    })),
    secret('decrypt', z.looseObject({ ciphertext: base64 }), ({ ciphertext }) => ({
      plaintext: stacks.decrypt(ciphertext),
    })),
    // Tells the audit log that secrets were shown.
    secret('decrypt/log-batch-decryption', z.looseObject({}), () => ({})),
    secret('batch-encrypt', z.looseObject({ plaintexts: z.array(base64) }), ({ plaintexts }) => ({
      ciphertexts: plaintexts.map((each) => stacks.encrypt(each)),
    })),
    secret('batch-decrypt', z.looseObject({ ciphertexts: z.array(base64) }), ({ ciphertexts }) => ({
      plaintexts: Object.fromEntries(ciphertexts.map((each) => [each, stacks.decrypt(each)])),
    })),
  ];
}

/** The calls of a running update, with its own token: they end with the update, with a cancel and with the lease. */
function leaseRoutes(stacks: Stacks, found: Found, checkpointMs: number): Route[] {
  const update = routesFor('update', 'cli');
  const leased = (call: Call): [Stack, StackUpdate] => {
    const stack = found(call);
    return [stack, stacks.leased(stack, param(call, 'updateId'), call.updateToken)];
  };
  const checkpoint = update('PATCH', `${UPDATE}/checkpoint`, (call) => {
    const [stack, active] = leased(call);
    const { version, features, deployment } = jsonBody(call, stateSchema);
    return () => {
      stack.state = { version, deployment, ...(features !== undefined && { features }) };
      active.checkpoints += 1;
      return NONE;
    };
  });
  return [
    { ...checkpoint, answerDelayMs: checkpointMs },
    update('POST', `${UPDATE}/renew_lease`, (call) => {
      const [, active] = leased(call);
      const { duration } = jsonBody(call, renewSchema);
      return () => {
        stacks.renew(active, duration);
        return { status: 200, body: { token: active.token, tokenExpiration: expiry(active) } };
      };
    }),
    update('POST', `${UPDATE}/events/batch`, (call) => {
      const [, active] = leased(call);
      const { events } = jsonBody(call, eventsSchema);
      return () => {
        active.events.push(...events);
        return NONE;
      };
    }),
    update('POST', `${UPDATE}/complete`, (call) => {
      const [stack, active] = leased(call);
      const { status } = jsonBody(call, completeSchema);
      return () => {
        stacks.end(stack, active, status);
        return NONE;
      };
    }),
  ];
}

/** `StackOutputsResponse`, of the stack's own resource in its state. */
function outputsOf({ state }: Stack, { servesOutputs }: CloudSettings): Answer {
  if (!servesOutputs) throw new Refusal(404, 'Not Found');
  const { resources, secrets_providers: secretsProviders } = state.deployment;
  const root = resources?.find((each) => 'type' in each && each.type === 'pulumi:pulumi:Stack');
  if (root === undefined) return { status: 200, body: {} };
  const { outputs = {} } = root as { outputs?: object };
  return { status: 200, body: { outputs, ...(secretsProviders !== undefined && { secretsProviders }) } };
}

/** `EngineEvent`: as the CLI sent it, without its sequence, and with the name of what it holds. */
function storedEvent({ sequence: _, ...event }: { readonly sequence?: unknown }): object {
  return { ...event, type: Object.keys(event).find((key) => key.endsWith('Event')) ?? '' };
}

/** The end of a lease in seconds since the epoch. */
function expiry({ leaseEndsAt }: StackUpdate): number {
  return Math.floor(leaseEndsAt / 1000);
}

function userOf(organization: string): object {
  const own = { name: organization, githubLogin: organization, avatarUrl: '', role: 'member' };
  const user = { id: 'user-1', githubLogin: 'dev', name: 'dev', email: '', avatarUrl: '' };
  const account = { hasMFA: false, isOrgManaged: false, isManagedByMultiOrg: false };
  return { ...user, ...account, organizations: [own], identities: [] };
}

/** A stack as the service shows it. */
function shown({ id, project, stack, tags, version, active, updates }: Stack, orgName: string): object {
  return {
    id,
    orgName,
    projectName: project,
    stackName: stack,
    activeUpdate: active?.id ?? updates.findLast(({ dryRun }) => !dryRun)?.id ?? '',
    tags,
    version,
    ...(active !== undefined && {
      currentOperation: { kind: active.kind, author: 'dev', started: Math.floor(active.startedAt / 1000) },
    }),
  };
}

/** The updates that ended and could change the stack, the oldest first. */
function historyOf({ updates }: Stack): object[] {
  const seconds = (ms: number | undefined) => Math.floor((ms ?? 0) / 1000);
  return updates
    .filter(({ dryRun, endedAt }) => !dryRun && endedAt !== undefined)
    .map(({ kind, message, startedAt, endedAt, status }, index) => ({
      kind,
      startTime: seconds(startedAt),
      endTime: seconds(endedAt),
      message,
      environment: {},
      config: {},
      result: status === 'succeeded' ? 'succeeded' : 'failed',
      version: index + 1,
      resourceChanges: {},
    }));
}
