import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { NEVER } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import { messageOf } from '../base/outcome.ts';
import { removeObject } from '../executor/docker/container/removal.ts';
import { DockerEngine, type EngineCalls } from '../executor/docker/engine/engine.ts';
import { refusedWith } from '../executor/docker/engine/errors.ts';
import { jsonLines } from '../executor/docker/engine/streams.ts';

/** Before a broken event stream is reopened, and between checks of an ending container. */
const RETRY_MS = 500;
const REMOVE_MS = 15_000;

/** Signals every process of a container but process 1, whose exit would end all others. */
const INTERRUPT = 'kill -s INT -- -1';

interface NamedContainer {
  readonly id: string;
  readonly name: string;
}

export interface JobContainer extends NamedContainer {
  readonly image: string;
}

export interface JobContainersOptions {
  readonly engine: EngineCalls;
  /** True if a container's variables, command or mounts show that the run made it. */
  readonly isOurs: (description: string) => boolean;
  /** Called once for each container of the run. */
  readonly onFound: (container: JobContainer) => void;
  readonly signal: AbortSignal;
}

/**
 * Finds the containers that another program makes for the run: those of the engine's that are
 * provably the run's.
 */
export class JobContainers {
  readonly #options: JobContainersOptions;
  readonly #containers = new Map<string, JobContainer>();
  #startCount = 0;

  constructor(options: JobContainersOptions) {
    this.#options = options;
  }

  /** How many containers, the run's or not, were started on the engine since `watch` began. */
  get startCount(): number {
    return this.#startCount;
  }

  /** Watches for container starts until the signal aborts. Never rejects. */
  async watch(): Promise<void> {
    const { engine, signal } = this.#options;
    for (
      let since = Math.floor(Date.now() / 1000);
      !signal.aborted;
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined)
    ) {
      try {
        const filters = { type: ['container' as const], event: ['start'] };
        const from = since;

        const stream = await engine.call(
          (docker) => docker.getEvents({ since: from, filters, abortSignal: signal }),
          {
            signal,
          },
        );

        for await (const event of jsonLines(stream as Readable)) {
          since = Math.floor(Date.now() / 1000);
          // The field `id` is deprecated and not sent since API 1.52.
          const { Actor: actor } = event as { readonly Actor?: { readonly ID?: unknown } };
          if (typeof actor?.ID === 'string') await this.#started(actor.ID);
        }
      } catch {
        // The engine is briefly away; the next stream replays what it started meanwhile.
      }
    }
  }

  /**
   * Ends the containers that the run left: interrupts their processes, waits up to `graceMs`
   * milliseconds or until `skipGrace` aborts, and removes them. Returns a sentence for each container
   * that still existed. Never rejects.
   */
  async end(graceMs: number, skipGrace: AbortSignal): Promise<string[]> {
    const { engine } = this.#options;
    await this.#findUnwatched();
    const lines = await Promise.all(
      [...this.#containers.values()].map((container) => endContainer(engine, container, graceMs, skipGrace)),
    );
    return lines.filter((line) => line !== undefined);
  }

  async #started(id: string): Promise<void> {
    await this.#inspect(id, this.#options.signal);
    this.#startCount += 1;
  }

  /**
   * Finds what the agent's end left unstarted, and what was started in that moment. Never rejects.
   */
  async #findUnwatched(): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(REMOVE_MS)]);
    const all = await this.#options.engine
      .call((docker) => docker.listContainers({ all: true }), { signal })
      .catch(() => []);
    for (const { Id: id } of all) if (!this.#containers.has(id)) await this.#inspect(id, signal);
  }

  async #inspect(id: string, signal: AbortSignal): Promise<void> {
    const details = await this.#options.engine
      .call((docker) => docker.getContainer(id).inspect(), { signal })
      .catch(() => undefined);

    // It is gone, or the engine doesn't answer.
    if (details === undefined) return;

    // An engine may leave out what is empty, or say null, whatever the types promise.
    const { Config, Mounts } = details;
    const sources = (Mounts ?? []).map(({ Source }) => Source ?? '');
    const texts = [...(Config.Env ?? []), ...(Config.Cmd ?? []), ...sources];
    if (!this.#options.isOurs(texts.join('\n')) || this.#containers.has(details.Id)) return;

    const container = { id: details.Id, name: details.Name.replace(/^\//, ''), image: Config.Image };
    this.#containers.set(details.Id, container);
    this.#options.onFound(container);
  }
}

/** Like `JobContainers.end`, for a run whose agent and own process are both dead. */
export async function endOrphanedContainers(
  environment: Environment,
  containers: readonly NamedContainer[],
  graceMs: number,
): Promise<string[]> {
  const engine = new DockerEngine(environment);
  try {
    const lines = await Promise.all(
      containers.map((container) => endContainer(engine, container, graceMs, NEVER)),
    );
    return lines.filter((line) => line !== undefined);
  } finally {
    engine.close();
  }
}

async function endContainer(
  engine: EngineCalls,
  { id, name }: NamedContainer,
  graceMs: number,
  skipGrace: AbortSignal,
): Promise<string | undefined> {
  const end = performance.now() + graceMs;
  const signal = AbortSignal.timeout(Math.ceil(graceMs) + REMOVE_MS);
  const waiting = { signal: AbortSignal.any([signal, skipGrace]) };
  const shown = `container ${name} (${id.slice(0, 12)}), which Pulumi's agent left behind`;

  try {
    const ran = await runs(engine, id, signal);
    if (ran) await interrupt(engine, id, signal).catch(() => undefined);
    while (performance.now() < end && !skipGrace.aborted && (await runs(engine, id, signal)))
      await delay(RETRY_MS, undefined, waiting).catch(() => undefined);
    // A container made with --rm removes itself once it has ended.
    const removed = await removeObject(engine, 'container', id, REMOVE_MS);
    return ran || removed ? `Ended and removed ${shown}.` : undefined;
  } catch (error) {
    return `Failed to remove ${shown}: ${messageOf(error)}. Remove it by hand: docker rm -f ${id.slice(0, 12)}.`;
  }
}

/** False also for a container that is gone. */
async function runs(engine: EngineCalls, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { State } = await engine.call((docker) => docker.getContainer(id).inspect(), { signal });
    return State.Running;
  } catch (error) {
    if (refusedWith(error, 404)) return false;
    throw error;
  }
}

async function interrupt(engine: EngineCalls, id: string, signal: AbortSignal): Promise<void> {
  await engine.call(
    async (docker) => {
      const container = docker.getContainer(id);
      const { PidMode = '' } = (await container.inspect()).HostConfig;
      // Signaling every process would reach the host's too, or another container's.
      if (!['', 'private'].includes(PidMode)) return void (await container.kill({ signal: 'SIGINT' }));
      const exec = await container.exec({ Cmd: ['/bin/sh', '-c', INTERRUPT] });
      await exec.start({ Detach: true });
    },
    { signal },
  );
}
