import type { EventEmitter } from 'node:events';
import { type AgentFlags, loadAgentConfig } from '../agent/configuration.ts';
import { accessTokenSource, connect } from '../agent/connection.ts';
import { openAgentLog } from '../agent/logging/agent-log.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { ProcessContext } from '../base/config/config-file.ts';
import type { Purpose } from '../base/config/findings.ts';
import type { Log } from '../base/log/level.ts';
import { Redactor } from '../base/log/redactor.ts';
import { OutcomeError } from '../base/outcome.ts';
import { OrganizationApi } from '../cloud/organization-api.ts';

interface SessionSources extends ProcessContext {
  readonly command: AgentFlags;
  readonly process: EventEmitter;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The tools of a command that runs no job. */
interface Opened {
  readonly config: AgentConfig;
  readonly redactor: Redactor;
  readonly redact: (text: string) => string;
  readonly log: Log;
  /** Aborts when the command is asked to stop. */
  readonly signal: AbortSignal;
}

/** The tools of a command that calls Pulumi Cloud with an access token and runs no job. */
export interface Session extends Opened {
  readonly api: OrganizationApi;
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * Loads the configuration for `work`, which signals abort. Throws what `work` throws, OutcomeError
 * `config-error`, and `interrupted` if a signal ended it.
 */
export async function withConfiguration<T>(
  { command, process, ...context }: SessionSources,
  purpose: Purpose,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  await using resources = new AsyncDisposableStack();
  const stop = new AbortController();
  const stopped = 'The agent was asked to stop before it was done.';
  const onSignal = () => stop.abort(new OutcomeError('interrupted', stopped, { code: 'PRA-JOB-05' }));

  for (const signal of SIGNALS) {
    process.on(signal, onSignal);
    resources.defer(() => void process.removeListener(signal, onSignal));
  }

  const redactor = new Redactor();
  const { config, warnings } = loadAgentConfig(command, context, { redactor, purpose });
  const redact = (text: string) => redactor.text(text);
  const { logLevel: level, logFormat: format } = config;
  const { log, close } = openAgentLog({ now: () => Date.now(), redact, level, format });

  resources.defer(close);
  for (const warning of warnings) log('warning', warning);

  return await work({ config, redactor, redact, log, signal: stop.signal });
}

/** Like `withConfiguration`, with a connection to Pulumi Cloud for `work`. */
export function withSession<T>(
  { purpose, ...sources }: SessionSources & { readonly purpose: Purpose },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withConfiguration(sources, purpose, async (opened) => {
    const { config, redactor, log } = opened;
    await using resources = new AsyncDisposableStack();
    const { http, close } = connect(config, { environment: sources.environment, log, redactor });
    resources.defer(close);
    const api = new OrganizationApi(http, accessTokenSource(config, http, redactor));
    return await work({ ...opened, api, clock: systemClock, random: Math.random });
  });
}
