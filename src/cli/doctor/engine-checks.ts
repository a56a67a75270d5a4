import type { AgentConfig } from '../../config/agent-config.ts';
import type { Checked, Examination, Finding } from './examination.ts';
import type { CheckSources } from './local-checks.ts';

/** Another engine's program, found and verified. */
export interface FoundProgram extends AsyncDisposable {
  readonly status: 'passed' | 'warning';
  readonly detail: string;
  /** Starts it to print its version. */
  start(signal: AbortSignal): Promise<Finding>;
}

/** Finds the program of the engine `pulumi`, as a run does. */
export type FindProgram = (
  config: AgentConfig,
  sources: {
    readonly environment: CheckSources['environment'];
    readonly signal: AbortSignal;
    readonly onSecrets: (secrets: readonly string[]) => void;
  },
) => Promise<FoundProgram>;

/** Milliseconds, mostly for the download. */
const FIND_MS = 16 * 60_000;
const START_MS = 30_000;

/**
 * Checks that Pulumi's own agent can be found, verified and started; makes no check with another
 * engine.
 */
export async function engineChecks(
  examination: Examination,
  sources: CheckSources,
  find: FindProgram,
): Promise<void> {
  const { config, environment, redactor } = sources;
  if (config.missing !== undefined || config.value.engine !== 'pulumi') return;

  const spec = { outcome: 'target-error' } as const;
  await using resources = new AsyncDisposableStack();

  const found: Checked<FoundProgram> = await examination.check<FoundProgram, [typeof config]>(
    { ...spec, id: 'pulumi-agent', title: "Pulumi's agent", deadlineMs: FIND_MS },
    [config],
    async (signal, known) => {
      const program = await find(known, {
        environment,
        signal,
        onSecrets: (secrets) => redactor.add(secrets),
      });
      resources.use(program);
      return { status: program.status, detail: program.detail, value: program };
    },
  );

  await examination.check(
    { ...spec, id: 'pulumi-agent-start', title: 'Agent start', deadlineMs: START_MS },
    [found],
    (signal, program) => program.start(signal),
  );
}
