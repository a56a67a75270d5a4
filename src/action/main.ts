import { setTimeout as delay } from 'node:timers/promises';
import * as core from '@actions/core';
import { secretValues } from '../log/plain-names.ts';
import { requestIdToken, writeIdToken } from './id-token.ts';
import { plainAudience } from './input-text.ts';
import type { ActionInputs } from './inputs.ts';
import { CANCELLED_EXIT_CODE, type Job } from './job.ts';
import { trustAsTheAgent } from './own-trust.ts';
import { createRunFolder, type RunFolder, removePrivate } from './run-folder.ts';
import { saveStart } from './state.ts';

/** Loading the rest holds up the request for the ID token unless it is on its way by then. */
const REQUEST_LEAVES_MS = 15;

/**
 * The action's main phase: inputs, ID token, agent, console, results. Returns the step's exit code; never throws.
 * When the CI job is cancelled it asks the agent to stop and returns at once; post does the rest.
 */
export async function main(job: Job): Promise<number> {
  let folder: RunFolder | undefined;
  try {
    // First of all: GitHub's answer takes longer than everything that is done meanwhile.
    const early = request(job, plainAudience(job));
    folder = await createRunFolder(job.temporaryDirectory);
    saveStart(job.owner, folder.privateDirectory);
    await requestLeaves(early.token);
    const { readInputs } = await import('./inputs.ts');
    const inputs = await readInputs({ ...job, idTokenFile: folder.idTokenFile });
    const requested =
      early.audience === inputs.idTokenAudience ? early.token : request(job, inputs.idTokenAudience).token;
    maskSecrets(job, inputs);
    await tell(inputs.warnings);
    if (inputs.doctor) {
      const { doctor } = await import('./doctor.ts');
      const exitCode = await doctor({ job, inputs, folder, idToken: requested });
      await removePrivate(folder.privateDirectory);
      return exitCode;
    }
    const { run } = await import('./run.ts');
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
    const { refuse } = await import('./verdict.ts');
    return await refuse(error, folder?.runDirectory ?? '', job.environment);
  }
}

/** Asks for the job's ID token; answers undefined when there is no audience, which is when something else authenticates. */
function request(
  job: Job,
  audience: string | undefined,
): { audience: string | undefined; token: Promise<string | undefined> } {
  if (audience === undefined) return { audience, token: Promise.resolve(undefined) };
  const token = requestIdToken({
    audience,
    environment: job.environment,
    signal: job.cancelled,
    trustMore: () => trustAsTheAgent(job.environment, job.checkoutDirectory),
  });
  token.catch(() => undefined); // told where it is awaited, if it is
  return { audience, token };
}

/** Hides in the console what the inputs say and what is forwarded, before the agent can print any of it. */
function maskSecrets({ environment }: Job, { config }: ActionInputs): void {
  const forwarded = config.envForwardAllowlist.map((name) => [name, environment[name] ?? '']);
  const values = [config.token ?? '', config.accessToken ?? '', ...secretValues(Object.fromEntries(forwarded))];
  for (const value of values) if (value.trim() !== '') core.setSecret(value);
}

async function tell(warnings: readonly string[]): Promise<void> {
  if (warnings.length === 0) return;
  const { plainText } = await import('./console-text.ts');
  for (const warning of warnings) core.warning(plainText(warning));
}

/** Resolves when the request is on its way, or has failed already. */
async function requestLeaves(requested: Promise<unknown>): Promise<void> {
  const answered = new AbortController();
  const answer = (): void => answered.abort();
  requested.then(answer, answer);
  await delay(REQUEST_LEAVES_MS, undefined, { signal: answered.signal }).catch(() => undefined);
}
