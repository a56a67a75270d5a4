import type { EventEmitter } from 'node:events';
import { OrganizationApi } from '../cloud/organization.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Purpose } from '../config/cross-checks.ts';
import { Redactor } from '../log/redactor.ts';
import { OutcomeError } from '../outcome.ts';
import { accessTokenSource } from './access-token-source.ts';
import type { AgentFlags } from './cli.ts';
import { loadAgentConfig, type Surroundings, secretsOf } from './configuration.ts';
import { connect } from './connect.ts';
import { type Log, openAgentLog } from './logging/agent-log.ts';

export interface SessionSources extends Surroundings {
  readonly flags: AgentFlags;
  readonly purpose: Purpose;
  /** Emits the signals. */
  readonly process: EventEmitter;
}

/** What a command has that talks to Pulumi Cloud with an access token, and runs no job. */
export interface Session {
  readonly config: AgentConfig;
  readonly api: OrganizationApi;
  readonly log: Log;
  readonly redact: (text: string) => string;
  /** Aborts when the command is asked to stop. */
  readonly signal: AbortSignal;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Reads the configuration, opens the way to Pulumi Cloud for `work`, and closes it. Its log goes to stderr.
 * Throws what `work` throws, OutcomeError `config-error`, and OutcomeError `interrupted` when a signal ended the work.
 */
export async function withSession<T>(sources: SessionSources, work: (session: Session) => Promise<T>): Promise<T> {
  const { environment, flags, purpose, process } = sources;
  const stop = new AbortController();
  const onSignal = () => stop.abort(new OutcomeError('interrupted', 'The agent was asked to stop before it was done.'));
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    const { config, warnings } = await loadAgentConfig(flags, sources, { purpose });
    const redactor = new Redactor();
    redactor.add(secretsOf(config, environment));
    const redact = (text: string) => redactor.text(text);
    const { logLevel: level, logFormat: format } = config;
    const { log, close: closeLog } = openAgentLog({ now: () => Date.now(), redact, level, format });
    for (const warning of warnings) log('warning', warning);
    const { http, close } = connect(config, { environment, log, redactor });
    try {
      const api = new OrganizationApi(http, accessTokenSource(config, http, redactor));
      return await work({ config, api, log, redact, signal: stop.signal });
    } finally {
      await close();
      await closeLog();
    }
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  }
}
