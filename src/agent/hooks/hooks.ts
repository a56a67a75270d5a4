import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import type { Environment } from '../../base/environment.ts';
import { MOST_OF_DEFINITION, type SecretSink } from '../../base/log/redactor.ts';
import { exitCodeOf, messageOf, OutcomeError } from '../../base/outcome.ts';
import { whenGone } from '../../record/reader.ts';
import { type HookEnd, runHook } from './hook.ts';
import { type HookFacts, hookInput, hookVariables } from './hook-facts.ts';
import { parseHookFile } from './hook-file.ts';
import { unfitProgram } from './trusted-program.ts';

/**
 * The exit code by which a hook refuses a deployment: that of the outcome `refused`, and none of a failed shell or
 * program.
 */
const REFUSE = exitCodeOf('refused');

/** Characters of a hook's last line in an error. */
const MAX_LINE = 300;

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

interface BeforeHookOptions {
  readonly facts: HookFacts;
  /** Takes the variables that the hook wrote; from then on their values are hidden. */
  readonly take: (written: Readonly<Record<string, string>>) => void;
  /** Hides what the hook's output can quote of that file. */
  readonly secrets: SecretSink;
  readonly redact: (text: string) => string;
  /** Shows its output, once it has ended. */
  readonly log: { line(text: string): Promise<void> | undefined };
  readonly signal: AbortSignal;
}

/**
 * Runs the hook before a job, if there is one, which writes variables to the file
 * `$PULUMI_RUNNER_ENV`. Throws OutcomeError `refused` if it refuses, or if it or that file is broken, and the
 * signal's reason.
 */
export async function runHookBefore(
  { hookBeforeJob: program, hookTimeoutMs: timeoutMs }: AgentConfig,
  environment: Environment,
  { facts, take, secrets, redact, log, signal }: BeforeHookOptions,
): Promise<void> {
  if (program === undefined) return;
  const unmade = (cause: unknown) => {
    throw brokenHook(`the file for its variables could not be made: ${messageOf(cause)}`, '', cause);
  };
  const folder = await mkdtemp(join(tmpdir(), 'pulumi-hook-')).catch(unmade);
  try {
    const file = join(folder, 'env');
    await writeFile(file, '', { mode: 0o600 }).catch(unmade);

    const variables = {
      ...hookVariables(facts),
      PULUMI_RUNNER_ENV: file,
      PULUMI_RUNNER_REFUSE: String(REFUSE),
    };
    const input = hookInput(facts);
    const end = await runHook({ program, environment, variables, input, timeoutMs, signal });

    // First of all: the output can quote what it wrote.
    const text = await readFile(file, 'utf8')
      .catch(whenGone(''))
      .catch((cause: unknown) => {
        // Its output, which can quote them, isn't shown.
        if (end.exitCode === REFUSE) throw refusedByHook('');
        throw brokenHook(`the file for its variables could not be read: ${messageOf(cause)}`, '', cause);
      });
    const { variables: written, quotable, broken } = parseHookFile(text);
    if (secrets.add(quotable, MOST_OF_DEFINITION) === undefined) {
      // Its output, which can quote them, isn't shown.
      if (end.exitCode === REFUSE) throw refusedByHook('');
      throw tooMuchWritten();
    }
    take(written);
    const output = end.output.trimEnd();

    for (const line of output === '' ? [] : output.split('\n')) await log.line(`[hook] ${line}`);
    signal.throwIfAborted();
    // Redacted before it is cut: a part of a secret would match nothing.
    const lastLine = redact(output.split('\n').at(-1)?.trim() ?? '').slice(0, MAX_LINE);
    if (end.exitCode === REFUSE) throw refusedByHook(lastLine);
    if (end.failure !== undefined) throw brokenHook(end.failure, lastLine);
    if (broken !== undefined) throw broken;
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
    variables: hookVariables(facts),
    input: hookInput(facts),
    timeoutMs,
    signal,
  });
}

/** The error for a job that a hook refused: with the last line that the hook printed. */
function refusedByHook(lastLine: string): OutcomeError {
  const message = `Failed to admit the deployment for this runner: hook_before_job refused it.${quoted(lastLine)}`;
  return new OutcomeError('refused', message, { code: 'PRA-JOB-09', fault: 'deployment' });
}

/** The error for a job whose hook failed: the next job's would fail too. */
function brokenHook(failure: string, lastLine: string, cause?: unknown): OutcomeError {
  const advice = `Correct the hook, or the services that it needs. Only exit code ${REFUSE} refuses a deployment.`;
  const message = `Failed to admit the deployment for this runner: hook_before_job is broken: ${failure}. ${advice}${quoted(lastLine)}`;
  return new OutcomeError('refused', message, { code: 'PRA-JOB-10', fault: 'elsewhere', cause });
}

/** The error for a hook whose variables are more than the agent can hide in logs. */
function tooMuchWritten(): OutcomeError {
  const advice = 'Let hook_before_job write less than about 200 kB, and pass large values in files.';
  const message = `Failed to read the variables of hook_before_job for the job: they are too many or too long to hide. ${advice}`;
  return new OutcomeError('refused', message, { code: 'PRA-JOB-13', fault: 'elsewhere' });
}

function quoted(lastLine: string): string {
  return lastLine === '' ? '' : ` Its last line: ${lastLine}`;
}
