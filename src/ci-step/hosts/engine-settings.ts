import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type AgentConfig, audienceOf } from '../../base/config/agent-config.ts';
import {
  type ConfigFile,
  candidatesIn,
  MACHINE_FILE,
  readConfigFile,
  readMachineFile,
  searchDirectories,
} from '../../base/config/config-file.ts';
import { formatDuration } from '../../base/config/duration.ts';
import type { Purpose } from '../../base/config/findings.ts';
import { loadConfig } from '../../base/config/load.ts';
import type { ConfigProblem } from '../../base/config/problem.ts';
import { environmentNames, type KeyName } from '../../base/config/schema.ts';
import { defined } from '../../base/defined.ts';
import type { Environment } from '../../base/environment.ts';
import { configuredSecrets } from '../../base/log/configured-secrets.ts';
import { longestGraceMs } from '../cancel-times.ts';
import { type OwnEngineOptions, ownEngine } from '../engine.ts';
import type { CancelWindow, StepSettings } from '../host.ts';

/** The agent's defaults in a CI job. */
export const CI_DEFAULTS = {
  polling_interval: '10s',
  max_wait: '5m',
  http_server_port: '0',
  http_server_address: '127.0.0.1',
} as const;

/** Settings by key, as text. */
export type SettingTexts = Readonly<Record<string, string>>;

/** The program that a host starts as the agent, and the folder that it starts in. */
export interface AgentProgram {
  readonly nodePath: string;
  readonly script?: string | undefined;
  readonly directory: string;
}

export interface EngineSources extends Omit<OwnEngineOptions, 'environment' | 'configFile'> {
  readonly directory: string;
  readonly environment: Environment;
  readonly configFile: ConfigFile;
  /** Settings that override the environment. */
  readonly given: SettingTexts;
  /** The file for the CI job's ID token, where the host can get one. */
  readonly idTokenFile?: string | undefined;
  readonly purpose: Purpose;
  /** The agent's variables for the settings that it gets and the variables that it forwards. */
  readonly agentEnvironment: (settings: SettingTexts, forwarded: readonly string[]) => Record<string, string>;
  /** The name of a setting in messages. */
  readonly settingName?: (key: KeyName) => string;
  /** Problems found so far; with `hasToken`, a static token authenticates. */
  readonly problems: (hasToken: boolean) => readonly ConfigProblem[];
}

/** The configuration of a step and the engine that runs with it. */
export interface EngineSettings
  extends Pick<StepSettings, 'engine' | 'configFile' | 'tokenFile' | 'secrets' | 'warnings'> {
  /** The configuration as the agent will see it. */
  readonly config: AgentConfig;
}

/** Loads the agent's configuration as the agent will. Throws ConfigError with every problem. */
export function readEngineSettings(sources: EngineSources): EngineSettings {
  const { environment, configFile: found, given, idTokenFile, purpose, settingName } = sources;
  const isWritten = (key: KeyName) =>
    (given[key] ?? writtenText(environment, key)) !== '' || found.settings.has(key);
  const hasToken = isWritten(purpose === 'run' ? 'token' : 'access_token');
  const usesIdToken = idTokenFile !== undefined && !hasToken && !isWritten('oidc_token_file');

  const overrides = {
    ...given,
    ...(usesIdToken && { oidc_token_file: idTokenFile }),
    // A file must not override this.
    single_run: 'true',
  };

  const { config, warnings, file } = loadConfig({
    workingDirectory: sources.directory,
    configFile: found,
    machineFile: readMachineFile(),
    environment,
    overrides,
    purpose,
    extraProblems: sources.problems(hasToken),
    ...defined({ defaults: sources.defaults }),
    ...(settingName !== undefined && { overrideName: settingName, missingName: settingName }),
  });

  const audience = audienceOf(config);
  const agent = sources.agentEnvironment(overrides, config.envForwardAllowlist);

  return {
    config,
    engine: ownEngine({ ...sources, configFile: file, environment: agent }),
    secrets: configuredSecrets(config, environment),
    warnings,
    ...defined({ configFile: file }),
    ...(usesIdToken &&
      audience !== undefined && {
        tokenFile: { path: idTokenFile, audience, ...defined({ caCertificate: config.caCertificate }) },
      }),
  };
}

/** Says that a cancelled CI job ends sooner than an interrupted step can need; `setting` is the name of its grace period. */
export function graceWarning(
  window: CancelWindow,
  { cancelGracePeriodMs }: AgentConfig,
  setting: string,
): string[] {
  const longestMs = longestGraceMs(window);
  if (cancelGracePeriodMs <= longestMs) return [];
  const [grace, job, longest] = [cancelGracePeriodMs, window.jobMs, longestMs].map(formatDuration);
  return [
    `A step will not get the ${grace} of ${setting} when the CI job is cancelled: the job ends ${job} after it is ` +
      `cancelled, which leaves a step ${longest} at most. Cancelling in Pulumi Cloud gives it the full time.`,
  ];
}

/** The text of a setting from the environment, trimmed; empty if it isn't set. */
export function writtenText(environment: Environment, key: KeyName): string {
  const texts = environmentNames(key).map((name) => environment[name]?.trim() ?? '');
  return texts.find((text) => text !== '') ?? '';
}

/** The variables of `settings`, as the agent reads them. */
export function settingVariables(settings: SettingTexts): Record<string, string> {
  const named = Object.entries(settings).map(([key, text]) => [
    environmentNames(key as KeyName)[0] ?? key,
    text,
  ]);
  return { ...Object.fromEntries(named), PULUMI_AGENT_SINGLE_RUN: 'true' };
}

/**
 * The `named` file, else the machine's if root alone can have written it. Nothing is searched for:
 * an earlier CI job could have put a file into the home directory, and a pull request into the
 * checkout. A file that a search would have found is a warning; `flag` names a file.
 */
export function configFileOf(
  named: string,
  environment: Environment,
  { nodePath, script = nodePath, directory }: AgentProgram,
  { workingDirectory, flag }: { workingDirectory: string; flag: string },
): ConfigFile {
  if (named !== '') return readConfigFile({ workingDirectory, file: named });

  const agentDirectory = dirname(script);
  const searched = searchDirectories({ environment, workingDirectory: directory, agentDirectory });
  const left = candidatesIn(searched).filter((file) => file !== MACHINE_FILE && existsSync(file));
  const found = readMachineFile();
  const warnings = left.map(
    (file) =>
      `${file} is not read: an earlier CI job could have left it there. If it is yours, let root move it to ${MACHINE_FILE}, or name it with ${flag}.`,
  );

  return { ...found, warnings: [...found.warnings, ...warnings] };
}
