import { mainPhase } from './phases.ts';
import { runProgram } from './program.ts';

await runProgram(mainPhase, import.meta.filename);
