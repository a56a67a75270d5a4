import { expect, it } from 'vitest';
import { linkLocalNameServer } from '../../../../src/executor/docker/container/network.ts';

const LOCAL = { name: 'unix:///var/run/docker.sock', socketPath: '/var/run/docker.sock' };
const [OWN, RESOLVED] = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
const METADATA = 'nameserver 169.254.169.254\n';
const reading = (files: Readonly<Record<string, string>>) => async (path: string) => {
  const text = files[path];
  if (text === undefined) throw new Error(`ENOENT: ${path}`);
  return text;
};

it.each<[string, Record<string, string>, string | undefined]>([
  ['Google Cloud’s', { [OWN]: `search x\n${METADATA}` }, '169.254.169.254'],
  ['AWS’s, after another', { [OWN]: 'nameserver 10.0.0.2\nnameserver 169.254.169.253\n' }, '169.254.169.253'],
  [
    'the one behind systemd-resolved’s stub',
    { [OWN]: 'nameserver 127.0.0.53\n', [RESOLVED]: METADATA },
    '169.254.169.254',
  ],
  [
    'absent if its name servers are elsewhere',
    { [OWN]: `# ${METADATA}nameserver 10.0.0.2\n`, [RESOLVED]: METADATA },
    undefined,
  ],
  ['absent if its name servers are unknown', {}, undefined],
])('the host’s link-local name server is %s', async (_, files, expected) => {
  expect(await linkLocalNameServer(LOCAL, reading(files))).toBe(expected);
});

it('a remote engine gets no name server from this machine', async () => {
  const remote = { name: 'tcp://there:2376', host: 'there', port: 2376 };
  expect(await linkLocalNameServer(remote, reading({ [OWN]: METADATA }))).toBeUndefined();
});
