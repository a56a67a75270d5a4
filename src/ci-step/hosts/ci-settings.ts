import { z } from 'zod';
import { ConfigError } from '../../base/config/problem.ts';
import { defined } from '../../base/defined.ts';
import { setVariables, WITHHELD } from '../../base/environment.ts';
import { ownEngine } from '../engine.ts';
import type { PostSettings } from '../finish.ts';
import type { Publishing, StepSettings } from '../host.ts';
import type { CiStep } from './ci-system.ts';
import {
  type AgentProgram,
  CI_DEFAULTS,
  configFileOf,
  graceWarning,
  readEngineSettings,
  type SettingTexts,
  settingVariables,
} from './engine-settings.ts';

const NAME_IDENTITY =
  "to sign in with the CI job's own ID token, name its source with --identity-token-env NAME or --identity-token-command CMD";

const texts = z.record(z.string(), z.string());

/** The command line of `ci`, which it keeps for `finish`. */
export const ciFlagsSchema = z.object({
  file: z.string().optional(),
  defaults: texts,
  overrides: texts,
  labels: texts,
  identity: z.object({ variable: z.string().optional(), command: z.string().optional() }),
  onNoWork: z.enum(['succeed', 'warn', 'fail']),
  doctor: z.boolean(),
  /** Milliseconds. */
  cancelWindowMs: z.number().optional(),
});

export type CiFlags = z.infer<typeof ciFlagsSchema>;

/** The record is a folder of the checkout; where the CI system keeps files, it gets that folder. */
const PUBLISHING: Publishing = { uploadArtifact: 'always' };

/** A step, and the program that it starts as the agent. */
export interface CiSources {
  readonly step: CiStep;
  readonly agent: AgentProgram;
  readonly flags: CiFlags;
  /** The CI job can have an ID token. */
  readonly hasIdentity: boolean;
}

/** Reads the settings of a step. Throws ConfigError with every problem. */
export async function readCiSettings(sources: CiSources, idTokenFile: string): Promise<StepSettings> {
  const { step, agent, flags, hasIdentity } = sources;
  const { environment, job } = step;
  const { onNoWork, doctor, defaults, overrides, labels } = flags;

  const read = () =>
    readEngineSettings({
      ...agent,
      environment,
      configFile: fileOf(sources),
      given: overrides,
      idTokenFile: hasIdentity ? idTokenFile : undefined,
      purpose: 'run',
      defaults: { ...CI_DEFAULTS, ...job.defaults, ...defaults },
      labels: { ...job.labels, ...labels },
      interruptedBySigterm: job.signalsAgent,
      agentEnvironment: (given, forwarded) => agentEnvironment(sources, given, forwarded),
      problems: () => [],
    });

  const settings = hasIdentity ? read() : withAdvice(read);

  const warnings = [
    ...settings.warnings,
    ...graceWarning(job.cancelWindow, settings.config, 'cancel_grace_period'),
  ];
  return { ...PUBLISHING, ...settings, warnings, onNoWork, doctor };
}

/** Says where to name the CI job's identity, if nothing else signs in. */
function withAdvice<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) =>
      problem.key === 'token' && problem.message.startsWith('no way to authenticate')
        ? { ...problem, message: `${problem.message}; ${NAME_IDENTITY}` }
        : problem,
    );
    throw new ConfigError(problems, error.warnings);
  }
}

/** The settings of `finish`, from the command line that `ci` kept. */
export function readFinishSettings(sources: CiSources): PostSettings {
  const { step, agent, flags } = sources;
  const { usable, file } = fileOf(sources);
  const engine = ownEngine({
    ...agent,
    ...defined({ configFile: usable ? file : undefined }),
    // A sweep needs nothing that jobs get.
    environment: agentEnvironment(sources, flags.overrides, []),
  });
  const { isCancelled: jobCancelled = false, agentIsGone = false } = step.job;
  return { ...PUBLISHING, engine, jobCancelled, agentIsGone };
}

function fileOf({ step, agent, flags }: CiSources) {
  const { environment, workingDirectory } = step;
  return configFileOf(flags.file ?? '', environment, agent, { workingDirectory, flag: '--config' });
}

/**
 * The agent's variables: those of the step without the CI system's credentials, unless a job gets
 * one by name, and the settings. The forwarded ones are named, so that no helper gets them.
 */
function agentEnvironment(
  { step: { environment, job }, flags }: CiSources,
  settings: SettingTexts,
  forwarded: readonly string[],
): Record<string, string> {
  const { variable } = flags.identity;
  const credentials = [...job.credentials, ...(variable === undefined ? [] : [variable])];
  const isLeftOut = (name: string) =>
    (credentials.includes(name) && !forwarded.includes(name)) || job.hidden?.includes(name) === true;

  return {
    ...setVariables(environment, isLeftOut),
    ...settingVariables(settings),
    [WITHHELD]: credentials.filter((name) => forwarded.includes(name)).join(' '),
  };
}
