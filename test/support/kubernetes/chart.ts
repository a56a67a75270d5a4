import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { programPath } from '../script.ts';
import type { Rule } from './cluster.ts';

/** The rules of the Role that Helm renders from deploy/helm. */
export async function chartRules(): Promise<readonly Rule[]> {
  const words = ['template', 'agents', 'deploy/helm', '--kube-version', '1.33', '--set', 'kind=None'];
  const { stdout } = await promisify(execFile)(await programPath('helm'), words);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  return objects.find(({ kind }) => kind === 'Role')?.rules ?? [];
}
