import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FILES } from '../src/record/schema.ts';
import type { SceneAgent } from './scene.ts';
import { soon } from './waiting.ts';

/** Lets an agent's inspector choose a free port. Give it to `Scene.startAgent`; a process of Node opens its inspector at SIGUSR1. */
export const ANY_INSPECTOR_PORT = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' };

const OPEN_MS = 10_000;
/** What a collection finds dead may be what keeps other things alive, outside the heap too. */
const COLLECTIONS = 3;
const MB = 1024 ** 2;

/** What a process keeps: its heap and what belongs to it outside, in MB, once everything dead is collected. */
export async function keptMb(agent: SceneAgent): Promise<number> {
  const socket = new WebSocket(await inspectorOf(agent));
  await once(socket, 'open');
  try {
    for (let times = 0; times < COLLECTIONS; times += 1) await answerTo(socket, 'HeapProfiler.collectGarbage');
    const { result } = await answerTo(socket, 'Runtime.evaluate', {
      expression: '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())',
    });
    return Number(result?.value) / MB;
  } finally {
    socket.close();
  }
}

/** The address of the agent's inspector, which is opened unless it is open already. */
async function inspectorOf({ process: { owner }, runDirectory }: SceneAgent): Promise<string> {
  process.kill(owner.pid, 'SIGUSR1');
  return soon(
    `the inspector of process ${owner.pid}`,
    async () => {
      const log = await readFile(join(runDirectory, RUN_FILES.log), 'utf8');
      return /^Debugger listening on (ws:\S+)$/m.exec(log)?.[1];
    },
    { ms: OPEN_MS },
  );
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly error?: { readonly message: string };
}

/** Calls one method of Chrome's protocol; no other call may be under way. */
async function answerTo(
  socket: WebSocket,
  method: string,
  params: object = {},
): Promise<NonNullable<Answer['result']>> {
  socket.send(JSON.stringify({ id: 1, method, params }));
  for (;;) {
    const [event] = (await once(socket, 'message')) as [MessageEvent];
    const { id, result, error } = JSON.parse(String(event.data)) as Answer;
    if (id !== 1) continue;
    if (result === undefined) throw new Error(`${method}: ${error?.message}`);
    return result;
  }
}
