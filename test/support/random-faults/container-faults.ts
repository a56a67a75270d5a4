import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { EngineGate } from '../docker/engine-gate.ts';
import type { Draw } from './draw.ts';
import type { Moment } from './moment.ts';

const run = promisify(execFile);

/** The stream of a step is cut while the engine is well, as a proxy in front of it does. */
export interface StreamFault {
  readonly at: 'stream';
  readonly failure: 'cut';
  readonly moment: Moment;
}

/** What a neighbour's `docker system prune` takes while a job is prepared; of the run's own objects only. */
export const PRUNES = ['network before create', 'network before start', 'container before start'] as const;
export interface PruneFault {
  readonly at: 'prune';
  readonly failure: (typeof PRUNES)[number];
}

export type ContainerFault = StreamFault | PruneFault;

/** Draws the faults around a job's container, of a job with so many steps. */
export function drawContainerFaults(dice: Draw, steps: number): ContainerFault[] {
  const faults: ContainerFault[] = [];
  if (dice.chance(0.12)) {
    const moment = { name: 'step', step: dice.int(1, steps), part: dice.pick([0, 0.2, 0.7, 1]) } as const;
    faults.push({ at: 'stream', failure: 'cut', moment });
  }
  if (dice.chance(0.12)) faults.push({ at: 'prune', failure: dice.pick(PRUNES) });
  return faults;
}

const STEP_STREAM = /^POST \S*\/exec\/\w+\/start/;

/** Cuts the stream of the step that runs; the main process keeps its own. */
export function cutStream(gate: EngineGate): void {
  gate.cutOnly(STEP_STREAM);
}

const REQUESTS = {
  create: /^POST \S*\/containers\/create/,
  start: /^POST \S*\/containers\/\w+\/start/,
} as const;

/** For the gate: removes objects with this label right before the first request of the kind that the fault names. */
export function pruning({ failure }: PruneFault, label: string, onHit: () => void) {
  const [what, , request] = failure.split(' ') as ['network' | 'container', 'before', keyof typeof REQUESTS];
  const filter = ['--filter', `label=${label}`];
  const list = what === 'network' ? ['network', 'ls', '-q', ...filter] : ['ps', '-aq', ...filter];
  const remove = what === 'network' ? ['network', 'rm'] : ['rm'];
  let isDone = false;
  return (line: string): Promise<unknown> | undefined => {
    if (isDone || !REQUESTS[request].test(line)) return undefined;
    isDone = true;
    return (async () => {
      const ids = (await run('docker', list)).stdout.split('\n').filter((id) => id !== '');
      if (ids.length === 0) return;
      await run('docker', [...remove, ...ids]);
      onHit();
    })().catch(() => undefined);
  };
}
