import { setTimeout as sleep } from 'node:timers/promises';
import { NEVER } from '../deadline.ts';
import { ContainerError } from '../executor.ts';
import type { Engine } from './engine.ts';
import { EngineRefusedError, refusedWith, textOf } from './errors.ts';

/** Milliseconds; the engine runs a dozen iptables programs for it, one at a time for all networks. */
const CREATE_MS = 120_000;
/** Milliseconds between two tries to remove a network that a container is still leaving. */
const RETRY_MS = 200;
/** Tries to find an unused part of SPARE_RANGE. */
const SPARE_TRIES = 20;

/**
 * 198.19.0.0/17 in parts of 16 addresses: 2,048 networks. It is half of what RFC 2544 sets aside for measuring devices, which the
 * Internet doesn't route; the other halves are in use by software that made itself at home there.
 */
const SPARE_RANGE = { first: [198, 19], parts: 2_048 } as const;

/**
 * Makes a bridge network for one container, so that no other job reaches it. An engine's own pools hold about 30 networks; once
 * they are used up, the network is made of addresses that hardly anybody uses, so that a forty-first job on a host doesn't fail.
 * Those are not the first choice, because only for its own pools does an engine make sure that the host has no route there.
 * Throws ContainerError. A network whose creation was never answered may be there none the less.
 */
export async function makeNetwork(
  engine: Engine,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await create(engine, name, labels);
  } catch (error) {
    if (!isExhausted(error)) throw failure(error);
    await createOfSpareRange(engine, name, labels, error);
  }
}

/**
 * Removes a network and waits until it is gone; the container on it must have been removed. True when it was there. Throws
 * ContainerError when it is still there after `ms` milliseconds.
 */
export async function removeNetwork(engine: Engine, network: string, { ms }: { ms: number }): Promise<boolean> {
  for (const end = performance.now() + ms; ; await sleep(RETRY_MS)) {
    try {
      await engine.call((docker, abortSignal) => docker.getNetwork(network).remove({ abortSignal }), {
        signal: NEVER,
      });
      return true;
    } catch (error) {
      if (refusedWith(error, 404)) return false;
      // 403 and 409: a container is still leaving it.
      const passing = !(error instanceof EngineRefusedError) || error.status >= 500 || refusedWith(error, 403, 409);
      if (passing && performance.now() + RETRY_MS < end) continue;
      throw new ContainerError(
        `Failed to remove network ${network} for the job: ${textOf(error)}. Remove it by hand: docker network rm ${network}.`,
        { cause: error },
      );
    }
  }
}

async function create(
  engine: Engine,
  name: string,
  labels: Readonly<Record<string, string>>,
  subnet?: string,
): Promise<void> {
  const options = {
    Name: name,
    Driver: 'bridge',
    // Said, because an engine's own default may be another: the metadata service has an IPv6 address too.
    EnableIPv6: false,
    Labels: { ...labels },
    ...(subnet === undefined ? {} : { IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } }),
  };
  // Not aborted half-way: only an answer tells what is there to be removed.
  await engine.call((docker, abortSignal) => docker.createNetwork({ ...options, abortSignal }), {
    signal: NEVER,
    ms: CREATE_MS,
  });
}

async function createOfSpareRange(
  engine: Engine,
  name: string,
  labels: Readonly<Record<string, string>>,
  exhausted: unknown,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await create(engine, name, labels, spareSubnet(Math.floor(Math.random() * SPARE_RANGE.parts)));
      return;
    } catch (error) {
      if (!isTaken(error)) throw failure(error);
      if (tries === SPARE_TRIES) throw failure(exhausted);
    }
  }
}

/** The part of SPARE_RANGE with the number `part`. */
function spareSubnet(part: number): string {
  return `${SPARE_RANGE.first.join('.')}.${part >> 4}.${(part & 15) << 4}/28`;
}

/** Docker's words since 1.10 (libnetwork/ipamutils), and those of version 28. */
function isExhausted(error: unknown): boolean {
  return error instanceof EngineRefusedError && /available, non-overlapping|fully subnetted/i.test(error.message);
}

function isTaken(error: unknown): boolean {
  return error instanceof EngineRefusedError && /overlap/i.test(error.message);
}

function failure(error: unknown): unknown {
  if (!(error instanceof EngineRefusedError)) return error;
  const cause = textOf(error);
  const message = `Failed to make a network for the job: ${cause}. Remove networks that nobody uses, or set container_network to one that is there.`;
  return new ContainerError(message, { cause: error });
}
