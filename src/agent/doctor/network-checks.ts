import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Redactor } from '../../log/redactor.ts';
import type { ConnectError } from '../../network/failure.ts';
import { tunnel } from '../../network/tunnel.ts';
import { findWay, type Way } from '../../network/way.ts';
import { OutcomeError } from '../../outcome.ts';
import type { Surroundings } from '../configuration.ts';
import { type Checked, type Examination, type Finding, reasonOf } from './examination.ts';
import { certificateCheck } from './tls-check.ts';

const spec = { outcome: 'cloud-unreachable', deadlineMs: 10_000 } as const;
/** Milliseconds; shorter than a check's deadline, so that the sentence names what didn't answer. */
const ANSWER_MS = 8_000;

export interface NetworkSources {
  readonly config: Checked<AgentConfig>;
  readonly environment: Surroundings['environment'];
  readonly redactor: Redactor;
}

/** The way to Pulumi Cloud that the agent takes, and its pieces one by one: `reached` is the last. Nothing is sent to it. */
export function networkChecks(examination: Examination, { config, environment, redactor }: NetworkSources) {
  const way = examination.check<Way, [Checked<AgentConfig>]>(
    { ...spec, id: 'proxy', title: 'Proxy' },
    [config],
    (_, { serviceUrl, caCertificate, requestTimeoutMs }) => {
      const connectTimeoutMs = Math.min(ANSWER_MS, requestTimeoutMs);
      const found = findWay({ serviceUrl, connectTimeoutMs, caCertificate, environment });
      redactor.add(found.secrets);
      return proxyOf(found);
    },
  );
  const named = examination.check({ ...spec, id: 'dns', title: 'DNS' }, [way], (_, known) => resolved(known));
  const connected = examination.check(
    { ...spec, id: 'connection', title: 'Connection' },
    [way, named],
    (signal, known) => connection(known, signal),
  );
  const reached = examination.check({ ...spec, id: 'tls', title: 'TLS' }, [way, connected], async (signal, known) => {
    const { service } = known;
    if (service.protocol !== 'https:') return { status: 'skipped', detail: `${service.origin} is not https` };
    return certificateCheck(known, await dial(known, signal), signal);
  });
  return { way, reached };
}

function proxyOf(way: Way): Finding<Way> {
  const { proxy, exempted, service, notices } = way;
  const use = proxy === undefined ? undefined : `${proxy.address} (${proxy.variable})`;
  const none = exempted === undefined ? 'none is set for this service' : `none: ${exempted} lists ${service.hostname}`;
  if (notices.length > 0) return { status: 'warning', detail: [use ?? none, ...notices].join('. '), value: way };
  return { status: use === undefined ? 'skipped' : 'passed', detail: use ?? none, value: way };
}

async function resolved(way: Way): Promise<Finding> {
  const { proxy } = way;
  const { host } = firstHop(way);
  const name = proxy === undefined ? host : `the proxy's ${host}`;
  if (isIP(host) !== 0) return { status: 'skipped', detail: `${name} is an address already` };
  try {
    const found = await lookup(host, { all: true });
    const addresses = [...new Set(found.map(({ address }) => address))].slice(0, 6);
    return { status: 'passed', detail: `${name} is ${addresses.join(', ')}` };
  } catch (cause) {
    const advice = `Correct ${proxy?.variable ?? 'service_url'}, or this machine's DNS (/etc/resolv.conf).`;
    const message = `Failed to look up ${name} for Pulumi Cloud: ${reasonWith(cause)}. ${advice}`;
    throw new OutcomeError('cloud-unreachable', message, { cause });
  }
}

async function connection(way: Way, signal: AbortSignal): Promise<Finding> {
  const { proxy, service } = way;
  const began = performance.now();
  const socket = await dial(way, signal);
  const ms = Math.round(performance.now() - began);
  const peer = `${socket.remoteAddress} port ${socket.remotePort}`;
  socket.destroy();
  const passes = service.protocol === 'https:' ? `connects us to ${service.host}` : 'accepts connections';
  const detail = proxy === undefined ? `${peer} in ${ms} ms` : `${proxy.address} ${passes} in ${ms} ms`;
  return { status: 'passed', detail };
}

/** A connection on which the service answers next; for plain http through a proxy, up to the proxy. The caller destroys it. */
async function dial(way: Way, signal: AbortSignal): Promise<Socket> {
  const { proxy, service, timeoutMs } = way;
  if (proxy !== undefined && service.protocol === 'https:') {
    return tunnel({ ...way, proxy, signal }).catch((cause: ConnectError) => {
      const message = `Failed to get through the proxy for Pulumi Cloud: ${cause.message}.`;
      throw new OutcomeError('cloud-unreachable', message, { cause });
    });
  }
  const { host, port } = firstHop(way);
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
    // Its readers learn of its end there.
    return socket.on('error', () => undefined);
  } catch (cause) {
    socket.on('error', () => undefined).destroy();
    const advice =
      proxy === undefined
        ? "Check service_url, and that this network's firewall lets the agent out; where a proxy leads out, set HTTPS_PROXY."
        : `Check that the proxy runs and that ${proxy.variable} names it.`;
    const message = `Failed to connect to ${host} port ${port} for Pulumi Cloud: ${reasonWith(cause)}. ${advice}`;
    throw new OutcomeError('cloud-unreachable', message, { cause });
  }
}

/** Where the first connection leads: to the service or its proxy. */
function firstHop({ service, proxy }: Way): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = proxy === undefined ? service : new URL(proxy.address);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such name',
  EAI_AGAIN: 'the name server gave no answer',
  ECONNREFUSED: 'nothing accepts connections there',
  ABORT_ERR: 'the host does not answer',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'no route leads there',
  ENETUNREACH: 'no route leads there',
};

function reasonWith(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = REASONS[code];
  return words === undefined ? reasonOf(error) : `${words} (${code.replace('ABORT_ERR', 'ETIMEDOUT')})`;
}
