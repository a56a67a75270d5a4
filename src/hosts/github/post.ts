import { postPhase } from './phases.ts';
import { runProgram } from './program.ts';

await runProgram(postPhase, import.meta.filename, 'warning');
