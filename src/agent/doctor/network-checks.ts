import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Redactor } from '../../log/redactor.ts';
import type { Surroundings } from '../configuration.ts';
import { dial } from './dial.ts';
import { type Checked, type Examination, type Finding, reasonOf } from './examination.ts';
import { certificate } from './tls-check.ts';
import { unreachable } from './unreachable.ts';
import { placeOf, type Way, wayTo } from './way.ts';

const spec = { outcome: 'cloud-unreachable', deadlineMs: 10_000 } as const;

export interface NetworkSources {
  readonly config: Checked<AgentConfig>;
  readonly environment: Surroundings['environment'];
  readonly redactor: Redactor;
}

/** The way to Pulumi Cloud, piece by piece; the last piece is returned. Nothing is sent to it. */
export function networkChecks(
  examination: Examination,
  { config, environment, redactor }: NetworkSources,
): Checked<undefined> {
  const way = examination.check({ ...spec, id: 'proxy', title: 'Proxy' }, [config], (_, known) => {
    const found = wayTo(known, environment);
    redactor.add(found.secrets);
    return proxyOf(found);
  });
  const named = examination.check({ ...spec, id: 'dns', title: 'DNS' }, [way], (_, known) => resolved(known));
  const connected = examination.check(
    { ...spec, id: 'connection', title: 'Connection' },
    [way, named],
    (signal, known) => reached(known, signal),
  );
  return examination.check({ ...spec, id: 'tls', title: 'TLS' }, [way, connected], (signal, known) =>
    encrypted(known, signal),
  );
}

function proxyOf(way: Way): Finding<Way> {
  const { proxy, exempted, host, notices } = way;
  const use = proxy === undefined ? undefined : `${proxy.address} (${proxy.variable})`;
  const none = exempted === undefined ? 'none is set for this service' : `none: ${exempted} lists ${host}`;
  if (notices.length > 0) return { status: 'warning', detail: [use ?? none, ...notices].join('. '), value: way };
  return { status: use === undefined ? 'skipped' : 'passed', detail: use ?? none, value: way };
}

async function resolved({ host, proxy }: Way): Promise<Finding<undefined>> {
  const name = proxy === undefined ? host : placeOf(new URL(proxy.address)).host;
  const whose = proxy === undefined ? '' : "the proxy's ";
  if (isIP(name) !== 0) {
    return { status: 'skipped', detail: `${whose}${name} is an address already`, value: undefined };
  }
  try {
    const found = await lookup(name, { all: true });
    const addresses = [...new Set(found.map(({ address }) => address))].slice(0, 6);
    return { status: 'passed', detail: `${whose}${name} is ${addresses.join(', ')}`, value: undefined };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const said = {
      ENOTFOUND: 'there is no such name (ENOTFOUND)',
      EAI_AGAIN: 'the name server gave no answer (EAI_AGAIN)',
    }[code];
    const setting = proxy === undefined ? 'service_url' : proxy.variable;
    const advice = `Correct ${setting}, or this machine's DNS (/etc/resolv.conf).`;
    throw unreachable(`look up ${whose}${name}`, said ?? reasonOf(cause), advice, cause);
  }
}

async function reached(way: Way, signal: AbortSignal): Promise<Finding<undefined>> {
  const { host, port, proxy, service } = way;
  const began = performance.now();
  const socket = await dial(way, signal);
  const ms = Math.round(performance.now() - began);
  const peer = `${socket.remoteAddress ?? host} port ${socket.remotePort ?? port}`;
  socket.destroy();
  const passes = service.protocol === 'https:' ? `connects us to ${host} port ${port}` : 'accepts connections';
  const detail = proxy === undefined ? `${peer} in ${ms} ms` : `${proxy.address} ${passes} in ${ms} ms`;
  return { status: 'passed', detail, value: undefined };
}

async function encrypted(way: Way, signal: AbortSignal): Promise<Finding<undefined>> {
  const { service, host, trust, timeoutMs } = way;
  if (service.protocol !== 'https:' || trust === undefined) {
    return { status: 'skipped', detail: `${service.origin} is not https`, value: undefined };
  }
  const socket = await dial(way, signal);
  try {
    return await certificate(socket, { host, trust, timeoutMs, signal });
  } finally {
    socket.destroy();
  }
}
