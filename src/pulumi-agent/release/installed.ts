import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import { AGENT, EMBEDDABLE, RUNNER } from './release.ts';

export interface Programs {
  readonly directory: string;
  /** An absolute path. */
  readonly agent: string;
  /** False without the runner for job containers, which Pulumi's own image lacks. */
  readonly hasEmbeddable: boolean;
}

/**
 * The programs in `directory`. Throws OutcomeError `config-error` naming required ones missing or
 * not executable.
 */
export async function programsIn(directory: string): Promise<Programs> {
  const agent = join(directory, AGENT);
  const problems = await Promise.all([agent, join(directory, RUNNER)].map(problemWith));
  const lacking = problems.filter((problem) => problem !== undefined);

  if (lacking.length > 0) {
    const message = `Failed to find Pulumi's agent for the run: ${lacking.join('; ')}. Correct engine_path, or omit it to have the agent downloaded.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-ENGINE-01' });
  }

  const hasEmbeddable = (await problemWith(join(directory, EMBEDDABLE))) === undefined;
  return { directory, agent, hasEmbeddable };
}

/**
 * A sentence about the missing embeddable runner, without which jobs in Docker fail; undefined if
 * it is there.
 */
export function missingEmbeddable({ directory, hasEmbeddable }: Programs): string | undefined {
  if (hasEmbeddable) return undefined;
  return `${directory} holds no ${EMBEDDABLE}, which Pulumi's agent puts into the containers of jobs in Docker: they will fail. Use the folder of a complete release.`;
}

async function problemWith(program: string): Promise<string | undefined> {
  try {
    await access(program, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no ${program}`;
    return code === 'EACCES' ? `${program} can't be executed` : `${program}: ${messageOf(error)}`;
  }
}
