import { getActiveResourcesInfo } from 'node:process';
import { type ManualClock, settled } from './manual-clock.ts';

/** Lets everything finish that waits only for its turn or for the disk. */
export async function quiet(): Promise<void> {
  do await settled();
  while (getActiveResourcesInfo().some((name) => name.startsWith('FSReq')));
  await settled();
}

/** Advances time whenever nothing else is pending, until `work` is done. Returns how many milliseconds that took. */
export async function driven(clock: ManualClock, work: Promise<unknown>): Promise<number> {
  const started = clock.steady();
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  for (await quiet(); !isDone; await quiet()) if (clock.sleeping > 0) await clock.next();
  return clock.steady() - started;
}
