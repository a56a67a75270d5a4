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
  ['one of AWS’s, behind another', { [OWN]: 'nameserver 10.0.0.2\nnameserver 169.254.169.253\n' }, '169.254.169.253'],
  [
    'that of systemd-resolved behind its stub',
    { [OWN]: 'nameserver 127.0.0.53\n', [RESOLVED]: METADATA },
    '169.254.169.254',
  ],
  ['elsewhere', { [OWN]: `# ${METADATA}nameserver 10.0.0.2\n`, [RESOLVED]: METADATA }, undefined],
  ['unknown', {}, undefined],
])('the name server of the host is %s', async (_, files, expected) => {
  expect(await linkLocalNameServer(LOCAL, reading(files))).toBe(expected);
});

it('the name server is not this machine’s where the engine is elsewhere', async () => {
  const remote = { name: 'tcp://there:2376', host: 'there', port: 2376 };
  expect(await linkLocalNameServer(remote, reading({ [OWN]: METADATA }))).toBeUndefined();
});
