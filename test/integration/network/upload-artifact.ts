// A process of its own, like the action: uploads the given folder with its environment, and prints the artifact.
import * as core from '@actions/core';
import { context } from '@actions/github';
import { uploadRunDirectory } from '../../../src/ci-step/hosts/github/artifact.ts';
import { trustAsTheAgent } from '../../../src/ci-step/hosts/github/inputs.ts';

const [directory = ''] = process.argv.slice(2);
const { env } = process;
trustAsTheAgent(env, process.cwd());
const upload = {
  directory,
  name: 'logs',
  deadlineMs: 30_000,
  signal: new AbortController().signal,
  last: false,
};
const artifact = await uploadRunDirectory(upload, env, context, core.warning);
console.log(`artifact ${artifact?.name ?? 'none'}`);
process.exit(0);
