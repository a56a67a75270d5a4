import { planPhase } from './phases.ts';
import { runProgram } from './program.ts';

await runProgram(planPhase, import.meta.filename);
