import { resolve } from 'node:path';
import type { AgentConfig } from '../config/agent-config.ts';
import { findConfigFile, parseConfigFile, type SearchSources } from '../config/config-file.ts';
import { formatDuration } from '../config/duration.ts';
import { boolean, splitList } from '../config/kind.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError, type ConfigProblem, quoteValue } from '../config/problem.ts';
import { environmentNames, type KeyName } from '../config/schema.ts';
import { JOB_MS, LONGEST_GRACE_MS } from './cancel-window.ts';
import { AGENT_INPUTS, agentSettings, audienceOf, type Environment, inputText, writtenText } from './input-text.ts';
import { pathInputs } from './path-inputs.ts';

/** The inputs that are the action's own, with their defaults as action.yml gives them. */
export const ACTION_INPUTS = {
  'config-file': '',
  'on-no-work': 'succeed',
  'upload-artifact': 'always',
  'artifact-name': '',
  'artifact-retention-days': '',
  doctor: 'false',
} as const;

/** What the agent does in a CI job unless the file, the environment or an input says otherwise. */
export const ACTION_DEFAULTS = {
  polling_interval: '10s',
  max_wait: '5m',
  http_server_port: '0',
  http_server_address: '127.0.0.1',
} as const;

const ON_NO_WORK = ['succeed', 'warn', 'fail'] as const;
const UPLOAD_ARTIFACT = ['always', 'on-failure', 'never'] as const;
/** Inputs that only mean something when the job's own ID token is exchanged. */
const OIDC_INPUTS = ['runner-pool-id', 'runner-pool-name', 'oidc-scope', 'oidc-audience'] as const;

export interface PublishingInputs {
  readonly uploadArtifact: (typeof UPLOAD_ARTIFACT)[number];
  /** Undefined: the action makes one up. */
  readonly artifactName?: string;
  /** Undefined: the repository's default. */
  readonly artifactRetentionDays?: number;
}

export interface ActionInputs extends PublishingInputs {
  /** As the agent will see it. */
  readonly config: AgentConfig;
  readonly configFile?: string;
  /** Sentences for what was passed over in the file and the environment. */
  readonly warnings: readonly string[];
  /** Environment variables that tell the agent what the inputs say. */
  readonly agentVariables: Readonly<Record<string, string>>;
  /** The audience to ask the job's ID token for; undefined when something else authenticates. */
  readonly idTokenAudience?: string;
  readonly onNoWork: (typeof ON_NO_WORK)[number];
  /** Checks the set-up instead of waiting for work. */
  readonly doctor: boolean;
}

export interface InputSources extends Omit<SearchSources, 'file'> {
  readonly environment: Environment;
  /** What a relative `config-file` is relative to. */
  readonly checkoutDirectory: string;
  /** Where the ID token will be written if it is what authenticates. */
  readonly idTokenFile: string;
}

/**
 * The action's inputs, checked together with what the environment and the file say.
 * @throws ConfigError with every problem at once
 */
