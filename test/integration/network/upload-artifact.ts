// A process of its own, as the action's is: it uploads the folder that it is told with its environment, and prints the artifact.

import { trustAsTheAgent } from '../../../src/action/own-trust.ts';
import { uploadRunDirectory } from '../../../src/action/publish/artifact.ts';

const [runDirectory = ''] = process.argv.slice(2);
const { env: environment } = process;
await trustAsTheAgent(environment, process.cwd());
const signal = new AbortController().signal;
const artifact = await uploadRunDirectory({ runDirectory, name: 'logs', environment, deadlineMs: 30_000, signal });
console.log(`artifact ${artifact?.name ?? 'none'}`);
process.exit(0);
