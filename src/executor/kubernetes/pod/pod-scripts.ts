import { shellText } from '../../../base/shell-text.ts';
import { withLibrary } from '../../container/shell.ts';

/** The folder of the agent's own files in the job's container: an emptyDir of the pod. */
export const CONTROL_FOLDER = '/mnt/pulumi-runner';

/** The pod's time without the agent's heartbeat, sent every 20 s, until it ends itself. */
export const LEASE_SECONDS = 200;

/**
 * From interrupting a running step until it is killed; with the lease, less than the
 * promised 5 minutes.
 */
export const ORPHAN_GRACE_SECONDS = 45;

/** The pod's termination message when the lease has run out. */
export const LEASE_OVER = 'no heartbeat of the agent';

/**
 * The container's main process: `sh -c SCRIPT <folder> <lease> <grace> <grace when deleted> <keep>
 * <message when the lease has run out>`, times in seconds. When the lease runs out without a heartbeat, or the pod is deleted,
 * it interrupts running steps and ends. As the container's PID 1 it inherits orphans; `wait`
 * reaps them.
 */
export const MAIN_SCRIPT = withLibrary(shellText('./main.sh', import.meta.url));

/**
 * The other end of the control channel; its argument is the folder. Reads requests, one per line,
 * and answers each with `<id> <answer>`. A signal that is requested again, over another stream,
 * is only answered. Files that can be unwritable are created by "true", not ":": a special
 * builtin whose redirection fails ends the shell. The beat is overwritten in place, which works on
 * a full disk too.
 *
 *   <id> beat                      the agent lives
 *   <id> signal <name> <leader>    → yes, no
 *   <id> memory                    → the answer of `memory`, no
 */
export const CONTROL_SCRIPT = withLibrary(shellText('./control.sh', import.meta.url));
