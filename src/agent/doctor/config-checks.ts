import { mkdir, open, rm, rmdir, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError, describeProblem } from '../../config/problem.ts';
import { CONFIG_FILE_NAME, searchDirectories } from '../../config/search-path.ts';
import type { Redactor } from '../../log/redactor.ts';
import { clause, OutcomeError } from '../../outcome.ts';
import type { AgentFlags } from '../cli.ts';
import { loadAgentConfig, type Surroundings, secretsOf } from '../configuration.ts';
import { runDirectories } from '../run-directories.ts';
import type { Checked, Examination, Finding } from './examination.ts';
import { reasonOf } from './examination.ts';
import { bytes } from './quantities.ts';

/** Bytes that a disk should have left for logs; below it, a warning. */
const ROOM = 512 * 1024 ** 2;
/** Bytes that are written to see whether there is room at all. */
const PROBE = 1024 ** 2;
const LOCAL_MS = 10_000;

export interface ConfigSources {
  readonly flags: AgentFlags;
  readonly surroundings: Surroundings;
  /** Told the secrets that the configuration holds. */
  readonly redactor: Redactor;
}

/** The configuration, and what of it can be checked on this machine. */
export function configChecks(examination: Examination, sources: ConfigSources): Checked<AgentConfig> {
  const { environment } = sources.surroundings;
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
  return config;
}

async function loaded({ flags, surroundings, redactor }: ConfigSources): Promise<Finding<AgentConfig>> {
  let found: LoadedConfig;
  try {
    found = await loadAgentConfig(flags, surroundings);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(describeProblem).join('; ');
    throw new OutcomeError('config-error', `${problems}.`, { cause: error });
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

/** Writes a little into the directory, which is removed again where it wasn't there. */
async function writable(directory: string): Promise<Finding<undefined>> {
  let made: string | undefined;
  try {
    made = await mkdir(directory, { recursive: true, mode: 0o700 });
    const probe = join(directory, `.doctor-${process.pid}`);
    try {
      await using file = await open(probe, 'wx', 0o600);
      // Not zeros alone: some file systems store none of those.
      await file.writeFile(Buffer.alloc(PROBE, 'doctor'));
      await file.sync();
    } finally {
      await rm(probe, { force: true });
    }
    const { bavail, bsize } = await statfs(directory);
    const free = `${directory}, ${bytes(bavail * bsize)} free`;
    if (bavail * bsize >= ROOM) return { status: 'passed', detail: free, value: undefined };
    return { status: 'warning', detail: `${free}. Free some space: the logs of a run go there.`, value: undefined };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    const reason = full ? `the disk of ${directory} is full` : reasonOf(error);
    const advice = full
      ? 'Free some space, or set run_directory to a folder on another disk.'
      : 'Set run_directory to a folder that the agent can write to.';
    throw new OutcomeError('config-error', `Failed to write to the run directory: ${reason}. ${advice}`, {
      cause: error,
    });
  } finally {
    if (made !== undefined) await removeEmpty(directory, made);
  }
}

/** Removes `folder` and those above it up to `top`, as far as nobody has put anything in. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  const removed = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (removed && folder !== top) await removeEmpty(dirname(folder), top);
}
