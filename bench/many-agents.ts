import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../src/base/outcome.ts';
import { readResult } from '../src/record/reader.ts';
import type { PollTimes } from './polls.ts';
import { proportionalMb, residentMb } from './resources.ts';
import { endedWith, type Scene, type SceneAgent } from './scene.ts';
import { soon } from './waiting.ts';

/** Agents to start at once: starting takes the whole machine, and each agent must poll by a deadline. */
const TOGETHER = 6;
const START_MS = 60_000;
/** Milliseconds to watch the agents while there is no work. */
export const WAITING_MS = 5_000;
/** The most memory that an agent may need, to tell whether the machine has enough. */
const AGENT_MB = 120;

/** @throws Error if this machine lacks the memory: a bench that swaps measures the swapping */
export function assertRoomFor(agents: number): void {
  const free = process.availableMemory() / 1024 ** 2;
  if (free < agents * AGENT_MB) {
    throw new Error(
      `Failed to measure ${agents} agents on this machine: ${free.toFixed(0)} MB of memory are free, and ${agents * AGENT_MB} may be needed. Give --samples for fewer agents.`,
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

/** Starts the agents, a few at a time; resolves when each has polled. */
export async function startAll(
  scene: Scene,
  { dist, intervalMs, count, polls, progress }: Start,
): Promise<SceneAgent[]> {
  const home = await scene.folder('home');
  // Fills the compile cache for the others, as on a self-hosted runner.
  await endedWith('no-work', await scene.startAgent(dist, home, { MAX_WAIT: '0s' }));
  const before = polls.pollers;
  const agents: SceneAgent[] = [];
  const from = performance.now();
  while (agents.length < count) {
    for (let more = Math.min(TOGETHER, count - agents.length); more > 0; more -= 1) {
      agents.push(
        await scene.startAgent(dist, home, { POLLING_INTERVAL: `${intervalMs}ms`, MAX_WAIT: '30m' }),
      );
    }
    const all = () => polls.pollers - before >= agents.length || undefined;
    try {
      await soon(`the polls of ${agents.length} agents`, all, { ms: START_MS });
    } catch (error) {
      const results = await Promise.all(agents.map(({ runDirectory }) => readResult(runDirectory)));
      const ended = results.flatMap((result) => (result === undefined ? [] : [JSON.stringify(result)]));
      throw new Error(`${messageOf(error)} Ended: ${ended.join(', ') || 'none'}.`, { cause: error });
    }
  }
  progress(`${count} agents started in ${((performance.now() - from) / 1000).toFixed(0)} s`);
  return agents;
}

/** What agents take while they wait for work. */
export interface Waiting {
  /** Milliseconds from each poll's arrival to its answer. */
  readonly answers: readonly number[];
  readonly residentMb: readonly number[];
  readonly proportionalMb: readonly number[];
}

/** Watches agents that find no work. */
export async function withoutWork(agents: readonly SceneAgent[], polls: PollTimes): Promise<Waiting> {
  polls.take();
  await delay(WAITING_MS);
  const answers = polls.take();
  const [resident, proportional]: [number[], number[]] = [[], []];
  // One at a time, to let polls through: polls that are held up together stay in step from then on.
  for (const {
    process: { owner },
  } of agents) {
    resident.push(residentMb(owner.pid));
    proportional.push(await proportionalMb(owner.pid));
  }
  return { answers, residentMb: resident, proportionalMb: proportional };
}
