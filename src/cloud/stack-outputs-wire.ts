import { z } from 'zod';

/** The key by which Pulumi marks values that JSON has no form for: secrets, assets, archives, references (its SDK, sig). */
export const SIGNATURE = '4dabf18193072939515e22adb298388d';

/** A stack's outputs by name, each as the stack's state has it. Without a copy, as a name such as __proto__ is valid. */
export type OutputValues = Readonly<Record<string, unknown>>;

const values = z.custom<OutputValues>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** `StackOutputsResponse`: nothing that is pending or unknown has values. */
export const outputsSchema = z.object({
  outputs: values.nullish().transform((given) => given ?? {}),
  unknown: z.boolean().optional(),
  state: z.string().optional(),
});

const exportSchema = z.object({
  deployment: z.object({ resources: z.array(z.unknown()).nullish() }),
});
const rootSchema = z.object({ type: z.literal('pulumi:pulumi:Stack'), outputs: values.nullish() });

/** The outputs in a stack's exported state, of its root resource; undefined if the answer is no such state. */
export function outputsInExport(json: unknown): OutputValues | undefined {
  const { data } = exportSchema.safeParse(json);
  if (data === undefined) return undefined;
  const root = data.deployment.resources?.find((resource) => rootSchema.safeParse(resource).success);
  return rootSchema.safeParse(root).data?.outputs ?? {};
}
