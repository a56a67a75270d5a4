import { shellText } from '../../base/shell-text.ts';
/**
 * POSIX shell functions that use only builtins and sleep, for dash, bash and busybox ash.
 *
 *   interrupt <leader>     sends SIGINT to the process group that <leader> leads, but spares processes that only read
 *                          from a program there that handles it; fails if there is no such group
 *   await_finish <leader>  if $stopped is set within a second, waits until the step's programs that now handle SIGINT,
 *                          and so may be finishing their work, have ended. A handler that goes away is not enough:
 *                          Go programs remove theirs before they end
 *
 * The reason is `tofu apply | tee log`: SIGINT kills tee, so the next line that tofu prints kills
 * tofu (SIGPIPE) before it has written its state. If spared, tee ends after tofu.
 */
export const INTERRUPT_FUNCTION = shellText('./interrupt.sh', import.meta.url);
