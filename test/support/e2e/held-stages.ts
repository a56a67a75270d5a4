import { until } from './moments.ts';
import { definition, type Stage } from './stage.ts';

/** A run that stays at one stage. */
export interface Held {
  /** The stage's own inputs of the job. */
  readonly inputs?: Record<string, string>;
  /** What is queued; nothing when absent. */
  readonly job?: object;
  /** Resolves when the run has come there. */
  readonly reached: () => Promise<unknown>;
}

/** What a job consists of besides the setting that a stage gives it: the script of its last step. */
export interface HeldJob {
  readonly stage: Stage;
  readonly update: string;
}

const SOURCE = 'echo source';

const scripts = ({ update }: HeldJob) => definition({ 'Get source': SOURCE, 'pulumi update': update });

const waiting = ({ stage }: HeldJob): Held => ({
  inputs: { 'max-wait': '5m' },
  reached: () =>
    stage.cloud.waitFor((cloud) => cloud.requests.some(({ path }) => path === '/api/deployments/poll'), 60_000),
});

function inStep(job: HeldJob): Held {
  const { cloud } = job.stage;
  return {
    job: scripts(job),
    reached: () =>
      cloud.waitFor(({ deployments }) => deployments.some(({ steps }) => (steps[2]?.lines.length ?? 0) > 0), 60_000),
  };
}

function uploading(job: HeldJob): Held {
  const { artifacts } = job.stage.github;
  artifacts.faults.inject('FinalizeArtifact', { kind: 'stall' });
  return {
    job: scripts(job),
    reached: () => until(() => artifacts.calls.includes('FinalizeArtifact'), 60_000),
  };
}

/** The stages of a run of two steps, by what it does. */
export const HELD_STAGES = {
  waiting,
  'in a step': inStep,
  uploading,
} as const satisfies Record<string, (job: HeldJob) => Held>;

export type HeldStage = keyof typeof HELD_STAGES;
