import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import type { Surroundings } from '../agent/configuration.ts';
import { installRelease } from '../engines/pulumi/release/program.ts';
import type { Command } from './command-line.ts';
import { withConfiguration } from './session.ts';

export interface EngineCommandSources extends Surroundings {
  readonly command: Extract<Command, { name: 'engine' }>;
  /** Emits the signals; its stdout gets a sentence. */
  readonly process: EventEmitter & { readonly stdout: Writable };
}

/**
 * `pulumi-runner-agent engine install`: fetches and verifies Pulumi's own agent ahead of runs. Its log goes to stderr. Returns the exit
 * code. Throws OutcomeError `config-error`, `target-error` and `interrupted`.
 */
export function engine({ process, ...sources }: EngineCommandSources): Promise<number> {
  return withConfiguration({ process, ...sources }, { offline: true }, async ({ config, redactor, log, signal }) => {
    const onSecrets = (secrets: readonly string[]) => redactor.add(secrets);
    const { environment } = sources;
    process.stdout.write(`${await installRelease(config, { environment, log, signal, onSecrets })}\n`);
    return 0;
  });
}
