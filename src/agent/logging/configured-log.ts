import type { AgentConfig } from '../../config/agent-config.ts';
import { type AgentLog, openAgentLog } from './agent-log.ts';
import type { RunIds } from './log-line.ts';
import { Syslog } from './syslog.ts';

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

/** The agent's own log as configured. Throws OutcomeError `config-error` when its file or syslog can't be had. */
export async function configuredLog(config: AgentConfig, sources: LogSources): Promise<AgentLog> {
  const { file, redact, ids, pid, path } = sources;
  const common = {
    ...(file === undefined ? {} : { file }),
    now: () => Date.now(),
    redact,
    level: config.logLevel,
    format: config.logFormat,
    ids,
  };
  if (!config.syslog) return openAgentLog(common);
  // Says on stderr what syslog didn't take; it was redacted before.
  const stderr = openAgentLog({ now: common.now, redact: (text) => text, level: 'debug' });
  const syslog = await Syslog.open({
    socket: config.syslogSocket,
    ...(config.syslogFormat === undefined ? {} : { format: config.syslogFormat }),
    pid,
    path,
    onTrouble: (message) => {
      own.log('warning', message);
      stderr.log('warning', redact(message));
    },
    onUndelivered: stderr.log,
  });
  const own = openAgentLog({ ...common, syslog: (level, text) => syslog.write(level, text) });
  return {
    log: own.log,
    close: async () => {
      await syslog.close();
      await Promise.all([own.close(), stderr.close()]);
    },
  };
}
