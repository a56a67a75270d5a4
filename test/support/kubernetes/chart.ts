import { parseAllDocuments } from 'yaml';
import { scriptOutput } from '../script.ts';

/** An object of the chart, as far as tests look at it. */
export interface ChartObject {
  readonly kind: string;
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly spec?: { readonly template: { readonly metadata: object; readonly spec: object } };
}

/** The Role that the chart makes. */
export async function chartRules() {
  return (await chartObjects('kind=None')).find(({ kind }) => kind === 'Role')?.rules ?? [];
}

/** What Helm makes of deploy/helm for the release `agents` with these values, each as `key=value`. */
export async function chartObjects(...values: readonly string[]): Promise<ChartObject[]> {
  const set = values.flatMap((value) => ['--set', value]);
  const text = await scriptOutput('helm', ['template', 'agents', 'deploy/helm', '--kube-version', '1.33', ...set]);
  return parseAllDocuments(text).map((document) => document.toJS());
}
