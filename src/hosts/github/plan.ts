import { fileURLToPath } from 'node:url';
import { context } from '@actions/github';
import { planPhase } from './phases.ts';
import { runProgram } from './program.ts';

process.exit(await runProgram(planPhase, process, context, fileURLToPath(import.meta.url)));
