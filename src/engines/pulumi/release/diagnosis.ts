import { missingEmbeddable } from './installed.ts';
import { type EngineSettings, type EngineSources, engineProgram } from './program.ts';
import { versionOf } from './version.ts';

/** What a check of the doctor saw. */
export interface EngineFinding {
  readonly status: 'passed' | 'warning';
  readonly detail: string;
}

/** The program, found and verified. */
export interface FoundEngine extends EngineFinding, AsyncDisposable {
  /** Starts it with the command `version`. Throws OutcomeError `target-error`, and the signal's reason. */
  start(signal: AbortSignal): Promise<EngineFinding>;
}

/** Gets the program as a run would, which downloads and keeps it where it isn't yet. Throws what `engineProgram` throws. */
export async function findEngine(
  config: EngineSettings,
  sources: Omit<EngineSources, 'log' | 'onSecrets'> & Required<Pick<EngineSources, 'onSecrets'>>,
): Promise<FoundEngine> {
  const said: string[] = [];
  const warnings: string[] = [];
  const program = await engineProgram(config, {
    ...sources,
    log: (level, message) => void (level === 'warning' ? warnings : said).push(message),
  });
  const detail = config.enginePath === undefined ? said.join(' ') : `installed in ${config.enginePath}, not verified`;
  const lacks = missingEmbeddable(program) ?? foreignEmbeddable(process.platform, process.arch);
  const told = [...new Set([detail, ...warnings, ...(lacks === undefined ? [] : [lacks])])];
  return {
    status: told.length > 1 ? 'warning' : 'passed',
    detail: told.join(' '),
    start: async (signal) => {
      const version = await versionOf(program.agent, { environment: sources.environment, signal });
      if (version === program.version) return { status: 'passed', detail: `version ${version}` };
      const expected = `it says that its version is ${version}, expected ${program.version}`;
      return { status: 'warning', detail: `${expected}. Compare the release with the one on GitHub.` };
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** What a machine lacks for the runner in job containers, which every release has for linux-x64 only: a sentence, or undefined. */
export function foreignEmbeddable(platform: string, arch: string): string | undefined {
  if (arch === 'x64') return undefined;
  return `What it puts into the containers of jobs is built for linux-x64: in Docker on ${platform}-${arch} they need emulation (qemu).`;
}
