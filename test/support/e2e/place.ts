import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Where the jobs of these tests run: E2E_TARGET is `docker` unless it says `kubernetes`. */
export interface Place {
  readonly name: 'docker' | 'kubernetes';
  /** The action's inputs that have jobs run there. */
  readonly inputs: Readonly<Record<string, string>>;
  /** IDs of what a workflow run's agents made and what is still there. */
  objects(label: string): string[];
  /** Everything that the place shows of such objects. */
  inspect(label: string): string;
}

const DOCKER: Place = {
  name: 'docker',
  inputs: { 'pull-image': 'false' },
  objects: (label) => {
    const list = (...words: string[]) => linesOf('docker', [...words, '--filter', `label=${label}`]);
    return [...list('ps', '-aq'), ...list('network', 'ls', '-q'), ...list('volume', 'ls', '-q')];
  },
  inspect: (label) => execFileSync('docker', ['inspect', ...DOCKER.objects(label)], { encoding: 'utf8' }),
};

/** Where objects of ours name themselves. */
const MANAGER = 'metadata.labels.app\\.kubernetes\\.io/managed-by';
const SCRIPTS = join(import.meta.dirname, '../../../scripts');

function linesOf(program: string, words: readonly string[]): string[] {
  return execFileSync(program, words, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })
    .split('\n')
    .filter((line) => line !== '');
}

/** The tests' own cluster; the images are on its node. */
function kubernetes(): Place {
  const kubeconfig = linesOf(join(SCRIPTS, 'kubernetes'), ['up']).at(-1) ?? '';
  const programs = linesOf(join(SCRIPTS, 'kubernetes-programs'), ['--path'])[0] ?? '';
  const kubectl = (...words: string[]) => linesOf(join(programs, 'kubectl'), ['--kubeconfig', kubeconfig, ...words]);
  const found = (label: string) => {
    // The annotation has the whole value: a label may hold a digest of it.
    const [key = '', value = ''] = label.split(/=(.*)/s);
    const fields = ['kind', 'metadata.name', `metadata.annotations.${key.replaceAll('.', '\\.')}`, MANAGER];
    const columns = `custom-columns=${fields.map((field) => `:${field}`).join(',')}`;
    const rows = kubectl('get', 'pods,secrets,podtemplates,configmaps', '--no-headers', '--output', columns);
    return rows.flatMap((row) => {
      const [kind = '', name = '', marked, manager] = row.split(/\s+/);
      // No job has one of its own: none that is like ours may be there, whatever it says of its run.
      const isStray = kind === 'ConfigMap' && (manager === 'pulumi-runner-agent' || name.startsWith('pulumi-workflow'));
      return marked === value || isStray ? [`${kind}/${name}`] : [];
    });
  };
  return {
    name: 'kubernetes',
    inputs: { 'deploy-target': 'kubernetes', kubeconfig, namespace: 'default' },
    objects: found,
    inspect: (label) =>
      found(label)
        .flatMap((object) => [...kubectl('get', object, '--output', 'yaml'), ...kubectl('describe', object)])
        .join('\n'),
  };
}

/** Where the jobs of this process's tests run. */
export const PLACE: Place = process.env['E2E_TARGET'] === 'kubernetes' ? kubernetes() : DOCKER;
