import { plainText } from '../../base/log/plain-text.ts';
import { clause, messageOf, OutcomeError } from '../../base/outcome.ts';
import { type StackName, stackText } from '../../base/stack.ts';
import type { OrganizationApi } from '../organization-api.ts';
import type { ListedDeployment } from '../organization-wire.ts';
import { type AskOptions, askBriefly } from './ask.ts';
import { otherVersion } from './errors.ts';

/** Operations that change neither a stack's state nor its resources. */
const READING: ReadonlySet<string | undefined> = new Set(['preview', 'detect-drift']);
const LIVE: ReadonlySet<string> = new Set(['not-started', 'accepted', 'running']);

/** Characters of an operation's name in our sentences. */
const MAX_KIND = 50;

/**
 * Looks at a stack right before a deployment of it is started. Returns its version where one is expected, and for a
 * preview, which leaves the version as it is (StartUpdateResponse.Version of Pulumi's SDK). Read before the preview, it
 * can be older than the state that the preview shows, but never newer. There is none while an operation changes the
 * stack. Throws OutcomeError if the stack has another version than the expected one, if something that changes it waits
 * or runs, or if that can't be told: then nothing may be started.
 */
export async function versionBefore(
  stack: StackName,
  {
    api,
    operation,
    expected,
    clock,
    log,
    signal,
  }: AskOptions & {
    readonly api: Pick<OrganizationApi, 'stack' | 'deploymentsOf'>;
    readonly operation: string;
    /** The version that the stack must have; any when absent. */
    readonly expected: number | undefined;
  },
): Promise<number | undefined> {
  const name = stackText(stack);

  if (expected === undefined) {
    if (operation !== 'preview') return undefined;
    const ask = (end: AbortSignal) => api.stack(stack, end);
    const answer = await askBriefly(`The version of ${name}`, ask, { clock, log, signal });
    const { version, currentOperation } = answer ?? {};
    if (currentOperation === undefined) return version;
    // The version can be that of its end already, and the preview may show only a part of it.
    const running = operationText(currentOperation);
    log('warning', `The preview of ${name} gets no version to approve: ${running} runs on it.`);
    return undefined;
  }

  const refuse = (finding: string, cause?: unknown) =>
    otherVersion({ operation, stack: name, expected, finding }, cause);

  try {
    const difference = differenceOf(await api.stack(stack, signal), expected);
    if (difference !== undefined) throw refuse(difference);

    const { deployments } = await api.deploymentsOf(stack, signal);
    const ahead = deployments.find(
      ({ status, pulumiOperation }) => LIVE.has(status) && !READING.has(pulumiOperation),
    );
    if (ahead !== undefined) throw refuse(`${deploymentText(ahead)} of it is ${ahead.status}`);

    return expected;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutcomeError && error.code === 'PRA-TRIGGER-10') throw error;
    throw refuse(`its version can't be read: ${clause(messageOf(error))}`, error);
  }
}

/**
 * Looks once more, right before the first step of a deployment that this agent runs: it may have waited, and its image
 * been pulled, while a CLI elsewhere updated the stack. Throws OutcomeError like `versionBefore`.
 */
export async function stillAt(
  stack: StackName,
  {
    api,
    operation,
    expected,
  }: {
    readonly api: Pick<OrganizationApi, 'stack'>;
    readonly operation: string;
    readonly expected: number;
  },
  signal: AbortSignal,
): Promise<void> {
  const refuse = (finding: string, cause?: unknown) =>
    otherVersion({ operation, stack: stackText(stack), expected, finding, undone: 'No step was run' }, cause);

  const answer = await api.stack(stack, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw refuse(`its version can't be read: ${clause(messageOf(error))}`, error);
  });
  const difference = differenceOf(answer, expected, ' now');
  if (difference !== undefined) throw refuse(difference);
}

/** How a stack differs from one at the expected version that nothing changes. Undefined if it doesn't. */
function differenceOf(
  { version, currentOperation }: Awaited<ReturnType<OrganizationApi['stack']>>,
  expected: number,
  since = '',
): string | undefined {
  if (version === undefined) return 'Pulumi Cloud names no version of it';
  if (version !== expected) return `it has version ${version}${since}`;
  return currentOperation && `${operationText(currentOperation)} runs on it`;
}

function operationText({ kind }: { readonly kind: string }): string {
  return `an operation (${plainText(kind || 'unknown', MAX_KIND)})`;
}

function deploymentText({ id, version, pulumiOperation = 'operation' }: ListedDeployment): string {
  return `${pulumiOperation} ${version === undefined ? id : `#${version}`}`;
}
