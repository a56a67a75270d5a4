import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { openPrivateNetwork } from './namespace.ts';

const network = openPrivateNetwork();
afterAll(() => network.close());
const run = promisify(execFile);

// Node tries the addresses by turns of their families, so IPv4 in the middle.
const HOSTS = '2001:db8::10 far.test\n192.0.2.10 far.test\n2001:db8::11 far.test\n';

const KUBECONFIG = {
  clusters: [{ name: 'far', cluster: { server: 'http://far.test:8080', 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'far', user: {} }],
  contexts: [{ name: 'far', context: { cluster: 'far', user: 'far' } }],
  'current-context': 'far',
};

// IPv6 drops what it is sent; IPv4 drops the first SYN, which is sent again after a second.
const SCRIPT = `
  mount --bind "$1" /etc/hosts
  ip address add 192.0.2.10/32 dev lo
  for each in 2001:db8::10 2001:db8::11; do ip -6 address add $each/128 dev lo nodad; done
  ip6tables -A INPUT -p tcp --syn -d 2001:db8::/32 -j DROP
  "$2" -e 'require("http").createServer((_, answer) => answer.setHeader("connection", "close").setHeader("content-type", "application/json").end("{\\"items\\":[]}")).listen(8080, "192.0.2.10")' &
  server=$!
  for client in undici kubernetes artifact; do
    iptables -F INPUT
    iptables -A INPUT -p tcp --syn -d 192.0.2.10 -m statistic --mode nth --every 2 --packet 0 -j DROP
    "$2" "$3" http://far.test:8080 "$4" $client
  done
  kill $server`;

it('every client reaches a name with IPv4 and IPv6 behind a slow handshake, where IPv6 leads nowhere', async () => {
  const folder = await temporaryDirectory();
  const [hosts, kubeconfig] = [join(folder, 'hosts'), join(folder, 'kubeconfig')];
  await writeFile(hosts, HOSTS);
  await writeFile(kubeconfig, JSON.stringify(KUBECONFIG));
  const program = fileURLToPath(new URL('./far-clients.ts', import.meta.url));
  const command = [
    'ip',
    'netns',
    'exec',
    network.name,
    'sh',
    '-c',
    SCRIPT,
    'sh',
    hosts,
    process.execPath,
    program,
    kubeconfig,
  ];
  // `ip netns exec` gives it a mount namespace of its own.
  const { stdout } = await run(command[0] ?? '', command.slice(1), { timeout: 110_000 });
  // With Node's own time, each fails: the network is as slow as the test needs it.
  const expected = ['undici', 'kubernetes', 'artifact'].map((client) => `${client}: answered, not answered`);
  expect(stdout.trim().split('\n')).toEqual(expected);
}, 120_000);
