import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type AgentFlags, loadAgentConfig } from '../../agent/configuration.ts';
import { checkHooks } from '../../agent/hooks/hooks.ts';
import { configuredLog } from '../../agent/logging/agent-log.ts';
import { runsFolder } from '../../agent/runs/directories.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import { rulesOf } from '../../base/config/allowed.ts';
import type { ProcessContext } from '../../base/config/config-file.ts';
import { defined } from '../../base/defined.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import { clause, messageOf, OutcomeError } from '../../base/outcome.ts';
import { byteCount } from '../../base/quantity.ts';
import type { Checked, Examination, Finding } from './examination.ts';

/** Free bytes that a disk should have for logs; fewer are a warning. */
const ROOM = 512 * 1024 ** 2;

/** Bytes to write, to test that there is any room at all. */
const PROBE = 1024 ** 2;

/** What all other checks build on. */
export interface CheckSources {
  /** The configuration that a run can begin with. */
  readonly config: Checked<AgentConfig>;
  /** The same, or one that lacks a way to sign in, for checks that need none. */
  readonly settings: Checked<AgentConfig>;
  readonly environment: ProcessContext['environment'];
  /** Receives the secrets that turn up. */
  readonly redactor: Redactor;
}

/**
 * Reads file, variables and flags as a run does, and passes the configuration on; its secrets go to
 * `redactor`.
 */
export async function configCheck(
  examination: Examination,
  flags: AgentFlags,
  context: ProcessContext,
  redactor: Redactor,
): Promise<Pick<CheckSources, 'config' | 'settings'>> {
  const spec = {
    id: 'configuration',
    title: 'Configuration',
    outcome: 'config-error',
    deadlineMs: 10_000,
  } as const;

  const config = await examination.check<AgentConfig>(spec, [], () => {
    const { config, file, absence, warnings, notices } = loadAgentConfig(flags, context, { redactor });
    const where = file ?? `${absence}; environment and flags alone`;

    checkHooks(config);

    const rules = rulesOf(config).map(({ key, values }) => `${key}: ${values.join(' ')}`);
    const { hookBeforeJob: before, hookAfterJob: after } = config;
    const hooks = Object.entries(defined({ hook_before_job: before, hook_after_job: after }));
    const detail = [where, ...rules, ...hooks.map((hook) => hook.join(': ')), ...warnings, ...notices]
      .map(clause)
      .join('. ');

    return { status: warnings.length > 0 ? 'warning' : 'passed', detail, value: config };
  });

  if (config.missing === undefined) return { config, settings: config };

  try {
    const offline = loadAgentConfig(flags, context, { redactor, purpose: 'offline' });
    return { config, settings: { value: offline.config } };
  } catch {
    // More is wrong with it, as the check has said.
    return { config, settings: config };
  }
}

/** Checks the settings that can be tried on this machine alone. */
export async function localChecks(examination: Examination, sources: CheckSources): Promise<void> {
  const { settings, environment, redactor } = sources;
  const spec = { outcome: 'config-error', deadlineMs: 10_000 } as const;

  await examination.check(
    { ...spec, id: 'forwarded-variables', title: 'Forwarded variables' },
    [settings],
    (_, config) => forwarded(config.envForwardAllowlist, environment),
  );

  await examination.check({ ...spec, id: 'run-directory', title: 'Run directory' }, [settings], (_, config) =>
    // Without run_directory, each run gets a fresh folder inside a common one.
    writable(runsFolder(config, environment)),
  );

  await examination.check({ ...spec, id: 'log', title: 'Log' }, [settings], (_, config) =>
    logged(config, redactor, environment['PATH']),
  );
  await examination.check({ ...spec, id: 'health-port', title: 'Health port' }, [settings], (_, config) =>
    listening(config.httpServerPort, config.httpServerAddress),
  );
}

function forwarded(names: readonly string[], environment: CheckSources['environment']): Finding {
  if (names.length === 0) return { status: 'skipped', detail: 'none are configured' };

  const unset = names.filter((name) => environment[name] === undefined);
  if (unset.length > 0) {
    const detail = `not set here, so not forwarded: ${unset.join(', ')}. Set them for the agent, or take them off env_forward_allowlist.`;
    return { status: 'warning', detail };
  }

  if (names.includes('PULUMI_ACCESS_TOKEN')) {
    const detail = `all are set; PULUMI_ACCESS_TOKEN replaces the deployment's own, which then acts with a different identity from the one that Pulumi Cloud chose. If you don't want that, take it off env_forward_allowlist.`;
    return { status: 'warning', detail };
  }

  return { status: 'passed', detail: names.join(', ') };
}

/**
 * Writes a megabyte where the run directory is or would be, and removes it. Throws OutcomeError
 * `config-error`.
 */
async function writable(directory: string): Promise<Finding> {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  const probe = join(existing, `.doctor-${process.pid}`);
  try {
    try {
      await using file = await open(probe, 'wx', 0o600);
      // Not zeros: some file systems don't store them.
      await file.writeFile(Buffer.alloc(PROBE, 'doctor'));
      await file.sync();
    } finally {
      await rm(probe, { force: true });
    }

    return await freeSpace(directory, existing, { wanted: ROOM, use: 'the logs of a run go there' });
  } catch (error) {
    const advice = 'Set run_directory to a folder that has space, and that the agent can write to.';
    const message = `Failed to write to the run directory: ${directory}: ${clause(messageOf(error))}. ${advice}`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-08', cause: error });
  }
}

/**
 * Warns if the disk of `existing` has fewer than `wanted` bytes free. Throws what node:fs throws.
 */
export async function freeSpace(
  shown: string,
  existing: string,
  { wanted, use }: { readonly wanted: number; readonly use: string },
): Promise<Finding> {
  const { bavail, bsize } = await statfs(existing);
  const detail = `${shown}, ${byteCount(bavail * bsize)} free`;
  if (bavail * bsize >= wanted) return { status: 'passed', detail };
  return { status: 'warning', detail: `${detail}. Free some space: ${use}.` };
}

/** Opens the log as a run would, and writes nothing. */
async function logged(config: AgentConfig, redactor: Redactor, path: string | undefined): Promise<Finding> {
  const options = { redact: (text: string) => redactor.text(text), now: () => Date.now(), path };
  const { close } = await configuredLog(config, options);
  await close();
  const place = config.syslog
    ? `syslog, by ${config.syslogSocket}`
    : `standard error, as ${config.logFormat}`;
  return { status: 'passed', detail: `${place}, from ${config.logLevel} on` };
}

/** Binds the port for a moment, as a run does. */
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
