import { complaints, type JobDefinition, jobDefinitionSchema } from '../../cloud/wire.ts';
import { OutcomeError } from '../../outcome.ts';

/**
 * A job definition from the text of a file, in the shape in which Pulumi Cloud sends it (protocol section 3), with the steps
 * from `from` to `to` alone. Throws OutcomeError `config-error` that names every field at fault, never a value.
 */
export function readJob(
  text: string,
  { from = 1, to }: { readonly from?: number; readonly to?: number },
): JobDefinition {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    // The parser's own message quotes the text, which may hold a secret.
    throw refused(text.trim() === '' ? 'it is empty' : 'it is not JSON', cause);
  }
  const parsed = jobDefinitionSchema.safeParse(json);
  if (!parsed.success) throw refused(complaints(parsed.error), parsed.error);
  const [own, ...steps] = parsed.data.steps;
  if (own === undefined) throw refused('it has no steps');
  const last = to ?? steps.length;
  if (from > Math.max(1, steps.length) || last > steps.length || last < from - 1) {
    throw refused(`there are no steps ${from} to ${last}: the last one is ${steps.length}`);
  }
  return { ...parsed.data, steps: [own, ...steps.slice(from - 1, last)] };
}

function refused(reason: string, cause?: unknown): OutcomeError {
  const advice =
    'Give a job such as {"image":{"reference":"…"},"env":{},"steps":[{"name":"Setup"},{"name":"…","run":"…"}]}.';
  return new OutcomeError('config-error', `Failed to read the job for debug workflow-runner: ${reason}. ${advice}`, {
    cause,
  });
}
