import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError, describeProblem } from '../../config/problem.ts';
import { CONFIG_FILE_NAME, searchDirectories } from '../../config/search-path.ts';
import type { Redactor } from '../../log/redactor.ts';
import { clause, OutcomeError } from '../../outcome.ts';
import type { AgentFlags } from '../cli.ts';
import { loadAgentConfig, type Surroundings, secretsOf } from '../configuration.ts';
import { configuredLog } from '../logging/configured-log.ts';
import { runDirectories } from '../run-directories.ts';
import type { Checked, Examination, Finding } from './examination.ts';
import { writable } from './run-directory-check.ts';

const LOCAL_MS = 10_000;

export interface ConfigSources {
  readonly flags: AgentFlags;
  readonly surroundings: Surroundings;
  /** Told the secrets that the configuration holds. */
  readonly redactor: Redactor;
}

/** The configuration, and what of it can be checked on this machine. */
export function configChecks(examination: Examination, sources: ConfigSources): Checked<AgentConfig> {
  const { redactor, surroundings } = sources;
  const { environment } = surroundings;
  const spec = { outcome: 'config-error', deadlineMs: LOCAL_MS } as const;
  const config = examination.check({ ...spec, id: 'configuration', title: 'Configuration' }, [], () => loaded(sources));
  examination.check(
    { ...spec, id: 'forwarded-variables', title: 'Forwarded variables' },
    [config],
    (_, { envForwardAllowlist }) => forwarded(envForwardAllowlist, environment),
  );
  examination.check({ ...spec, id: 'run-directory', title: 'Run directory' }, [config], (_, known) =>
    // Without a name of its own each run gets a fresh one, all in one folder.
    writable(known.runDirectory ?? dirname(runDirectories(known, environment)())),
  );
  examination.check({ ...spec, id: 'log', title: 'Log' }, [config], (_, known) => logged(known, redactor, environment));
  examination.check(
    { ...spec, id: 'health-port', title: 'Health port' },
    [config],
    (_, { httpServerPort, httpServerAddress }) => listening(httpServerPort, httpServerAddress),
  );
  return config;
}

async function loaded({ flags, surroundings, redactor }: ConfigSources): Promise<Finding<AgentConfig>> {
  let found: LoadedConfig;
  try {
    found = await loadAgentConfig(flags, surroundings);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // A key that is not known may be the very one that is missing.
    const said = [...error.problems.map(describeProblem), ...error.warnings.map(clause)];
    throw new OutcomeError('config-error', said.join('; ').replace(/[^.?]$/, '$&.'), { cause: error });
  }
  const { config, file, warnings, notices } = found;
  const { environment } = surroundings;
  redactor.add(secretsOf(config, environment));
  const searched = searchDirectories({ ...surroundings, homeDirectory: environment['HOME'] ?? homedir() });
  const where = file ?? `no ${CONFIG_FILE_NAME} in ${searched.join(', ')}; environment and flags alone`;
  // What nobody set is nobody's concern here.
  const told = notices.filter((notice) => !notice.startsWith('the default of '));
  const detail = [where, ...warnings, ...told].map(clause).join('. ');
  return { status: warnings.length > 0 ? 'warning' : 'passed', detail, value: config };
}

function forwarded(names: readonly string[], environment: Surroundings['environment']): Finding<undefined> {
  const value = undefined;
  if (names.length === 0) return { status: 'skipped', detail: 'none are configured', value };
  const unset = names.filter((name) => environment[name] === undefined);
  if (unset.length > 0) {
    const detail = `not set here, so not forwarded: ${unset.join(', ')}. Set them for the agent, or take them off env_forward_allowlist.`;
    return { status: 'warning', detail, value };
  }
  if (names.includes('PULUMI_ACCESS_TOKEN')) {
    const detail = `all are set; PULUMI_ACCESS_TOKEN replaces the deployment's own, which then acts as somebody else than Pulumi Cloud chose. Take it off env_forward_allowlist if that isn't meant.`;
    return { status: 'warning', detail, value };
  }
  return { status: 'passed', detail: names.join(', '), value };
}

/** Opens the log as a run would, and writes nothing. */
async function logged(
  config: AgentConfig,
  redactor: Redactor,
  { PATH: path }: Surroundings['environment'],
): Promise<Finding<undefined>> {
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
  return { status: 'passed', detail: `${place}, from ${config.logLevel} on`, value: undefined };
}

/** Takes the port for a moment, in the way that a run does. */
async function listening(port: number, host: string | undefined): Promise<Finding<undefined>> {
  const value = undefined;
  if (port === 0) return { status: 'skipped', detail: 'any free one', value };
  const server = createServer();
  const { promise: tried, resolve } = Promise.withResolvers<Error | undefined>();
  server.once('error', resolve);
  server.listen({ port, host }, () => resolve(undefined));
  const error = await tried;
  server.close();
  if (error === undefined) return { status: 'passed', detail: `${port} is free`, value };
  const detail = `${port} can't be taken: ${clause(error.message)}. Unless that is this agent itself, set http_server_port to a free port, or to 0 for any.`;
  return { status: 'warning', detail, value };
}
