import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { PollTimes } from './polls.ts';
import { proportionalMb, residentMb, tickedCpuMs } from './resources.ts';
import { endedWith, type Scene, type SceneAgent } from './scene.ts';

/** Agents that are started together: their starts take all of the machine, and each has a deadline. */
const TOGETHER = 6;
const START_MS = 60_000;
/** Milliseconds that all of them are looked at while there is no work. */
export const WAITING_MS = 5_000;
/** What an agent may need at most, for what this machine must have free. */
const AGENT_MB = 120;

/** Throws where this machine can't hold so many: a bench that swaps or runs out of files measures that. */
export function assertRoomFor(agents: number): void {
  const free = process.availableMemory() / 1024 ** 2;
  if (free < agents * AGENT_MB) {
    throw new Error(
      `Failed to measure ${agents} agents on this machine: ${free.toFixed(0)} MB of memory are free, and ${agents * AGENT_MB} may be needed. Give --samples for fewer agents.`,
    );
  }
  const limit = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '';
  // Two connections each, and some for everything else.
  const needed = agents * 2 + 100;
  if (Number(limit) < needed) {
    throw new Error(
      `Failed to measure ${agents} agents on this machine: this process may open ${limit} files, and needs ${needed}. Raise ulimit -n.`,
    );
  }
}

interface Start {
  readonly dist: string;
  readonly intervalMs: number;
  readonly count: number;
  readonly polls: PollTimes;
  readonly progress: (line: string) => void;
}

/** Starts the agents, a few at a time, until each has polled. */
export async function startAll(
  scene: Scene,
  { dist, intervalMs, count, polls, progress }: Start,
): Promise<SceneAgent[]> {
  const home = await scene.folder('home');
  // What the first one compiled is what the others find, as on a self-hosted runner.
  await endedWith('no-work', await scene.startAgent(dist, home, { MAX_WAIT: '0s' }));
  const before = polls.pollers;
  const agents: SceneAgent[] = [];
  const from = performance.now();
  while (agents.length < count) {
    for (let more = Math.min(TOGETHER, count - agents.length); more > 0; more -= 1) {
      agents.push(await scene.startAgent(dist, home, { POLLING_INTERVAL: `${intervalMs}ms`, MAX_WAIT: '30m' }));
    }
    const deadline = performance.now() + START_MS;
    while (polls.pollers - before < agents.length) {
      if (performance.now() > deadline) throw new Error(`of ${agents.length} agents ${polls.pollers - before} polled`);
      await delay(20);
    }
  }
  progress(`${count} agents started in ${((performance.now() - from) / 1000).toFixed(0)} s`);
  return agents;
}

interface Memory {
  readonly residentMb: readonly number[];
  readonly proportionalMb: readonly number[];
}

/** What agents without work were seen to take. */
export interface Waiting {
  /** Milliseconds of every poll from its arrival to its answer. */
  readonly answers: readonly number[];
  readonly pollsPerSecond: number;
  readonly memory: Memory;
  /** Of all CPUs of this machine, what the agents and this process, the emulator, had. */
  readonly busy: { readonly agents: number; readonly emulator: number };
}

/** Looks at agents that poll in vain. */
export async function withoutWork(agents: readonly SceneAgent[], polls: PollTimes): Promise<Waiting> {
  const pids = agents.map(({ process: { owner } }) => owner.pid);
  const cpu = () => [process.pid, ...pids].map(tickedCpuMs);
  polls.take();
  const [before, from] = [cpu(), performance.now()];
  await delay(WAITING_MS);
  const [after, ms] = [cpu(), performance.now() - from];
  const [own = 0, ...others] = after.map(
    (figure, index) => (figure - (before[index] ?? 0)) / ms / availableParallelism(),
  );
  const answers = polls.take();
  return {
    answers,
    pollsPerSecond: (answers.length * 1000) / ms,
    memory: await memoryOf(pids),
    busy: { agents: others.reduce((sum, share) => sum + share, 0), emulator: own },
  };
}

/** One after the other, with polls in between: were they held up, they would come together from then on. */
async function memoryOf(pids: readonly number[]): Promise<Memory> {
  const [residentMbs, proportionalMbs]: [number[], number[]] = [[], []];
  for (const pid of pids) {
    residentMbs.push(residentMb(pid));
    proportionalMbs.push(await proportionalMb(pid));
  }
  return { residentMb: residentMbs, proportionalMb: proportionalMbs };
}
