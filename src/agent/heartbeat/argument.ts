/** The argument that makes the agent's entry serve as the heartbeats' thread: to ask node:worker_threads takes 3 ms of every start. */
export const THREAD_ARGUMENT = '--heartbeat-thread';
