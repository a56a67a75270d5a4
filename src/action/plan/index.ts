import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { flush } from '../../flush.ts';
import { compileCache, jobOfProcess } from '../job-of-process.ts';

const FLUSH_MS = 500;

const environment = process.env;
enableCompileCache(compileCache(environment));
const job = jobOfProcess(process, environment, fileURLToPath(import.meta.url));
const { plan } = await import('./plan.ts');
const exitCode = await plan(job);
await flush(process.stdout, FLUSH_MS);
process.exit(exitCode);
