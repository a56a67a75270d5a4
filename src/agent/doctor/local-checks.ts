import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Redactor } from '../../log/redactor.ts';
import { clause, messageOf } from '../../outcome.ts';
import type { Surroundings } from '../configuration.ts';
import { configuredLog } from '../logging/configured-log.ts';
import { runDirectories } from '../runs/directories.ts';
import { diskCheck } from './disk-check.ts';
import type { Checked, Examination, Finding } from './examination.ts';

type Environment = Surroundings['environment'];

interface LocalSources {
  readonly config: Checked<AgentConfig>;
  readonly environment: Environment;
  readonly redactor: Redactor;
}

/** What of the configuration can be tried on this machine alone. */
export function localChecks(examination: Examination, { config, environment, redactor }: LocalSources): void {
  const spec = { outcome: 'config-error', deadlineMs: 10_000 } as const;
  examination.check({ ...spec, id: 'forwarded-variables', title: 'Forwarded variables' }, [config], (_, known) =>
    forwarded(known.envForwardAllowlist, environment),
  );
  examination.check({ ...spec, id: 'run-directory', title: 'Run directory' }, [config], (_, known) =>
    // Without a name of its own each run gets a fresh one, all in one folder.
    diskCheck(known.runDirectory ?? dirname(runDirectories(known, environment)())),
  );
  examination.check({ ...spec, id: 'log', title: 'Log' }, [config], (_, known) => logged(known, redactor, environment));
  examination.check({ ...spec, id: 'health-port', title: 'Health port' }, [config], (_, known) =>
    listening(known.httpServerPort, known.httpServerAddress),
  );
}

function forwarded(names: readonly string[], environment: Environment): Finding {
  if (names.length === 0) return { status: 'skipped', detail: 'none are configured' };
  const unset = names.filter((name) => environment[name] === undefined);
  if (unset.length > 0) {
    const detail = `not set here, so not forwarded: ${unset.join(', ')}. Set them for the agent, or take them off env_forward_allowlist.`;
    return { status: 'warning', detail };
  }
  if (names.includes('PULUMI_ACCESS_TOKEN')) {
    const detail = `all are set; PULUMI_ACCESS_TOKEN replaces the deployment's own, which then acts as another identity than Pulumi Cloud chose. Take it off env_forward_allowlist if that isn't meant.`;
    return { status: 'warning', detail };
  }
  return { status: 'passed', detail: names.join(', ') };
}

/** Opens the log as a run would, and writes nothing. */
async function logged(config: AgentConfig, redactor: Redactor, { PATH: path }: Environment): Promise<Finding> {
  const redact = (text: string) => redactor.text(text);
  const { close } = await configuredLog(config, {
    file: undefined,
    redact,
    ids: () => undefined,
    pid: process.pid,
    path,
  });
  await close();
  const place = config.syslog ? `syslog, by ${config.syslogSocket}` : `standard error, as ${config.logFormat}`;
  return { status: 'passed', detail: `${place}, from ${config.logLevel} on` };
}

/** Takes the port for a moment, in the way that a run does. */
async function listening(port: number, host: string | undefined): Promise<Finding> {
  if (port === 0) return { status: 'skipped', detail: 'any free one' };
  const server = createServer();
  try {
    await once(server.listen({ port, host }), 'listening');
    return { status: 'passed', detail: `${port} is free` };
  } catch (error) {
    const detail = `${port} can't be taken: ${clause(messageOf(error))}. Unless that is this agent itself, set http_server_port to a free port, or to 0 for any.`;
    return { status: 'warning', detail };
  } finally {
    server.close();
  }
}
