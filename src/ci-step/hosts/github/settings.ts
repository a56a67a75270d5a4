import { dirname } from 'node:path';
import type { AgentConfig } from '../../../base/config/agent-config.ts';
import type { ConfigFile } from '../../../base/config/config-file.ts';
import { type ConfigProblem, quoteValue } from '../../../base/config/problem.ts';
import type { KeyName } from '../../../base/config/schema.ts';
import { defined } from '../../../base/defined.ts';
import type { Environment } from '../../../base/environment.ts';
import { secretValues } from '../../../base/log/plain-names.ts';
import { hasShortLine } from '../../../base/log/secret-forms.ts';
import { ownEngine } from '../../engine.ts';
import type { PostSettings } from '../../finish.ts';
import type { Publishing, StepSettings } from '../../host.ts';
import {
  type AgentProgram,
  CI_DEFAULTS,
  configFileOf,
  type EngineSettings,
  graceWarning,
  readEngineSettings,
} from '../engine-settings.ts';
import { CANCEL_WINDOW, labelsOf, type Step } from './host.ts';
import {
  type ACTION_INPUTS,
  AGENT_INPUTS,
  agentEnvironment,
  agentSettings,
  inputName,
  inputText,
} from './inputs.ts';

const ON_NO_WORK = ['succeed', 'warn', 'fail'] as const;
const UPLOAD_ARTIFACT = ['always', 'on-failure', 'never'] as const;

/** Settings that apply only when the job's ID token authenticates. */
const OIDC_KEYS = ['runner_pool_id', 'runner_pool_name', 'oidc_scope', 'oidc_audience'] as const;

/** The action's inputs, checked together with the environment and the configuration file. */
export interface Inputs extends StepSettings {
  /** The configuration as the agent will see it. */
  readonly config: AgentConfig;
}

/**
 * Reads the inputs; `idTokenFile` will hold the ID token, if that is used. Throws ConfigError with
 * every problem.
 */
export async function readInputs(step: Step, idTokenFile: string): Promise<Inputs> {
  const { environment } = step;
  const problems: ConfigProblem[] = [];
  const publishing = readPublishing(environment, problems);
  const onNoWork = choice(environment, 'on-no-work', ON_NO_WORK, problems);
  const doctor = choice(environment, 'doctor', ['false', 'true'], problems) === 'true';
  checkComment(environment, problems);
  const loaded = readSettings(step, idTokenFile, 'run', problems);
  const rerun = doctor ? undefined : rerunWarning(step, loaded.config);

  const warnings = [
    ...loaded.warnings,
    ...graceWarning(CANCEL_WINDOW, loaded.config, 'cancel-grace-period'),
    ...(rerun === undefined ? [] : [rerun]),
  ];

  const isQuiet = rerun !== undefined && onNoWork === 'succeed';

  const secrets = [...loaded.secrets, inputText(environment, 'github-token')];

  return { ...publishing, onNoWork: isQuiet ? 'warn' : onNoWork, doctor, ...loaded, secrets, warnings };
}

/** Checks the inputs that the host reads itself when it comments. */
function checkComment(environment: Environment, problems: ConfigProblem[]): void {
  choice(environment, 'comment-on-pr', ['false', 'true'], problems);
  const number = inputText(environment, 'comment-on-pr-number');
  if (!/^(?:[1-9]\d{0,8})?$/.test(number))
    problems.push({
      message: `input comment-on-pr-number ${quoteValue(number)} is not the number of a pull request`,
    });
}

/**
 * Says that a re-run is about other deployments; undefined for the first attempt. GitHub counts
 * attempts of the whole run.
 */
function rerunWarning({ context }: Step, { trigger }: AgentConfig): string | undefined {
  const { serverUrl, repo, runId, runAttempt } = context;
  if (runAttempt <= 1) return undefined;

  const first = `${serverUrl}/${repo.owner}/${repo.repo}/actions/runs/${runId}/attempts/1`;

  const what =
    trigger.length > 0
      ? 'It starts its deployments again'
      : 'It claims the next deployment that waits, or none, and not again the one of an earlier attempt: start that again in Pulumi Cloud';

  return `This is attempt ${runAttempt} of the CI run. ${what}. The first attempt and its summary: ${first}`;
}

/**
 * Post's settings, from inputs and environment only. Invalid ones get their defaults, an invalid
 * file none: main refused them.
 */
