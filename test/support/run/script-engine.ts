import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../../../src/ci-step/engine.ts';
import { ownEngine } from '../../../src/ci-step/engine.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** An engine that runs a short program, whose file name has a blank, from its run directory. */
export async function scriptEngine(
  source: string,
  nodePath = process.execPath,
): Promise<{ readonly engine: Engine; readonly runDirectory: string }> {
  const runDirectory = await temporaryDirectory();
  const script = join(runDirectory, 'a program.mjs');
  await writeFile(script, source);
  const environment = { PATH: process.env['PATH'] ?? '', MARK: 'marked' };
  return { engine: ownEngine({ nodePath, script, environment }), runDirectory };
}
