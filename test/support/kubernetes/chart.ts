import { parseAllDocuments } from 'yaml';
import { scriptOutput } from '../script.ts';
import type { Rule } from './cluster.ts';

/** The rules of the Role that Helm renders from deploy/helm. */
export async function chartRules(): Promise<readonly Rule[]> {
  const words = ['template', 'agents', 'deploy/helm', '--kube-version', '1.33', '--set', 'kind=None'];
  const objects = parseAllDocuments(await scriptOutput('helm', words)).map((document) => document.toJS());
  return objects.find(({ kind }) => kind === 'Role')?.rules ?? [];
}
