import { defined } from '../../base/defined.ts';
import { setVariables } from '../../base/environment.ts';
import type { Outcome } from '../../base/outcome.ts';
import { type Identity, stackText } from '../../base/stack.ts';
import type { DeploymentIds } from '../../cloud/job-wire.ts';
import { isReference } from '../../executor/image-reference.ts';

/** The facts about a job that its hooks receive. */
export interface HookFacts extends DeploymentIds {
  readonly identity: Identity | undefined;
  readonly image: string | undefined;
  readonly runDirectory: string | undefined;
  /** Known after the job. */
  readonly outcome?: Outcome;
  readonly exitCode?: number;
}

/** An ID of Pulumi Cloud's. */
const ID = /^[\w.:-]{1,200}$/;

/** The facts as variables `PULUMI_RUNNER_…`. A name that isn't proven has names of its own. */
export function hookVariables(facts: HookFacts): Record<string, string> {
  const { identity, runDirectory, outcome, exitCode } = facts;
  const { deploymentId, runId, jobId, image } = wellFormed(facts);
  const isProven = identity?.proven ?? false;

  const name = {
    STACK: identity && stackText(identity),
    OPERATION: identity?.operation,
    VERSION: identity?.version?.toString(),
  };

  const values = {
    IDENTITY_PROVEN: String(isProven),
    DEPLOYMENT_ID: deploymentId,
    RUN_ID: runId,
    JOB_ID: jobId,
    IMAGE: image,
    RUN_DIRECTORY: runDirectory,
    OUTCOME: outcome,
    EXIT_CODE: exitCode?.toString(),
  };

  return {
    ...withPrefix(isProven ? 'PULUMI_RUNNER_' : 'PULUMI_RUNNER_CLAIMED_', name),
    ...withPrefix('PULUMI_RUNNER_', values),
  };
}

/** The facts as one line of JSON, for standard input. */
export function hookInput(facts: HookFacts): string {
  const { identity, runDirectory, outcome, exitCode } = facts;
  const name = identity?.proven === true ? { identity } : { claimedIdentity: identity };
  return `${JSON.stringify(defined({ ...wellFormed(facts), ...name, runDirectory, outcome, exitCode }))}\n`;
}

/**
 * The IDs and the image, each only if it is one: no program starts with a NUL or 128 KiB in a
 * variable, and the image is whatever the deployment says.
 */
function wellFormed({ deploymentId, runId, jobId, image }: HookFacts) {
  const id = (text: string) => (ID.test(text) ? text : undefined);
  return defined({
    deploymentId: id(deploymentId),
    runId: id(runId),
    jobId: id(jobId),
    image: image !== undefined && isReference(image) ? image : undefined,
  });
}

function withPrefix(
  prefix: string,
  values: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return setVariables(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value])),
  );
}
