import type { AgentConfig } from '../../config/agent-config.ts';
import type { CheckSources } from './config-check.ts';
import type { Checked, Examination, Finding } from './examination.ts';

/** The program of another engine, found and verified. */
export interface FoundProgram extends AsyncDisposable {
  readonly status: 'passed' | 'warning';
  readonly detail: string;
  /** Starts it, and has it tell its version. */
  start(signal: AbortSignal): Promise<Finding>;
}

/** Gets the program of the engine `pulumi`, as a run would. */
export type FindProgram = (
  config: AgentConfig,
  sources: {
    readonly environment: CheckSources['environment'];
    readonly signal: AbortSignal;
    readonly onSecrets: (secrets: readonly string[]) => void;
  },
) => Promise<FoundProgram>;

/** Milliseconds: the download is the longest of it. */
const FIND_MS = 16 * 60_000;
const START_MS = 30_000;

/** Pulumi's own agent, where that is the engine: it is there, verified, and starts. Without a word where it isn't. */
export async function engineChecks(
  examination: Examination,
  { config, environment, redactor }: CheckSources,
  find: FindProgram,
): Promise<void> {
  if (config.missing !== undefined || config.value.engine !== 'pulumi') return;
  const spec = { outcome: 'target-error' } as const;
  await using resources = new AsyncDisposableStack();
  const found: Checked<FoundProgram> = await examination.check<FoundProgram, [typeof config]>(
    { ...spec, id: 'pulumi-agent', title: "Pulumi's agent", deadlineMs: FIND_MS },
    [config],
    async (signal, known) => {
      const program = await find(known, { environment, signal, onSecrets: (secrets) => redactor.add(secrets) });
      resources.use(program);
      return { status: program.status, detail: program.detail, value: program };
    },
  );
  await examination.check(
    { ...spec, id: 'pulumi-agent-start', title: 'Its start', deadlineMs: START_MS },
    [found],
    (signal, program) => program.start(signal),
  );
}
