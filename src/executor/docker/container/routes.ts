import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { addressNumber } from '../../../base/config/kinds.ts';
import type { DockerEngine } from '../engine/engine.ts';

/** The kernel's IPv4 routes of this process's network. */
const ROUTES = '/proc/net/route';

/** The addresses of a route or network, from `first` to `last` as numbers. */
interface Block {
  /** `10.0.0.0/8`. */
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/**
 * The routes of this machine that a block of IPv4 addresses overlaps, as `10.0.0.0/8 (eth0)`, but
 * for those of the engine's own networks, which it keeps apart itself. Undefined where the engine can
 * be on another machine, or this one shows no routes. Throws as `Engine.call` does.
 */
export async function overlappedRoutes(
  engine: DockerEngine,
  subnet: string,
  signal: AbortSignal,
  read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8'),
): Promise<readonly string[] | undefined> {
  if (engine.endpoint.socketPath === undefined) return undefined;
  const table = await read(ROUTES).catch(() => undefined);
  if (table === undefined) return undefined;

  const networks = await engine.call((docker) => docker.listNetworks({ abortSignal: signal }), { signal });
  const subnets = new Set(
    networks.flatMap(({ IPAM: ipam }) => (ipam?.Config ?? []).map((each) => each.Subnet)),
  );
  const block = blockOf(subnet);

  return readRoutes(table)
    .filter(({ text }) => !subnets.has(text))
    .filter(({ first, last }) => first <= block.last && last >= block.first)
    .map(({ text, device }) => `${text} (${device})`);
}

/** The routes in the kernel's table but for the default one. */
function readRoutes(table: string): readonly (Block & { readonly device: string })[] {
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length > 7 && fields[7] !== '00000000')
    .map(([device = '', destination = '', , , , , , mask = '']) => {
      const bits = address(mask).toString(2).replaceAll('0', '').length;
      return { device, ...blockOf(`${dotted(address(destination))}/${bits}`) };
    });
}

/** An address of the kernel's table, which shows its bytes as a number of this machine. */
function address(hexadecimal: string): number {
  const bytes = Buffer.from(hexadecimal, 'hex');
  return endianness() === 'LE' ? bytes.readUInt32LE() : bytes.readUInt32BE();
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
}

function blockOf(text: string): Block {
  const [base = '', bits] = text.split('/');
  const first = addressNumber(base);
  return { text, first, last: first + 2 ** (32 - Number(bits)) - 1 };
}
