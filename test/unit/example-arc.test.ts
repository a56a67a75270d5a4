import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { read, snippetsOf, yamlOf } from '../support/documents/pages.ts';

const page = read('docs/kubernetes/arc.md');
const chart = parse(read('deploy/helm/values.yaml'));
const scaleSet = parse(read('examples/arc/values.yaml'));
const rights = parse(read('examples/arc/rights.yaml'));
const workflow = parse(read('examples/arc/deploy.yml'));
const objects = parseAllDocuments(read('examples/arc/cluster.yaml')).map((one) => one.toJS());
const commands = snippetsOf(page, 'sh')
  .join('')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n');

const [RUNNERS, JOBS] = ['arc-pulumi', 'pulumi-jobs'];

/** The objects of a kind. */
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);

it('the files of examples/arc name the same namespaces, and the accounts that the chart makes', () => {
  expect(ofKind('Namespace').map(({ metadata }) => metadata.name)).toEqual([RUNNERS, JOBS]);
  const placed = objects.filter(({ kind }) => kind !== 'Namespace');
  expect(new Set(placed.map(({ metadata }) => metadata.namespace))).toEqual(new Set([RUNNERS, JOBS]));
  expect(rights).toEqual({ kind: 'None', jobs: { namespace: JOBS } });
  const account = chart.serviceAccount.name;
  expect(scaleSet.template.spec.serviceAccountName).toBe(account);
  expect(ofKind('RoleBinding').flatMap(({ subjects }) => subjects)).toEqual([
    { kind: 'ServiceAccount', name: account, namespace: RUNNERS },
  ]);
  expect(workflow.jobs.deploy.steps.at(-1).with).toMatchObject({
    'deploy-target': 'kubernetes',
    namespace: JOBS,
    'service-account': chart.jobs.serviceAccount.name,
  });
});

it('the commands of the page for Actions Runner Controller use these files, in the namespaces and under the names of the files', () => {
  const used = commands.flatMap((command) => command.match(/\b[\w-]+\.yaml\b/g) ?? []);
  expect(used).toEqual(['cluster.yaml', 'rights.yaml', 'values.yaml']);
  const installed = commands.flatMap(
    (command) => /^helm upgrade --install (\S+) (?:\S+ )?-n (\S+)/.exec(command)?.slice(1, 3).join() ?? [],
  );
  expect(installed).toEqual([
    `pulumi-runner,${RUNNERS}`,
    'arc,arc-systems',
    `${workflow.jobs.deploy['runs-on']},${RUNNERS}`,
  ]);
  expect(commands.join('\n')).toContain(
    `create secret generic ${scaleSet.githubConfigSecret} -n ${RUNNERS} `,
  );
  expect(page).toContain(`with the name \`${scaleSet.runnerGroup}\``);
});

it('the files of examples/arc need no privileged container, and block the metadata service as the page on identities does', () => {
  expect(scaleSet).not.toHaveProperty('containerMode');
  const [shown] = yamlOf(read('docs/kubernetes/identity.md'))
    .map((text) => parse(text))
    .filter(({ kind }) => kind === 'NetworkPolicy');
  const policies = ofKind('NetworkPolicy');
  expect(policies.find(({ metadata }) => metadata.namespace === JOBS)).toMatchObject(shown);
  expect(policies.find(({ metadata }) => metadata.namespace === RUNNERS)?.spec).toEqual({
    ...shown.spec,
    podSelector: {},
  });
});
