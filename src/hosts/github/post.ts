import { fileURLToPath } from 'node:url';
import { context } from '@actions/github';
import { postPhase } from './phases.ts';
import { lateFailure, runProgram } from './program.ts';

// Post goes on.
process.on('uncaughtException', (error) => process.stdout.write(lateFailure('warning', error)));

process.exit(await runProgram(postPhase, process, context, fileURLToPath(import.meta.url)));
