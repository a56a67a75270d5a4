import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Where the jobs of these tests run: Docker, or Kubernetes if E2E_TARGET is `kubernetes`. */
export interface Place {
  readonly name: 'docker' | 'kubernetes';
  /** The action's inputs that make jobs run there. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Names the objects that a workflow run's agents made and that still exist. */
  objects(label: string): string[];
  /** Everything that the place shows about these objects. */
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

/** The label that marks our objects. */
const MANAGER = 'metadata.labels.app\\.kubernetes\\.io/managed-by';
const SCRIPTS = join(import.meta.dirname, '../../../scripts');

function linesOf(program: string, words: readonly string[]): string[] {
  return execFileSync(program, words, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })
    .split('\n')
    .filter((line) => line !== '');
}

/** The tests' own cluster, with the images on its node. */
function kubernetes(): Place {
  const kubeconfig = linesOf(join(SCRIPTS, 'kubernetes'), ['up']).at(-1) ?? '';
  const programs = linesOf(join(SCRIPTS, 'kubernetes'), ['programs'])[0] ?? '';
  const kubectl = (...words: string[]) =>
    linesOf(join(programs, 'kubectl'), ['--kubeconfig', kubeconfig, ...words]);
  const found = (label: string) => {
    // The annotation holds the whole value; a label may hold only its digest.
    const [key = '', value = ''] = label.split(/=(.*)/s);
    const fields = ['kind', 'metadata.name', `metadata.annotations.${key.replaceAll('.', '\\.')}`, MANAGER];
    const columns = `custom-columns=${fields.map((field) => `:${field}`).join(',')}`;
    const rows = kubectl('get', 'pods,secrets,podtemplates,configmaps', '--no-headers', '--output', columns);
    return rows.flatMap((row) => {
      const [kind = '', name = '', marked, manager] = row.split(/\s+/);
      // Our jobs make no ConfigMap, so one that looks like ours is a stray, whatever run it names.
      const isStray =
        kind === 'ConfigMap' && (manager === 'pulumi-runner-agent' || name.startsWith('pulumi-workflow'));
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
