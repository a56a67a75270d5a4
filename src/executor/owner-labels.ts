import { type Liveness, livenessOf, type Owner, processSpace } from '../base/owner.ts';

/** For people: a host's name can change, and others can have it too. */
const HOST = 'pulumi-runner.owner-host';
const PID = 'pulumi-runner.owner-pid';
const STARTED = 'pulumi-runner.owner-started';
const SPACE = 'pulumi-runner.owner-space';

/** The labels that identify an object's owner. Removal relies on nothing else. */
export function ownerLabels({ host, pid, started, space }: Owner): Record<string, string> {
  return {
    [HOST]: host,
    [PID]: String(pid),
    [STARTED]: started,
    ...(space !== undefined && { [SPACE]: space }),
  };
}

/** Selects the objects of every agent that some machine can check. */
export const ANY_OWNER = { [SPACE]: undefined };

/** Whether the owner named in an object's labels is alive, dead or unknown. */
export function livenessByLabels(labels: Readonly<Record<string, string>>, here = processSpace()): Liveness {
  const { [HOST]: host = '', [PID]: pid = '', [STARTED]: started, [SPACE]: space } = labels;
  // On a remote engine, an owner without a space can be anywhere.
  if (!space || started === undefined || !/^[1-9]\d{0,9}$/.test(pid)) return 'unknown';
  return livenessOf({ host, pid: Number(pid), started, space }, here);
}
