import { installRelease } from '../pulumi-agent/release/program.ts';
import type { CommandSources } from './command-line.ts';
import { withConfiguration } from './session.ts';

/**
 * `pulumi-runner-agent engine install`: fetches and verifies Pulumi's own agent ahead of runs, and
 * logs to stderr. Returns the exit code. Throws OutcomeError `config-error`, `target-error` and
 * `interrupted`.
 */
export function engine({ process, ...sources }: CommandSources<'engine'>): Promise<number> {
  return withConfiguration({ process, ...sources }, 'offline', async ({ config, redactor, log, signal }) => {
    const { environment } = sources;
    process.stdout.write(
      `${await installRelease(config, { environment, log, signal, secrets: redactor })}\n`,
    );
    return 0;
  });
}
