import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FILES } from '../src/record/schema.ts';
import type { SceneAgent } from './scene.ts';
import { soon } from './waiting.ts';

/** Variables for `Scene.startAgent` that let the inspector, which Node opens on SIGUSR1, choose a free port. */
export const ANY_INSPECTOR_PORT = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' };

const OPEN_MS = 10_000;
/** One collection is not enough: what it frees may have kept other things alive, also outside the heap. */
const COLLECTIONS = 3;
const MB = 1024 ** 2;

/** MB that the agent retains after garbage collection, in its heap and outside. */
export async function keptMb(agent: SceneAgent): Promise<number> {
  const socket = new WebSocket(await inspectorOf(agent));
  await once(socket, 'open');
  try {
    for (let times = 0; times < COLLECTIONS; times += 1)
      await answerTo(socket, 'HeapProfiler.collectGarbage');
    const { result } = await answerTo(socket, 'Runtime.evaluate', {
      expression: '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())',
    });
    return Number(result?.value) / MB;
  } finally {
    socket.close();
  }
}

/** Opens the agent's inspector unless it is open; returns its address. */
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

/** Calls a method of the Chrome DevTools protocol; no other call may be in flight. */
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
