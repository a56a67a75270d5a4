import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentConfig } from '../base/config/agent-config.ts';
import { audienceOf } from '../base/config/agent-config.ts';
import {
  type ConfigFile,
  candidatesIn,
  MACHINE_FILE,
  readConfigFile,
  readMachineFile,
  searchDirectories,
} from '../base/config/config-file.ts';
import { formatDuration } from '../base/config/duration.ts';
import type { Purpose } from '../base/config/findings.ts';
import { loadConfig } from '../base/config/load.ts';
import type { ConfigProblem } from '../base/config/problem.ts';
import { environmentNames, environmentSetting, type KeyName } from '../base/config/schema.ts';
import type { Environment } from '../base/environment.ts';
import { configuredSecrets } from '../base/log/configured-secrets.ts';
import { longestGraceMs } from './cancel-times.ts';
import { type AgentProgram, type Engine, ownEngine } from './engine.ts';
import type { CancelWindow } from './host.ts';
import type { TokenFile } from './token-file.ts';

/** The settings that a step and a plan get from the agent's configuration. */
export interface AgentSettings {
  readonly engine: Engine;
  /** The configuration as the agent will see it. */
  readonly config: AgentConfig;
  /** The configuration file that counts. */
  readonly configFile: string | undefined;
  /** The file for the CI job's ID token; undefined when the agent authenticates in another way. */
  readonly tokenFile: TokenFile | undefined;
  /** Values to hide in the console. */
  readonly secrets: readonly string[];
  /** Sentences on ignored parts of the configuration. */
  readonly warnings: readonly string[];
}

/** The settings of a step. */
export interface StepSettings extends AgentSettings {
  readonly onNoWork: 'succeed' | 'warn' | 'fail';
  /** Check the set-up instead of waiting for work. */
  readonly doctor: boolean;
  readonly artifact: ArtifactSettings;
}

export interface ArtifactSettings {
  readonly upload: 'always' | 'on-failure' | 'never';
  readonly name?: string | undefined;
  readonly retentionDays?: number | undefined;
}

/** The agent's defaults in a CI job. */
export const CI_DEFAULTS = {
  polling_interval: '10s',
  max_wait: '5m',
  http_server_port: '0',
  http_server_address: '127.0.0.1',
} as const;

/** Settings by key, as text. */
export type SettingTexts = Readonly<Record<string, string>>;

/** Loads the agent's configuration as the agent will. Throws ConfigError with every problem. */
export function readAgentSettings({
  program,
  environment,
  configFile: file,
  overrides,
  idTokenFile,
  purpose,
  defaults,
  labels,
  interruptedBySigterm,
  agentEnvironment,
  settingName,
  problems,
}: {
  readonly program: AgentProgram;
  readonly environment: Environment;
  readonly configFile: ConfigFile;
  /** Settings that override the environment. */
  readonly overrides: SettingTexts;
  /** The file for the CI job's ID token, where the host can get one. */
  readonly idTokenFile: string | undefined;
  readonly purpose: Purpose;
  /** Settings that the environment and the file override. */
  readonly defaults: SettingTexts;
  /** Labels for each container or pod that a run makes. */
  readonly labels: Readonly<Record<string, string>>;
  readonly interruptedBySigterm?: boolean | undefined;
  /** The agent's variables for the settings that it gets and the variables that it forwards. */
  readonly agentEnvironment: (settings: SettingTexts, forwarded: readonly string[]) => Record<string, string>;
  /** The name of a setting in messages. */
  readonly settingName?: ((key: KeyName) => string) | undefined;
  /** Problems of the host's own; with `hasToken`, a static token authenticates. */
  readonly problems?: ((hasToken: boolean) => readonly ConfigProblem[]) | undefined;
}): AgentSettings {
  const isSet = (key: KeyName) =>
    Boolean(overrides[key]) || environmentSetting(environment, key) !== undefined || file.settings.has(key);
  const hasToken = isSet(purpose === 'run' ? 'token' : 'access_token');
  const usesIdToken = idTokenFile !== undefined && !hasToken && !isSet('oidc_token_file');

  const finalOverrides = {
    ...overrides,
    ...(usesIdToken && { oidc_token_file: idTokenFile }),
    // A file must not override this.
    single_run: 'true',
  };

  const loaded = loadConfig({
    workingDirectory: program.directory,
    configFile: file,
    machineFile: readMachineFile(),
    environment,
    overrides: finalOverrides,
    purpose,
    extraProblems: problems?.(hasToken) ?? [],
    defaults,
    overrideName: settingName,
    missingName: settingName,
  });

  const { config, warnings, file: configFile } = loaded;
  const { caCertificate } = config;
  const audience = audienceOf(config);

  const engine = ownEngine({
    ...program,
    configFile,
    defaults,
    labels,
    interruptedBySigterm,
    environment: agentEnvironment(finalOverrides, config.envForwardAllowlist),
  });

  return {
    engine,
    config,
    configFile,
    tokenFile:
      usesIdToken && audience !== undefined ? { path: idTokenFile, audience, caCertificate } : undefined,
    secrets: configuredSecrets(config, environment),
    warnings,
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

/** The variables of `settings`, as the agent reads them. */
export function settingVariables(settings: SettingTexts): Record<string, string> {
  const named = Object.entries(settings).map(([key, text]) => [
    environmentNames(key as KeyName)[0] ?? key,
    text,
  ]);
  return { ...Object.fromEntries(named), PULUMI_AGENT_SINGLE_RUN: 'true' };
}

/**
 * Reads the file that a step names, else the machine's if root alone can have written it. Nothing is
 * searched for: an earlier CI job could have put a file into the home directory, and a pull request
 * into the checkout. A file that a search would have found is a warning; `flag` names a file.
 */
export function readStepConfigFile({
  name,
  flag,
  workingDirectory,
  environment,
  program,
}: {
  readonly name: string;
  readonly flag: string;
  readonly workingDirectory: string;
  readonly environment: Environment;
  readonly program: AgentProgram;
}): ConfigFile {
  if (name !== '') return readConfigFile({ workingDirectory, file: name });

  const { nodePath, script = nodePath, directory } = program;
  const searched = searchDirectories({
    environment,
    workingDirectory: directory,
    agentDirectory: dirname(script),
  });
  const unread = candidatesIn(searched).filter((file) => file !== MACHINE_FILE && existsSync(file));
  const machineFile = readMachineFile();
  const warnings = unread.map(
    (file) =>
      `${file} is not read: an earlier CI job could have left it there. If it is yours, let root move it to ${MACHINE_FILE}, or name it with ${flag}.`,
  );

  return { ...machineFile, warnings: [...machineFile.warnings, ...warnings] };
}
