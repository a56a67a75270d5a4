import { dirname } from 'node:path';
import type { AgentConfig } from '../../../base/config/agent-config.ts';
import type { ConfigFile } from '../../../base/config/config-file.ts';
import { type ConfigProblem, quoteValue } from '../../../base/config/problem.ts';
import type { KeyName } from '../../../base/config/schema.ts';
import type { Environment } from '../../../base/environment.ts';
import { secretValues } from '../../../base/log/plain-names.ts';
import { hasShortLine } from '../../../base/log/secret-forms.ts';
import { type AgentProgram, ownEngine } from '../../engine.ts';
import type { PostSettings } from '../../finish.ts';
import {
  type AgentSettings,
  type ArtifactSettings,
  CI_DEFAULTS,
  graceWarning,
  readAgentSettings,
  readStepConfigFile,
  type StepSettings,
} from '../../settings.ts';
import { attemptPage, CANCEL_WINDOW, type Context, labelsOf } from './context.ts';
import type { ActionPhase } from './host.ts';
import {
  type ACTION_INPUTS,
  AGENT_INPUTS,
  agentEnvironment,
  inputName,
  inputText,
  settingsFromInputs,
} from './inputs.ts';

const ON_NO_WORK = ['succeed', 'warn', 'fail'] as const;
const UPLOAD_ARTIFACT = ['always', 'on-failure', 'never'] as const;

/** Settings that apply only when the job's ID token authenticates. */
const OIDC_KEYS = ['runner_pool_id', 'runner_pool_name', 'oidc_scope', 'oidc_audience'] as const;

/**
 * Reads the action's inputs, checked together with the environment and the configuration file;
 * `idTokenFile` will hold the ID token, if that is used. Throws ConfigError with every problem.
 */
export async function readActionSettings(phase: ActionPhase, idTokenFile: string): Promise<StepSettings> {
  const { environment, context } = phase;
  const problems: ConfigProblem[] = [];
  const artifact = readArtifactSettings(environment, problems);
  const onNoWork = choice(environment, 'on-no-work', ON_NO_WORK, problems);
  const doctor = choice(environment, 'doctor', ['false', 'true'], problems) === 'true';
  checkComment(environment, problems);
  const settings = readInputs(phase, idTokenFile, 'run', problems);
  const rerun = doctor ? undefined : rerunWarning(context, settings.config);

  const warnings = [
    ...settings.warnings,
    ...graceWarning(CANCEL_WINDOW, settings.config, 'cancel-grace-period'),
    ...(rerun === undefined ? [] : [rerun]),
  ];

  const isQuiet = rerun !== undefined && onNoWork === 'succeed';

  const secrets = [...settings.secrets, inputText(environment, 'github-token')];

  return { ...settings, secrets, warnings, onNoWork: isQuiet ? 'warn' : onNoWork, doctor, artifact };
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
function rerunWarning(context: Context, { trigger }: AgentConfig): string | undefined {
  const { runAttempt } = context;
  if (runAttempt <= 1) return undefined;

  const effect =
    trigger.length > 0
      ? 'It starts its deployments again'
      : "It claims the next deployment that waits, if there is one. It doesn't repeat the deployment of an earlier attempt: start that one again in Pulumi Cloud";

  return `This is attempt ${runAttempt} of the CI run. ${effect}. The first attempt and its summary: ${attemptPage(context, 1)}`;
}

/**
 * Post's settings, from inputs and environment only. Invalid ones get their defaults, an invalid
 * file none: main refused them.
 */
export function readPostSettings(phase: ActionPhase): PostSettings {
  const { environment, checkoutDirectory } = phase;
  const { usable, file } = configFileOf(phase);
  const engine = ownEngine({
    ...programOf(phase),
    configFile: usable ? file : undefined,
    // A sweep needs nothing that jobs get.
    environment: agentEnvironment(environment, settingsFromInputs(environment, checkoutDirectory), []),
  });
  const jobCancelled = inputText(environment, 'job-status') === 'cancelled';

  return { engine, artifact: readArtifactSettings(environment, []), jobCancelled };
}

/** Reads plan/'s inputs. Throws ConfigError with every problem. */
export function readPlanSettings(phase: ActionPhase, idTokenFile: string): AgentSettings {
  const settings = readInputs(phase, idTokenFile, 'plan');
  // A plan without a start is new each time.
  const rerun = settings.config.trigger.length > 0 ? rerunWarning(phase.context, settings.config) : undefined;
  return rerun === undefined ? settings : { ...settings, warnings: [...settings.warnings, rerun] };
}

/**
 * Reads the agent's settings from the action's or plan/'s inputs. Throws ConfigError with
 * `problems` and all others.
 */
function readInputs(
  phase: ActionPhase,
  idTokenFile: string,
  purpose: 'run' | 'plan',
  problems: readonly ConfigProblem[] = [],
): AgentSettings {
  const { environment, checkoutDirectory, context } = phase;

  const settings = readAgentSettings({
    program: programOf(phase),
    environment,
    configFile: configFileOf(phase),
    overrides: settingsFromInputs(environment, checkoutDirectory),
    idTokenFile,
    purpose,
    defaults: purpose === 'run' ? CI_DEFAULTS : {},
    labels: labelsOf(context),
    agentEnvironment: (texts, forwarded) => agentEnvironment(environment, texts, forwarded),
    settingName,
    problems: (hasToken) => [
      ...problems,
      ...(purpose === 'run' && hasToken ? oidcProblems(environment) : []),
    ],
  });

  const { warnings, config } = settings;
  return { ...settings, warnings: [...warnings, ...shortLineWarnings(environment, config)] };
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
      `${name} has lines of fewer than 8 characters. If it is one of GitHub's secrets, the runner hides each of its lines, such as a brace, and drops every job output that contains one. If it isn't, the action registers its lines of at least 8 characters with GitHub, or of at least 4 if no line has 8, and only this step hides the whole value. Store it as one line, or in base64.`,
    ];
  });
}

