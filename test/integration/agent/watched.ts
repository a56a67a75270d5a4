/** A process with a watched main thread; on its parent's order, it hangs or stops the watch. */
import { startWatchdog } from '../../../src/agent/process/watchdog.ts';

export type Order = 'hang' | 'stop';

/** Milliseconds that the main thread may hang. */
const LEFT_MS = 2_000;

const watchdog = startWatchdog(
  () => 0,
  (message) => process.send?.(message),
  { checkMs: 200, leastMs: LEFT_MS },
);
process.on('message', async (order: Order) => {
  if (order === 'hang') for (;;);
  await watchdog.stop();
  process.send?.(order);
});
process.send?.('watched');
