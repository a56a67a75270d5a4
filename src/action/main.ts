import * as core from '@actions/core';
import { secretValues } from '../log/plain-names.ts';
import { plainText } from './console-text.ts';
import { doctor } from './doctor.ts';
import { requestIdToken, writeIdToken } from './id-token.ts';
import { type ActionInputs, readInputs } from './inputs.ts';
import { CANCELLED_EXIT_CODE, type Job } from './job.ts';
import { trustAsTheAgent } from './own-trust.ts';
import { run } from './run.ts';
import { createRunFolder, type RunFolder, removePrivate } from './run-folder.ts';
import { saveStart } from './state.ts';
import { refuse } from './verdict.ts';

/**
 * The action's main phase: inputs, ID token, agent, console, results. Returns the step's exit code; never throws.
 * When the CI job is cancelled it asks the agent to stop and returns at once; post does the rest.
 */
export async function main(job: Job): Promise<number> {
  let folder: RunFolder | undefined;
  try {
    folder = await createRunFolder(job.temporaryDirectory);
    saveStart(job.owner, folder.privateDirectory);
    const inputs = await readInputs({ ...job, idTokenFile: folder.idTokenFile });
    const requested = request(job, inputs.idTokenAudience);
    maskSecrets(job, inputs);
    for (const warning of inputs.warnings) core.warning(plainText(warning));
    if (inputs.doctor) {
      const exitCode = await doctor({ job, inputs, folder, idToken: requested });
      await removePrivate(folder.privateDirectory);
      return exitCode;
    }
    const idToken = await requested;
    if (idToken !== undefined) await writeIdToken(folder.idTokenFile, idToken);
    job.cancelled.throwIfAborted();
    const end = await run({ job, inputs, folder, idToken });
    // An agent that is still stopping may need its token once more: then the folder is post's to remove.
    if (end.agentEnded) await removePrivate(folder.privateDirectory);
    return end.exitCode;
  } catch (error) {
    if (folder !== undefined) await removePrivate(folder.privateDirectory).catch(() => undefined);
    if (job.cancelled.aborted) {
      core.info('The CI job was cancelled before the agent was started.');
      core.setOutput('outcome', 'interrupted');
      return CANCELLED_EXIT_CODE;
    }
    return await refuse(error, folder?.runDirectory ?? '', job.environment);
  }
}

/** Asks for the job's ID token; answers undefined when there is no audience, which is when something else authenticates. */
function request(job: Job, audience: string | undefined): Promise<string | undefined> {
  if (audience === undefined) return Promise.resolve(undefined);
  const token = requestIdToken({
    audience,
    environment: job.environment,
    signal: job.cancelled,
    trustMore: () => trustAsTheAgent(job.environment, job.checkoutDirectory),
  });
  token.catch(() => undefined); // told where it is awaited, if it is
  return token;
}

/** Hides in the console what the inputs say and what is forwarded, before the agent can print any of it. */
function maskSecrets({ environment }: Job, { config }: ActionInputs): void {
  const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
  const values = [config.token ?? '', config.accessToken ?? '', ...secretValues(Object.fromEntries(forwarded))];
  for (const value of values) if (value.trim() !== '') core.setSecret(value);
}
