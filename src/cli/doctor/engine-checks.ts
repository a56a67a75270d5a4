import { type CheckedProgram, checkProgram } from '../../pulumi-agent/release/program.ts';
import type { Checked, Examination } from './examination.ts';
import type { CheckSources } from './local-checks.ts';

/** Milliseconds, mostly for the download. */
const FIND_MS = 16 * 60_000;
const START_MS = 30_000;

/**
 * Checks that Pulumi's own agent can be found, verified and started; makes no check with another
 * engine.
 */
export async function engineChecks(
  examination: Examination,
  { settings, environment, redactor }: CheckSources,
): Promise<void> {
  if (settings.missing !== undefined || settings.value.engine !== 'pulumi') return;

  const spec = { outcome: 'target-error' } as const;
  await using resources = new AsyncDisposableStack();

  const found: Checked<CheckedProgram> = await examination.check<CheckedProgram, [typeof settings]>(
    { ...spec, id: 'pulumi-agent', title: "Pulumi's agent", deadlineMs: FIND_MS },
    [settings],
    async (signal, config) => {
      const program = await checkProgram(config, { environment, signal, secrets: redactor });
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