function programOf({ nodePath, agentScript }: ActionPhase): AgentProgram {
  return { nodePath, script: agentScript, directory: dirname(agentScript) };
}

function configFileOf(phase: ActionPhase): ConfigFile {
  const { environment, checkoutDirectory: workingDirectory } = phase;
  const flag = 'config-file';
  const [name, program] = [inputText(environment, flag), programOf(phase)];
  return readStepConfigFile({ name, flag, workingDirectory, environment, program });
}

/** The name in messages of a setting that an input gave, or should give. */
function settingName(key: KeyName): string {
  if (key === 'oidc_token_file') return "this job's ID token";
  if (key === 'plan_max') return 'input max';
  return inputName(key) in AGENT_INPUTS ? `input ${inputName(key)}` : key;
}

function oidcProblems(environment: Environment): ConfigProblem[] {
  const token = inputText(environment, 'token') === '' ? 'token' : 'input token';
  return OIDC_KEYS.filter((key) => inputText(environment, inputName(key)) !== '').map((key) => ({
    message: `input ${inputName(key)} is for authenticating with this job's ID token, and ${token} is another way; keep one of them`,
    key,
  }));
}

function readArtifactSettings(environment: Environment, problems: ConfigProblem[]): ArtifactSettings {
  const name = inputText(environment, 'artifact-name') || undefined;
  const days = inputText(environment, 'artifact-retention-days');
  const retentionDays = /^\d{1,3}$/.test(days) && Number(days) <= 400 ? Number(days) : undefined;

  if (days !== '' && retentionDays === undefined)
    problems.push({
      message: `input artifact-retention-days ${quoteValue(days)} is not a whole number from 0 to 400`,
    });

  const upload = choice(environment, 'upload-artifact', UPLOAD_ARTIFACT, problems);
  return { upload, name, retentionDays };
}

function choice<const C extends string>(
  environment: Environment,
  name: keyof typeof ACTION_INPUTS,
  choices: readonly [C, ...C[]],
  problems: ConfigProblem[],
): C {
  const text = inputText(environment, name);
  const match = choices.find((each) => each === text.toLowerCase());
  if (match === undefined && text !== '')
    problems.push({ message: `input ${name} ${quoteValue(text)} is not one of ${choices.join(', ')}` });
  return match ?? choices[0];
}
