import type { AgentConfig } from '../../config/agent-config.ts';
import { type Log, openAgentLog, openStderrLog } from './agent-log.ts';
import type { RunIds } from './log-line.ts';

interface LogSources {
  /** The run directory's agent.log, if there is one yet. */
  readonly file: string | undefined;
  readonly redact: (text: string) => string;
  /** The run that is served. */
  readonly ids: () => RunIds | undefined;
  readonly pid: number;
  /** PATH. */
  readonly path: string | undefined;
}

export interface ConfiguredLog {
  readonly log: Log;
  /** Hands on what still waits. Never throws. */
  close(): Promise<void>;
}

/** The agent's own log as configured. Throws OutcomeError `config-error` when its file or syslog can't be had. */
export async function configuredLog(config: AgentConfig, sources: LogSources): Promise<ConfiguredLog> {
  const { file, redact, ids, pid, path } = sources;
  const common = {
    ...(file === undefined ? {} : { file }),
    now: () => Date.now(),
    redact,
    level: config.logLevel,
    format: config.logFormat,
    ids,
  };
  if (!config.syslog) return { log: openAgentLog(common), close: () => Promise.resolve() };
  const { Syslog } = await import('./syslog.ts');
  const sayOnStderr = openStderrLog();
  const syslog = await Syslog.open({
    socket: config.syslogSocket,
    ...(config.syslogFormat === undefined ? {} : { format: config.syslogFormat }),
    pid,
    path,
    onTrouble: (message) => {
      log('warning', message);
      sayOnStderr('warning', redact(message));
    },
    onUndelivered: sayOnStderr,
  });
  const log = openAgentLog({ ...common, syslog: (level, text) => syslog.write(level, text) });
  return { log, close: () => syslog.close() };
}
