import { shellText } from '../../base/shell-text.ts';
import { INTERRUPT_FUNCTION } from './interrupt-function.ts';

/**
 * `signal <NAME> <leader>` in POSIX shell, only builtins: signals the leader's step; sets
 * answer=yes if it exists.
 */
export const SIGNAL_FUNCTION = INTERRUPT_FUNCTION + shellText('./signal.sh', import.meta.url);
