import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../support/docker/events.ts';
import { HOLD, letGo } from '../../support/docker/held-step.ts';
import { docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { begin, NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
const EXEC = /^POST \S*\/exec\/\w+\/start/;
const SAVING = 'trap "echo saved; exit 5" INT; echo up; while :; do sleep 0.05; done';

describe('a proxy that cuts idle connections', () => {
  it('cuts neither a silent step nor its main process', async () => {
    const { target } = await bench.behindProxy({ idleMs: 1_500 }, { keepAliveMs: 400 });
    const container = await bench.prepare({}, target);
    const script = 'sleep 4; read -r line; echo "read: $line"; exit 3';
    expect(await run(container, script)).toEqual({ code: 3, outOfMemory: false, output: 'read: \n' });
    expect(await run(container, 'echo next')).toMatchObject({ code: 0, output: 'next\n' });
    expect(bench.logged).toEqual([]);
    await container.remove();
  });
});

describe('a step whose stream is cut while the engine is well', () => {
  it.each([
    ['succeeds', 'bash', 0],
    ['fails', 'bash', 3],
    ['has the exit code that engines show for such a step', 'dash', 126],
  ])('goes on, and %s (%s, exit code %i)', async (_, shell, code) => {
    const { proxy, target } = await bench.behindProxy({}, { silenceMs: 500 });
    const container = await bench.prepare({ image: JOB_IMAGE }, target);
    const script = `echo up; ${HOLD}; sleep 2; echo lost; sleep 0.5; echo A=b >>/PULUMI_ENV; exit ${code}`;
    const step = await begin(container, script, { shell });
    await step.shows('up');
    proxy.cutOnly(EXEC);
    const cutAt = performance.now();
    await letGo(docker.getContainer(container.id));
    const exit = await step.exit;
    const passed = (performance.now() - cutAt) / 1000;
    const told =
      /^The connection that carries the step's output was cut (\d+(?:\.\d)?) s before its end, after 3 B; what it printed then is lost\. Look for a proxy/;
    expect(exit).toEqual({ ...{ code, outOfMemory: false }, lostOutput: expect.stringMatching(told) });
    const seconds = Number(told.exec(exit.lostOutput ?? '')?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(2.5);
    // Rounded, to whole seconds if there are many.
    expect(seconds).toBeLessThanOrEqual(passed + 0.5);
    expect(step.output()).toBe('up\n');
    expect(bench.logged).toEqual([expect.stringContaining('the step goes on')]);
    expect(await container.readEnvironmentFile(NEVER)).toBe('A=b\n');
    expect(await run(container, 'echo next')).toEqual({ code: 0, outOfMemory: false, output: 'next\n' });
    await container.remove();
  });

  it('can be interrupted, and killed', async () => {
    const { proxy, target } = await bench.behindProxy({}, { silenceMs: 300 });
    const container = await bench.prepare({}, target);
    const saving = await begin(container, SAVING);
    await saving.shows('up');
    proxy.cutOnly(EXEC);
    await sleep(1_000);
    await saving.signal('SIGINT');
    expect(await saving.exit).toMatchObject({ code: 5, lostOutput: expect.stringContaining('was cut') });
    const stubborn = await begin(container, 'trap "" INT TERM; echo up; while :; do sleep 0.05; done');
    await stubborn.shows('up');
    proxy.cutOnly(EXEC);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) await stubborn.signal(signal);
    expect(await stubborn.exit).toMatchObject({ code: 137 });
    await container.remove();
  });

  it('goes on when the answer to its start is lost', async () => {
    let isAsked = false;
    const { proxy, target } = await bench.behindProxy(
      {
        onRequest: (line) => {
          isAsked ||= EXEC.test(line);
        },
        // Not before the engine has the whole request.
        answer: (data) => {
          if (isAsked && data.toString('latin1').startsWith('HTTP/1.1 101')) {
            isAsked = false;
            proxy.cutOnly(EXEC);
          }
          return data;
        },
      },
      { silenceMs: 5_000 },
    );
    const container = await bench.prepare({}, target);
    const step = await begin(container, 'sleep 2; echo A=b >>/PULUMI_ENV; exit 4');
    expect(await step.exit).toMatchObject({ code: 4, lostOutput: expect.stringContaining('after 0 B') });
    expect(await container.readEnvironmentFile(NEVER)).toBe('A=b\n');
    await container.remove();
  });
});

it('an engine that is away for a moment between two steps fails neither', async () => {
  const refused = new Map<string, number>();
  const refuse = (line: string) => {
    const call = /^POST \S*\/containers\/\w+\/exec|^GET \S*\/archive/.exec(line)?.[0].split('/').at(-1);
    if (call === undefined || (refused.get(call) ?? 0) >= 2) return undefined;
    refused.set(call, (refused.get(call) ?? 0) + 1);
    return { status: 503, message: 'no server is available' };
  };
  const { target } = await bench.behindProxy({ refuse });
  const container = await bench.prepare({}, target);
  expect(await run(container, 'echo A=b >>/PULUMI_ENV; echo up')).toMatchObject({ code: 0, output: 'up\n' });
  expect(await container.readEnvironmentFile(NEVER)).toBe('A=b\n');
  expect([...refused.entries()]).toEqual([
    ['exec', 2],
    ['archive', 2],
  ]);
  await container.remove();
});

describe('a step that the agent lost sight of', () => {
  it('and whose start the engine has not seen leaves its container to the guard', async () => {
    const before = (line: string) => {
      if (!EXEC.test(line)) return undefined;
      setImmediate(() => proxy.cutOnly(EXEC));
      return new Promise(() => undefined);
    };
    const { proxy, target } = await bench.behindProxy({ before }, { silenceMs: 300 });
    const container = await bench.prepare({}, target);
    await expect(begin(container, 'echo up')).rejects.toThrow('the connection was cut');
    await container.remove();
    expect(await eventsOf(container.id, ['kill', 'die'])).toEqual(['die 0']);
  });

  it('gets its time before its container is removed, and its end is told though the first question is cut too', async () => {
    let isCut = false;
    const onRequest = (line: string) => {
      if (isCut || !/^GET \S*\/events/.test(line)) return;
      isCut = true;
      proxy.cutConnections();
    };
    const { proxy, target } = await bench.behindProxy({ onRequest }, { silenceMs: 300 });
    const container = await bench.prepare({}, target);
    const step = await begin(container, 'trap "sleep 4; exit 0" INT; echo up; while :; do sleep 0.05; done');
    await step.shows('up');
    proxy.cutConnections();
    await expect(step.exit).rejects.toThrow('the connection to the container was cut');
    expect(isCut).toBe(true);
    await container.remove();
    expect(await eventsOf(container.id, ['kill', 'die'])).toEqual(['die 0']);
  });
});
