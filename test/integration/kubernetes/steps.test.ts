import { describe, expect, it } from 'vitest';
import { begin, run } from '../../support/docker/workbench.ts';
import { BUSYBOX_IMAGE, clusterBench, JOB_IMAGE, NEVER } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();

describe.each([
  ['bash and coreutils', JOB_IMAGE, 'bash'],
  ['busybox', BUSYBOX_IMAGE, 'sh'],
])('steps of an image with %s', (_, image, shell) => {
  it('share a pod, and have their own exit codes, environment and folder', async () => {
    const container = await bench.prepare({ image });
    expect(
      await run(container, 'echo "one $A"; echo two >&2; cd /tmp; exit 3', {
        shell,
        environment: { A: "it's\n$HOME" },
      }),
    ).toEqual({
      code: 3,
      outOfMemory: false,
      output: "one it's\n$HOME\ntwo\n",
    });
    expect(await run(container, 'pwd; touch /tmp/left; printf %s "no line end"', { shell })).toMatchObject({
      code: 0,
      output: '/\nno line end',
    });
    expect(await run(container, 'ls left', { shell, workingDirectory: '/tmp' })).toMatchObject({
      output: 'left\n',
    });
    const missing = await run(container, 'true', { shell, workingDirectory: '/nowhere' });
    expect(missing.code).not.toBe(0);
    expect(missing.output).toMatch(/nowhere/);
    await container.remove();
    expect(await bench.objects()).toEqual([]);
  });

  it('lose no output when they end at once', async () => {
    const container = await bench.prepare({ image });
    for (let index = 0; index < 25; index += 1) {
      expect(await run(container, `echo ${index}`, { shell })).toMatchObject({
        code: 0,
        output: `${index}\n`,
      });
    }
  });

  it('pass on what they write into the environment file', async () => {
    const container = await bench.prepare({ image });
    expect(await container.readEnvironmentFile(NEVER)).toBe('');
    await run(container, 'echo "A=1" >>/PULUMI_ENV', { shell });
    expect(await container.readEnvironmentFile(NEVER)).toBe('A=1\n');
    await run(container, 'rm /PULUMI_ENV; mkfifo /PULUMI_ENV', { shell });
    await expect(container.readEnvironmentFile(NEVER)).rejects.toMatchObject({
      message: expect.stringMatching(/is not a regular file/),
      fault: 'deployment',
    });
    await run(container, 'rm /PULUMI_ENV; head -c 1100000 /dev/zero >/PULUMI_ENV', { shell });
    await expect(container.readEnvironmentFile(NEVER)).rejects.toThrow(/more than 1 MiB/);
  });

  it('report the working set of their pod as their memory', async () => {
    const container = await bench.prepare({ image });
    const before = (await container.memory(NEVER)) ?? Number.NaN;
    const script = 'head -c 100000000 /dev/zero >/tmp/file; head -c 60000000 /dev/zero >/dev/shm/held';
    expect(await run(container, script, { shell })).toMatchObject({ code: 0 });
    const held = ((await container.memory(NEVER)) ?? Number.NaN) - before;
    expect(held).toBeGreaterThan(55_000_000);
    expect(held).toBeLessThan(100_000_000);
  });

  it('are interrupted as a group, and killed with all they started', async () => {
    const container = await bench.prepare({ image });
    const polite = await begin(
      container,
      'trap "echo bye; exit 7" INT; (trap "echo child; exit" INT; echo ready; while :; do sleep 0.1; done) & wait; wait',
      { shell },
    );
    await polite.shows('ready');
    await polite.signal('SIGINT');
    expect((await polite.exit).code).toBe(7);
    // A shell that dies of the signal must not cut short what it runs, nor may a pipe lose its reader.
    const slow = `sh -c 'trap "echo ending; sleep 1; echo state written; exit 1" INT; echo working; while :; do sleep 0.1; done' | cat`;
    const engine = await begin(container, slow, { shell });
    await engine.shows('working');
    await engine.signal('SIGINT');
    await engine.exit;
    expect(engine.output()).toBe('working\nending\nstate written\n');
    const stubborn = await begin(container, 'trap "" INT TERM; echo ready; while :; do sleep 0.1; done', {
      shell,
    });
    await stubborn.shows('ready');
    await stubborn.signal('SIGINT');
    await stubborn.signal('SIGTERM');
    await stubborn.signal('SIGKILL');
    expect((await stubborn.exit).code).toBe(137);
    // The pod still works as before.
    expect(await run(container, 'echo on', { shell })).toMatchObject({ code: 0, output: 'on\n' });
  });
});

it('a step says what is missing when the image lacks its shell', async () => {
  const container = await bench.prepare({ image: BUSYBOX_IMAGE });
  const { code, output } = await run(container, 'true', { shell: 'fish' });
  expect(code).toBe(127);
  expect(output).toMatch(/fish.*not found/);
});
