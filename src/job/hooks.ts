import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeploymentIds } from '../cloud/wire.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import { unfitProgram } from '../config/trusted-program.ts';
import { defined } from '../defined.ts';
import type { Environment } from '../environment.ts';
import { exitCodeOf, messageOf, type Outcome, OutcomeError } from '../outcome.ts';
import { type Identity, stackText } from '../stack.ts';
import { parseEnvironmentFile } from './environment.ts';
import { type HookEnd, runHook } from './hook.ts';

/**
 * The facts about a job that its hooks receive, as variables `PULUMI_RUNNER_…` and as JSON on
 * standard input.
 */
export interface HookFacts extends DeploymentIds {
  readonly identity: Identity | undefined;
  readonly image: string | undefined;
  readonly runDirectory: string | undefined;
  /** Known after the job. */
  readonly outcome?: Outcome;
  readonly exitCode?: number;
}

/**
 * The exit code by which a hook refuses a deployment: that of the outcome `refused`, and none of a failed shell or
 * program.
 */
const REFUSE = exitCodeOf('refused');

/** Throws OutcomeError `config-error` for a hook that is missing or that others could replace. */
export function checkHooks({ hookBeforeJob, hookAfterJob }: AgentConfig): void {
  for (const [key, program] of Object.entries({
    hook_before_job: hookBeforeJob,
    hook_after_job: hookAfterJob,
  })) {
    const unfit = program === undefined ? undefined : unfitProgram(program, process.getuid?.() ?? 0);
    if (unfit === undefined) continue;
    const advice =
      "Let root or the agent's user own it and its folders, keep others from writing, and make it executable.";
    const message = `Failed to accept ${key} for this runner: ${unfit}. ${advice}`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-16' });
  }
}

interface HookPassage {
  readonly facts: HookFacts;
  /** Takes the variables that the hook wrote; from then on their values are hidden. */
  readonly take: (written: Readonly<Record<string, string>>) => void;
  /** Shows its output, once it has ended. */
  readonly log: { line(text: string): Promise<void> | undefined };
  readonly signal: AbortSignal;
}

/**
 * Runs the hook before a job, if there is one, which writes variables to the file
 * `$PULUMI_RUNNER_ENV`. Throws OutcomeError `refused` if it refuses or is broken, and the signal's reason.
 */
export async function passHook(
  { hookBeforeJob: program, hookTimeoutMs: timeoutMs }: AgentConfig,
  environment: Environment,
  { facts, take, log, signal }: HookPassage,
): Promise<void> {
  if (program === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'pulumi-hook-')).catch((cause: unknown) => {
    throw brokenHook({ failure: `its folder could not be made: ${messageOf(cause)}`, output: '' }, cause);
  });
  try {
    const file = join(folder, 'env');
    await writeFile(file, '', { mode: 0o600 });

    const variables = {
      ...variablesOf(facts),
      PULUMI_RUNNER_ENV: file,
      PULUMI_RUNNER_REFUSE: String(REFUSE),
    };
    const end = await runHook({ program, environment, variables, input: jsonOf(facts), timeoutMs, signal });

    // First of all: the output can quote what it wrote.
    take(parseEnvironmentFile(await readFile(file, 'utf8').catch(() => '')));
    const output = end.output.trimEnd();

    for (const line of output === '' ? [] : output.split('\n')) await log.line(`[hook] ${line}`);
    signal.throwIfAborted();
    if (end.exitCode === REFUSE) throw refusedByHook(end);
    if (end.failure !== undefined) throw brokenHook(end);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the hook after a job; undefined without one. It changes nothing of the job. Never rejects.
 */
export async function hookAfter(
  { hookAfterJob: program, hookTimeoutMs: timeoutMs }: AgentConfig,
  environment: Environment,
  facts: HookFacts,
  signal: AbortSignal,
): Promise<HookEnd | undefined> {
  if (program === undefined) return undefined;

  return runHook({
    program,
    environment,
    variables: variablesOf(facts),
    input: jsonOf(facts),
    timeoutMs,
    signal,
  });
}

/** The error for a job that a hook refused: with the last line that the hook printed. */
function refusedByHook(end: HookEnd): OutcomeError {
  const message = `Failed to admit the deployment for this runner: hook_before_job refused it.${lastLine(end)}`;
  return new OutcomeError('refused', message, { code: 'PRA-JOB-09', fault: 'deployment' });
}

/** The error for a job whose hook failed: the next job's would fail too. */
function brokenHook(end: HookEnd, cause?: unknown): OutcomeError {
  const advice = `Correct the hook, or what it needs; it refuses a deployment with exit code ${REFUSE} alone.`;
  const message = `Failed to admit the deployment for this runner: hook_before_job is broken: ${end.failure}. ${advice}${lastLine(end)}`;
  return new OutcomeError('refused', message, { code: 'PRA-JOB-10', fault: 'elsewhere', cause });
}

function lastLine({ output }: HookEnd): string {
  const last = output.trimEnd().split('\n').at(-1)?.trim().slice(0, 300) ?? '';
  return last === '' ? '' : ` Its last line: ${last}`;
}

function variablesOf(facts: HookFacts): Record<string, string> {
  const { identity, ...known } = facts;
  const values = {
    STACK: identity && stackText(identity),
    OPERATION: identity?.operation,
    VERSION: identity?.version?.toString(),
    IDENTITY_PROVEN: String(identity?.proven ?? false),
    DEPLOYMENT_ID: known.deploymentId,
    RUN_ID: known.runId,
    JOB_ID: known.jobId,
    IMAGE: known.image,
    RUN_DIRECTORY: known.runDirectory,
    OUTCOME: known.outcome,
    EXIT_CODE: known.exitCode?.toString(),
  };

  return Object.fromEntries(
    Object.entries(defined(values)).map(([name, value]) => [`PULUMI_RUNNER_${name}`, value]),
  );
}

function jsonOf(facts: HookFacts): string {
  return `${JSON.stringify(defined(facts))}\n`;
}
