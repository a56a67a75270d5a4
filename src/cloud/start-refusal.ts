import { OutcomeError } from '../outcome.ts';
import { AuthError, CloudUnreachableError } from './errors.ts';
import type { CloudAnswer } from './http.ts';
import type { Stack } from './organization-wire.ts';
import { refusal } from './refusal.ts';

/** What a refusal to start a deployment means, by Pulumi's OpenAPI document where it says so, and what to do. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: "Check the stack's settings under Settings → Deploy in Pulumi Cloud: they must be there, and name a pool that exists.",
  402: 'It needs another edition of Pulumi Cloud: remediate-drift, for one, needs Business Critical.',
  403: "Check that the access token may deploy the stack; a pool's token may not.",
  404: 'Check the names of organization, project and stack, that the stack exists, and that the access token may see it.',
  409: "Check whether the stack's or the organization's deployments are paused, and resume them in Pulumi Cloud.",
  422: "Check the stack's settings under Settings → Deploy in Pulumi Cloud, and that they suit the operation.",
};

/** The error for an answer that is no start of a deployment. */
export function startRefusal(stack: Stack, operation: string, answer: CloudAnswer): OutcomeError {
  const { organization, project, stack: name } = stack;
  const failed = `Failed to start ${operation} for ${organization}/${project}/${name}: ${refusal(answer)}.`;
  const meaning = MEANINGS[answer.status];
  if (meaning === undefined)
    return new CloudUnreachableError(`${failed} Check that the service URL is Pulumi Cloud's API.`);
  const message = `${failed} ${meaning}`;
  if (answer.status === 402 || answer.status === 403) return new AuthError(message);
  return new OutcomeError(answer.status === 409 ? 'failed' : 'config-error', message);
}