export function readPostSettings(step: Step): PostSettings {
  const { environment, checkoutDirectory } = step;
  // A sweep needs nothing that jobs get.
  const agent = agentEnvironment(environment, agentSettings(environment, checkoutDirectory), []);
  const { usable, file } = fileOf(step);
  const configFile = usable ? file : undefined;
  const engine = ownEngine({ ...programOf(step), configFile, environment: agent });
  const jobCancelled = inputText(environment, 'job-status') === 'cancelled';

  return { ...readPublishing(environment, []), engine, jobCancelled };
}

/**
 * Reads the agent's settings from the action's or plan/'s inputs. Throws ConfigError with
 * `problems` and all others.
 */
export function readSettings(
  step: Step,
  idTokenFile: string,
  purpose: 'run' | 'plan',
  problems: readonly ConfigProblem[] = [],
): EngineSettings {
  const { environment, checkoutDirectory, context } = step;

  const loaded = readEngineSettings({
    ...programOf(step),
    environment,
    configFile: fileOf(step),
    given: agentSettings(environment, checkoutDirectory),
    idTokenFile,
    purpose,
    defaults: purpose === 'run' ? CI_DEFAULTS : {},
    labels: labelsOf(context),
    agentEnvironment: (settings, forwarded) => agentEnvironment(environment, settings, forwarded),
    settingName,
    problems: (hasToken) => [...problems, ...(purpose === 'run' && hasToken ? secondWay(environment) : [])],
  });

  return { ...loaded, warnings: [...loaded.warnings, ...shortLineWarnings(environment, loaded.config)] };
}

/** Warns of forwarded secrets with lines so short that they hide more than themselves. */
function shortLineWarnings(
  environment: Environment,
  { envForwardAllowlist, secretVariables }: AgentConfig,
): string[] {
  return envForwardAllowlist.flatMap((name) => {
    const values = secretValues({ [name]: environment[name] ?? '' }, secretVariables);
    if (!values.some(hasShortLine)) return [];
    return [
      `${name} has lines of fewer than 8 characters. If it is one of GitHub's secrets, the runner hides each of its lines, such as a brace, and drops every job output that contains one. If it is none of them, GitHub is told its lines of at least 8 characters, or of 4 where none is as long, and only this step hides the whole value. Store it as one line, or in base64.`,
    ];
  });
}

function programOf({ nodePath, agentScript }: Step): AgentProgram {
  return { nodePath, script: agentScript, directory: dirname(agentScript) };
}

function fileOf(step: Step): ConfigFile {
  const { environment, checkoutDirectory } = step;
  const options = { workingDirectory: checkoutDirectory, flag: 'config-file' };
  return configFileOf(inputText(environment, 'config-file'), environment, programOf(step), options);
}

/** The name in messages of a setting that an input gave, or should give. */
function settingName(key: KeyName): string {
  if (key === 'oidc_token_file') return "this job's ID token";
  if (key === 'plan_max') return 'input max';
  return inputName(key) in AGENT_INPUTS ? `input ${inputName(key)}` : key;
}

function secondWay(environment: Environment): ConfigProblem[] {
  const token = inputText(environment, 'token') === '' ? 'token' : 'input token';
  return OIDC_KEYS.filter((key) => inputText(environment, inputName(key)) !== '').map((key) => ({
    message: `input ${inputName(key)} is for authenticating with this job's ID token, and ${token} is another way; keep one of them`,
    key,
  }));
}

function readPublishing(environment: Environment, problems: ConfigProblem[]): Publishing {
  const artifactName = inputText(environment, 'artifact-name') || undefined;
  const days = inputText(environment, 'artifact-retention-days');
  const artifactRetentionDays = /^\d{1,3}$/.test(days) && Number(days) <= 400 ? Number(days) : undefined;

  if (days !== '' && artifactRetentionDays === undefined)
    problems.push({
      message: `input artifact-retention-days ${quoteValue(days)} is not a whole number from 0 to 400`,
    });

  const uploadArtifact = choice(environment, 'upload-artifact', UPLOAD_ARTIFACT, problems);
  return { uploadArtifact, ...defined({ artifactName, artifactRetentionDays }) };
}

function choice<const C extends string>(
  environment: Environment,
  name: keyof typeof ACTION_INPUTS,
  choices: readonly [C, ...C[]],
  problems: ConfigProblem[],
): C {
  const text = inputText(environment, name);
  const found = choices.find((known) => known === text.toLowerCase());
  if (found === undefined && text !== '')
    problems.push({ message: `input ${name} ${quoteValue(text)} is not one of ${choices.join(', ')}` });
  return found ?? choices[0];
}
