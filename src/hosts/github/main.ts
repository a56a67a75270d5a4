import { fileURLToPath } from 'node:url';
import { context } from '@actions/github';
import { mainPhase } from './phases.ts';
import { lateFailure, runProgram } from './program.ts';

// Nobody can know what else is broken then.
process.on('uncaughtException', (error) => {
  process.stdout.write(lateFailure('error', error), () => process.exit(1));
});

process.exit(await runProgram(mainPhase, process, context, fileURLToPath(import.meta.url)));
