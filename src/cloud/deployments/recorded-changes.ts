import type { Log } from '../../base/log/level.ts';
import { messageOf } from '../../base/outcome.ts';
import type { StackName } from '../../base/stack.ts';
import {
  type ChangedResource,
  type ChangedResources,
  type ChangeStep,
  ChangeTally,
  summarize,
} from '../../record/changed-resources.ts';
import { nameIn } from '../../record/output/changes.ts';
import type { DeploymentApi } from '../deployment-api.ts';
import type { DeploymentUpdate, UpdateStep } from '../deployment-wire.ts';

/** For all answers together. */
const ALL_MS = 5_000;

/**
 * The resources that a deployment of a stack changed, by the steps that Pulumi Cloud recorded of its
 * updates; undefined if it records none, not all of them can be read in time, or the token may not.
 * Never rejects.
 */
export async function recordedChanges(
  stack: StackName,
  {
    readUpdates,
    api,
    redact,
    log,
    signal,
  }: {
    readonly readUpdates: (signal: AbortSignal) => Promise<readonly DeploymentUpdate[]>;
    readonly api: Pick<DeploymentApi, 'steps'>;
    /** Hides secrets in the resources' names. */
    readonly redact: (text: string) => string;
    readonly log: Log;
    readonly signal: AbortSignal;
  },
): Promise<ChangedResources | undefined> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(ALL_MS)]);
  const resources: ChangedResource[] = [];
  try {
    const updates = (await readUpdates(end)).flatMap(({ id, kind, preview }) =>
      id === undefined ? [] : [{ id, kind, preview }],
    );
    if (updates.length === 0) return undefined;

    let isEmpty = true;
    for (const update of updates) {
      const tally = new ChangeTally();
      for await (const steps of api.steps(stack, update, end)) {
        isEmpty &&= steps.length === 0;
        for (const step of steps) tally[step.phase](changeOf(step));
      }
      resources.push(...tally.resources(update.preview));
    }

    // An update that met a lock has no steps, and a service may keep none.
    if (isEmpty) return undefined;
    const preview = updates.every((update) => update.preview);
    return summarize(resources, { source: 'pulumi-cloud', preview, redact });
  } catch (error) {
    // The output says it too.
    log('debug', messageOf(error));
    return undefined;
  }
}

function changeOf({ op, urn, type }: UpdateStep): ChangeStep {
  return { op, urn, type, name: nameIn(urn) };
}
