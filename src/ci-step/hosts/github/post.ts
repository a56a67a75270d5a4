import { postPhase } from './phases.ts';
import { runProgram } from './program.ts';

process.exit(await runProgram(postPhase, import.meta.filename, process.env, 'warning'));
