import { missingEmbeddable } from './installed.ts';
import { engineProgram } from './program.ts';
import type { ReleaseSettings, ReleaseSources } from './release.ts';
import { versionOf } from './version.ts';

export interface EngineFinding {
  readonly status: 'passed' | 'warning';
  readonly detail: string;
}

/** The program, found and, if downloaded, verified. */
export interface FoundEngine extends EngineFinding, AsyncDisposable {
  /**
   * Runs it with the command `version`. Throws OutcomeError `target-error`, and the signal's
   * reason.
   */
  start(signal: AbortSignal): Promise<EngineFinding>;
}

/**
 * Finds the program as a run would, downloading and keeping it if needed. Throws what
 * `engineProgram` throws.
 */
export async function findEngine(
  config: ReleaseSettings,
  sources: Omit<ReleaseSources, 'log'>,
): Promise<FoundEngine> {
  const infos: string[] = [];
  const warnings: string[] = [];

  const program = await engineProgram(config, {
    ...sources,
    log: (level, message) => void (level === 'warning' ? warnings : infos).push(message),
  });

  const detail =
    config.enginePath === undefined ? infos.join(' ') : `installed in ${config.enginePath}, not verified`;
  const lacks = missingEmbeddable(program) ?? foreignEmbeddable(process.platform, process.arch);
  const sentences = [...new Set([detail, ...warnings, ...(lacks === undefined ? [] : [lacks])])];

  return {
    status: sentences.length > 1 ? 'warning' : 'passed',
    detail: sentences.join(' '),
    start: async (signal) => {
      const version = await versionOf(program.agent, { environment: sources.environment, signal });
      if (version === program.version) return { status: 'passed', detail: `version ${version}` };
      const expected = `it reports version ${version}, expected ${program.version}`;
      return { status: 'warning', detail: `${expected}. Compare the release with the one on GitHub.` };
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/**
 * A sentence for a machine that can't run the runner for job containers, which releases have for
 * linux-x64 only.
 */
export function foreignEmbeddable(platform: string, arch: string): string | undefined {
  if (arch === 'x64') return undefined;
  return `The program that it puts into job containers is built for linux-x64: Docker on ${platform}-${arch} needs emulation (qemu) for it.`;
}
