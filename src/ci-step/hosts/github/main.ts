import { mainPhase } from './phases.ts';
import { runProgram } from './program.ts';

process.exit(await runProgram(mainPhase, import.meta.filename, process.env));
