import * as core from '@actions/core';
import { isAlive, signalOwner } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';
import { agentEnvironment, requestStop, startAgent, waitForEnd } from './agent-process.ts';
import { Console, wholeLogPlace } from './console.ts';
import { reportDead } from './death.ts';
import { follow } from './follow.ts';
import { keepIdTokenFresh } from './id-token.ts';
import { ACTION_DEFAULTS, type ActionInputs } from './inputs.ts';
import { CANCELLED_EXIT_CODE, type Job } from './job.ts';
import { labelsOf } from './labels.ts';
import { trustAsTheAgent } from './own-trust.ts';
import { setArtifactOutputs, setKnownOutputs, setRunOutputs } from './publish/outputs.ts';
import { publish } from './publish/publish.ts';
import { reportOf, reportWithout } from './report.ts';
import type { RunFolder } from './run-folder.ts';
import { type RunState, saveRunState } from './state.ts';
import { writerOf } from './stdout.ts';
import { conclude, isRed } from './verdict.ts';

/** From its result to its end: the agent has nothing left to do. */
const EXIT_MS = 10_000;
/** From its end to word of how: the kernel tells of both, one after the other. */
const EXIT_WORD_MS = 1_000;
const SWEEP_MS = 70_000;
const ARTIFACT_MS = 300_000;

export interface RunSources {
  readonly job: Job;
  readonly inputs: ActionInputs;
  readonly folder: RunFolder;
  /** The ID token that was written for the agent, if it needs one. */
  readonly idToken: string | undefined;
}

export interface RunEnd {
  readonly exitCode: number;
  readonly agentEnded: boolean;
}

/** Starts the agent, shows it to its end and publishes what it left. Throws OutcomeError when it can't be started. */
export async function run({ job, inputs, folder, idToken }: RunSources): Promise<RunEnd> {
  const { runDirectory } = folder;
  const environment = agentEnvironment(job.environment, inputs.agentVariables, inputs.config.envForwardAllowlist);
  const state: RunState = {
    runDirectory,
    position: { events: 0 },
    ended: false,
    died: false,
    published: false,
  };
  // Told before there is a process: whatever ends main meanwhile, post will look for it.
  saveRunState(state);
  const onCancel = (): void => {
    state.cancelledAt = job.now();
    saveRunState(state);
  };
  job.cancelled.addEventListener('abort', onCancel, { once: true });
  core.setOutput('run-directory', runDirectory);
  const agent = await startAgent({
    nodePath: job.nodePath,
    script: job.agentScript,
    runDirectory,
    ...(inputs.configFile !== undefined && { configFile: inputs.configFile }),
    defaults: ACTION_DEFAULTS,
    labels: labelsOf(job),
    environment,
  }).catch((error: unknown) => {
    saveRunState({ ...state, ended: true, published: true });
    throw error;
  });
  state.owner = agent.owner;
  saveRunState(state);
  const following = new AbortController();
  const freshToken = keepFresh({ job, inputs, folder, idToken }, AbortSignal.any([job.cancelled, following.signal]));
  const shown = new Console({
    directory: runDirectory,
    write: writerOf(job.stdout, job.cancelled),
    now: job.now,
    place: wholeLogPlace(inputs),
  });
  try {
    const end = await follow({
      directory: runDirectory,
      position: state.position,
      listener: shown,
      isAlive: () => isAlive(agent.owner),
      signal: job.cancelled,
      onEvent: setKnownOutputs,
    });
    shown.close();
    if (end.kind === 'stopped') return await leave(agent.owner, runDirectory);
    const gone = await waitForEnd(agent.owner, EXIT_MS, job.cancelled);
    if (!gone && !job.cancelled.aborted) signalOwner(agent.owner, 'SIGKILL');
    const report =
      end.kind === 'finished'
        ? await reportOf(runDirectory, end.result)
        : await reportDead({
            nodePath: job.nodePath,
            script: job.agentScript,
            runDirectory,
            environment,
            deadlineMs: SWEEP_MS,
            signal: job.cancelled,
            pid: agent.owner.pid,
            exit: await agent.exit(EXIT_WORD_MS),
          });
    if (job.cancelled.aborted) return { exitCode: CANCELLED_EXIT_CODE, agentEnded: true };
    state.ended = true;
    state.died = end.kind === 'died';
    setRunOutputs(report, runDirectory);
    const artifact = await publish({
      report,
      runDirectory,
      inputs,
      red: isRed(report, inputs.onNoWork),
      environment: job.environment,
      artifactDeadlineMs: ARTIFACT_MS,
      trustMore: () => trustAsTheAgent(job.environment, job.checkoutDirectory),
      signal: job.cancelled,
    });
    state.artifact = artifact;
    setArtifactOutputs(artifact);
    state.published = !job.cancelled.aborted;
    if (!state.published) core.info('The CI job was cancelled: the post step publishes the run.');
    return { exitCode: conclude(report, inputs.onNoWork), agentEnded: true };
  } finally {
    job.cancelled.removeEventListener('abort', onCancel);
    following.abort();
    await freshToken;
    saveRunState(state);
  }
}

/** The CI job was cancelled: the agent is asked to stop, and this step is over. */
async function leave(owner: Owner, runDirectory: string): Promise<RunEnd> {
  requestStop(owner);
  core.info(
    'The CI job was cancelled: the agent was asked to stop; the post step waits for it and publishes the rest.',
  );
  setRunOutputs(
    await reportWithout(runDirectory, { outcome: 'interrupted', message: 'The CI job was cancelled.' }),
    runDirectory,
  );
  return { exitCode: CANCELLED_EXIT_CODE, agentEnded: false };
}

async function keepFresh(sources: RunSources, signal: AbortSignal): Promise<void> {
  const { job, inputs, folder, idToken } = sources;
  if (idToken === undefined || inputs.idTokenAudience === undefined) return;
  await keepIdTokenFresh({
    path: folder.idTokenFile,
    token: idToken,
    audience: inputs.idTokenAudience,
    environment: job.environment,
    signal,
    now: job.now,
    warn: (sentence) => core.warning(sentence),
  });
}