export async function readInputs(sources: InputSources): Promise<ActionInputs> {
  const { environment, idTokenFile, checkoutDirectory } = sources;
  const named = inputText(environment, 'config-file');
  const configFile = named === '' ? '' : resolve(checkoutDirectory, named);
  const search = { ...sources, ...(configFile !== '' && { file: configFile }) };
  const hasToken = await isWritten('token', search, environment);
  const usesIdToken = !hasToken && !(await isWritten('oidc_token_file', search, environment));
  const overrides = {
    ...agentSettings(environment),
    ...pathInputs(environment, checkoutDirectory),
    ...(usesIdToken && { oidc_token_file: idTokenFile }),
  };

  const problems: ConfigProblem[] = [];
  const publishing = readPublishing(environment, problems);
  const onNoWork = choice(environment, 'on-no-work', ON_NO_WORK, problems);
  const doctor = isOn(environment, 'doctor', problems);
  if (hasToken) problems.push(...secondWay(environment));
  let config: AgentConfig | undefined;
  let warnings: readonly string[] = [];
  try {
    ({ config, warnings } = await loadConfig({ ...search, overrides, overrideName, defaults: ACTION_DEFAULTS }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.unshift(...error.problems.map(inInputTerms));
    warnings = error.warnings;
  }
  if (config === undefined || problems.length > 0) throw new ConfigError(problems, { warnings });
  return {
    ...publishing,
    onNoWork,
    doctor,
    config,
    warnings: [...warnings, ...graceWarning(config)],
    ...(configFile !== '' && { configFile }),
    agentVariables: variables(overrides),
    ...(usesIdToken && { idTokenAudience: config.oidcAudience ?? audienceOf(config.organizationName ?? '') }),
  };
}

function graceWarning({ cancelGracePeriodMs }: AgentConfig): string[] {
  if (cancelGracePeriodMs <= LONGEST_GRACE_MS) return [];
  const [grace, job, longest] = [cancelGracePeriodMs, JOB_MS, LONGEST_GRACE_MS].map(formatDuration);
  return [
    `A step will not have the ${grace} of cancel-grace-period when the CI job is cancelled: GitHub ends a job ${job} after its ` +
      `cancel, which leaves a step ${longest} at most. A cancel in Pulumi Cloud gives it the whole time.`,
  ];
}

/** The inputs that post needs; what main refused already is read as its default. */
export function readPublishingInputs(environment: Environment): PublishingInputs {
  return readPublishing(environment, []);
}

/** Environment variables that tell the agent what the inputs say, unchecked. */
export function agentVariablesOf(environment: Environment, checkoutDirectory: string): Record<string, string> {
  return variables({ ...agentSettings(environment), ...pathInputs(environment, checkoutDirectory) });
}

/** The names that are to be forwarded, as far as the inputs and the environment say. */
export function forwardedNames(environment: Environment): readonly string[] {
  const { PULUMI_AGENT_ENV_FORWARD_ALLOWLIST: fromEnvironment = '' } = environment;
  return splitList(inputText(environment, 'env-forward-allowlist') || fromEnvironment);
}

/** Environment variables that tell the agent these settings, by key. */
export function variables(settings: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(settings).map(([key, text]) => [environmentNames(key as KeyName)[0] ?? key, text]);
  return { ...Object.fromEntries(named), PULUMI_AGENT_SINGLE_RUN: 'true' };
}

/** What messages call a setting that an input gave. */
export function overrideName(key: string): string {
  if (key === 'oidc_token_file') return "this job's ID token";
  const input = Object.entries(AGENT_INPUTS).find(([, known]) => known === key)?.[0];
  return input === undefined ? key : `input ${input}`;
}

/** A missing setting is asked for by the name of its input. */
export function inInputTerms(problem: ConfigProblem): ConfigProblem {
  const { key = '', file, message } = problem;
  if (file !== undefined || !message.startsWith(`${key} `)) return problem;
  return { ...problem, message: `${overrideName(key)}${message.slice(key.length)}` };
}

/** True when an input, the environment or the file sets `key`. */
export async function isWritten(key: KeyName, search: SearchSources, environment: Environment): Promise<boolean> {
  if (writtenText(environment, key) !== '') return true;
  const { file, text } = findConfigFile(search);
  return file !== undefined && text !== undefined && parseConfigFile(file, text).settings.has(key);
}

function secondWay(environment: Environment): ConfigProblem[] {
  const token = inputText(environment, 'token') === '' ? 'token' : 'input token';
  return OIDC_INPUTS.filter((name) => inputText(environment, name) !== '').map((name) => ({
    message: `input ${name} is for authenticating with this job's ID token, and ${token} is another way; keep one of them`,
    key: AGENT_INPUTS[name],
  }));
}

function readPublishing(environment: Environment, problems: ConfigProblem[]): PublishingInputs {
  const artifactName = inputText(environment, 'artifact-name');
  const days = inputText(environment, 'artifact-retention-days');
  const retention = /^\d{1,3}$/.test(days) && Number(days) <= 400 ? Number(days) : undefined;
  if (days !== '' && retention === undefined) {
    problems.push({
      message: `input artifact-retention-days ${quoteValue(days)} is not a whole number from 0 to 400`,
    });
  }
  return {
    uploadArtifact: choice(environment, 'upload-artifact', UPLOAD_ARTIFACT, problems),
    ...(artifactName !== '' && { artifactName }),
    ...(retention !== undefined && { artifactRetentionDays: retention }),
  };
}

function choice<const C extends string>(
  environment: Environment,
  name: keyof typeof ACTION_INPUTS,
  choices: readonly [C, ...C[]],
  problems: ConfigProblem[],
): C {
  const text = inputText(environment, name);
  const found = choices.find((known) => known === text);
  if (found === undefined && text !== '') {
    problems.push({ message: `input ${name} ${quoteValue(text)} is not one of ${choices.join(', ')}` });
  }
  return found ?? choices[0];
}

/** A switch of the action's own, read as those of the agent are. */
function isOn(environment: Environment, name: keyof typeof ACTION_INPUTS, problems: ConfigProblem[]): boolean {
  const text = inputText(environment, name);
  if (text === '') return false;
  const { data = false, error } = boolean.schema.safeParse(text);
  for (const { message } of error?.issues ?? []) problems.push({ message: `input ${name} ${message}` });
  return data;
}
