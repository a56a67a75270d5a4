import { type Fate, fateOf, processSpace } from '../record/owner.ts';
import type { Owner } from '../record/schema.ts';

const HOST = 'pulumi-runner.owner-host';
const PID = 'pulumi-runner.owner-pid';
const STARTED = 'pulumi-runner.owner-started';
const SPACE = 'pulumi-runner.owner-space';

/** The labels that say whose a Docker object is; removal goes by them, and by nothing else. */
export function ownerLabels(owner: Owner): Record<string, string> {
  return { [HOST]: owner.host, [PID]: String(owner.pid), [STARTED]: owner.started };
}

/** The same, with what distinguishes an owner on this machine from one elsewhere that has its name and number. */
export function ownLabels(owner: Owner): Record<string, string> {
  const space = processSpace();
  return { ...ownerLabels(owner), ...(space !== undefined && { [SPACE]: space }) };
}

/** The labels that every agent's objects on this host carry. */
export function hostLabels(host: string): Record<string, string> {
  return { [HOST]: host };
}

/** Whether the owner that an object's labels name is alive, dead, or unknown. */
export function fateByLabels(labels: Readonly<Record<string, string>>, here = processSpace()): Fate {
  const { [HOST]: host, [PID]: pid, [STARTED]: started, [SPACE]: space } = labels;
  if (host === undefined || started === undefined || !/^[1-9]\d{0,9}$/.test(pid ?? '')) return 'unknown';
  return fateOf({ host, pid: Number(pid), started }, space, here);
}
