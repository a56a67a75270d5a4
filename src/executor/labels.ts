import { type Fate, fateOf, processSpace } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';

const HOST = 'pulumi-runner.owner-host';
const PID = 'pulumi-runner.owner-pid';
const STARTED = 'pulumi-runner.owner-started';
const SPACE = 'pulumi-runner.owner-space';

/** The labels that identify an object's owner. Removal relies on nothing else. */
export function ownerLabels(owner: Owner): Record<string, string> {
  return { [HOST]: owner.host, [PID]: String(owner.pid), [STARTED]: owner.started };
}

/** The same, plus a label that tells this owner from one elsewhere with the same host name and process ID. */
export function ownLabels(owner: Owner): Record<string, string> {
  const space = processSpace();
  return { ...ownerLabels(owner), ...(space !== undefined && { [SPACE]: space }) };
}

/** The labels that the objects of every agent on this host have. */
export function hostLabels(host: string): Record<string, string> {
  return { [HOST]: host };
}

/** Whether the owner named in an object's labels is alive, dead or unknown. */
export function fateByLabels(labels: Readonly<Record<string, string>>, here = processSpace()): Fate {
  const { [HOST]: host, [PID]: pid, [STARTED]: started, [SPACE]: space } = labels;
  if (host === undefined || started === undefined || !/^[1-9]\d{0,9}$/.test(pid ?? '')) return 'unknown';
  return fateOf({ host, pid: Number(pid), started }, space, here);
}
