import { planPhase } from './phases.ts';
import { runProgram } from './program.ts';

process.exit(await runProgram(planPhase, import.meta.filename, process.env));
