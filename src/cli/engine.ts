import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { loadAgentConfig, type Surroundings, secretsOf } from '../agent/configuration.ts';
import { openAgentLog } from '../agent/logging/agent-log.ts';
import { installRelease } from '../engines/pulumi/release/program.ts';
import { Redactor } from '../log/redactor.ts';
import { OutcomeError } from '../outcome.ts';
import type { Command } from './command-line.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface EngineCommandSources extends Surroundings {
  readonly command: Extract<Command, { name: 'engine' }>;
  /** Emits the signals; its stdout gets a sentence. */
  readonly process: EventEmitter & { readonly stdout: Writable };
}

/**
 * `pulumi-runner-agent engine install`: fetches and verifies Pulumi's own agent ahead of runs. Its log goes to stderr. Returns the exit
 * code. Throws OutcomeError `config-error`, `target-error` and `interrupted`.
 */
export async function engine({ command, process, ...surroundings }: EngineCommandSources): Promise<number> {
  const { environment } = surroundings;
  await using resources = new AsyncDisposableStack();
  const stop = new AbortController();
  const stopped = 'The agent was asked to stop before it was done.';
  const onSignal = () => stop.abort(new OutcomeError('interrupted', stopped, { code: 'PRA-JOB-05' }));
  for (const signal of SIGNALS) {
    process.on(signal, onSignal);
    resources.defer(() => void process.removeListener(signal, onSignal));
  }
  const { config, warnings } = loadAgentConfig(command, surroundings, { offline: true });
  const redactor = new Redactor();
  redactor.add(secretsOf(config, environment));
  const redact = (text: string) => redactor.text(text);
  const { logLevel: level, logFormat: format } = config;
  const { log, close } = openAgentLog({ now: () => Date.now(), redact, level, format });
  resources.defer(close);
  for (const warning of warnings) log('warning', warning);
  const { signal } = stop;
  const onSecrets = (secrets: readonly string[]) => redactor.add(secrets);
  process.stdout.write(`${await installRelease(config, { environment, log, signal, onSecrets })}\n`);
  return 0;
}
