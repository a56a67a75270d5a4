import { fileURLToPath } from 'node:url';
import { flush } from '../../flush.ts';
import { jobOfProcess } from '../job-of-process.ts';
import { plan } from './plan.ts';

const FLUSH_MS = 500;

const job = jobOfProcess(process, process.env, fileURLToPath(import.meta.url));
const exitCode = await plan(job);
await flush(process.stdout, FLUSH_MS);
process.exit(exitCode);
