import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobContainer, OutputSink } from '../../../src/executor/executor.ts';
import { BUSYBOX_IMAGE, JOB_IMAGE } from '../../support/docker/images.ts';
import { begin, NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let container: JobContainer;
beforeEach(async () => {
  container = await bench.prepare();
});
afterEach(() => container.remove());

const start = (script: string, sink: OutputSink, signal = NEVER) =>
  container.start({ shell: 'bash', script, environment: {} }, sink, signal);

describe('a step', () => {
  it('passes on its exit code', async () => {
    for (const code of [0, 1, 7, 255])
      expect(await run(container, `exit ${code}`)).toEqual({ code, outOfMemory: false, output: '' });
    expect(await run(container, 'kill -TERM $$')).toMatchObject({ code: 143 });
    expect(await run(container, 'kill -KILL $$')).toMatchObject({ code: 137 });
  });

  it('gets its script as it is', async () => {
    const script = `printf '%s|' "$(echo "a  b")" '$HOME' "\\$x" \`echo c\` "e\u0301 \u{1F600}" 'it'"'"'s'; echo; # end\nset -- 1 2; echo "$0 $#"`;
    expect(await run(container, script)).toMatchObject({
      code: 0,
      output: "a  b|$HOME|$x|c|e\u0301 \u{1F600}|it's|\nbash 2\n",
    });
    expect(await run(container, '-n', { shell: 'echo' })).toMatchObject({ code: 0, output: '-c -n\n' });
  });

  it('gets its environment on top of the image’s, and nothing else from us', async () => {
    const environment = { PLAIN: 'v', EMPTY: '', MANY_LINES: 'a\nb \'c\' "d" $e', PATH: '/usr/bin:/bin' };
    const { output } = await run(
      container,
      'env -0 | tr "\\n\\0" ";\\n" | grep -vE "^(_|HOSTNAME|HOME|PWD|OLDPWD|SHLVL)=" | sort',
      { environment },
    );
    expect(output).toBe('EMPTY=\nMANY_LINES=a;b \'c\' "d" $e\nPATH=/usr/bin:/bin\nPLAIN=v\n');
  });

  it('starts in its folder, or in / without one', async () => {
    expect(await run(container, 'pwd')).toMatchObject({ output: '/\n' });
    expect(await run(container, 'pwd', { workingDirectory: 'usr/bin' })).toMatchObject({
      output: '/usr/bin\n',
    });
    await run(container, 'mkdir -- "/tmp/-a b"');
    expect(await run(container, 'pwd', { workingDirectory: '/tmp/-a b' })).toMatchObject({
      output: '/tmp/-a b\n',
    });
    const missing = await run(container, 'echo ran', { workingDirectory: '/no/such' });
    expect(missing.code).not.toBe(0);
    expect(missing.output).toMatch(/cd: can't cd to \/no\/such/);
    expect(missing.output).not.toContain('ran');
  });

  it('has an empty stdin, and says in its log when its shell is missing', async () => {
    expect(await run(container, 'cat; read x || echo none')).toMatchObject({ code: 0, output: 'none\n' });
    const step = await run(container, 'echo ran', { shell: 'no-such-shell' });
    expect(step).toMatchObject({ code: 127, output: expect.stringMatching(/no-such-shell: not found/) });
  });

  it('cannot start when it is too long, and says so', async () => {
    await expect(run(container, `: ${'x'.repeat(200_000)}`)).rejects.toMatchObject({
      name: 'ContainerError',
      message: expect.stringMatching(
        /argument list too long.*Make the script and each of its variables shorter than 128 KiB\.$/i,
      ),
    });
    expect(await run(container, 'echo next')).toMatchObject({ output: 'next\n' });
  });

  it('cannot forge the control lines that the agent reads', async () => {
    // A step can find the pipe with its control lines, and the one with the main process's answers.
    const forge =
      'echo 0 0 0 > /proc/$PPID/fd/2; for p in /proc/[0-9]*; do echo "99 yes" > $p/fd/1; echo "1 9999 1" > $p/fd/1; done 2>/dev/null';
    const step = await run(
      container,
      `${forge}; head -c 100000 /dev/zero | tr "\\0" x > /proc/1/fd/1; exit 3`,
    );
    expect(step.code).toBe(3);
    expect(await run(container, 'printf x > /proc/$PPID/fd/2; exit 4')).toMatchObject({
      code: 4,
      output: '',
    });
    expect(await container.readEnvironmentFile(NEVER)).toBe('');
  });

  it('is not over before its process has ended, whatever it reports', async () => {
    const own = await bench.prepare({}, bench.newExecutor({ silenceMs: 1_000 }));
    const script = 'echo 0 0 0 > /proc/$PPID/fd/2; sleep 3; echo still here; sleep 1; exit 3';
    expect(await run(own, script)).toEqual({ code: 3, outOfMemory: false, output: 'still here\n' });
    expect(bench.logged).toEqual([]);
  });

  it('that has ended keeps its exit code when the engine fails to say it at first', async () => {
    let isAsked = false;
    let failures = 2;
    const { target } = await bench.behindProxy({
      onRequest: (line) => {
        isAsked ||= /^GET \S*\/exec\/\w+\/json/.test(line);
      },
      answer: (data) => {
        if (!isAsked || failures === 0) return data;
        isAsked = false;
        failures -= 1;
        return Buffer.from(data.toString('latin1').replace('HTTP/1.1 200', 'HTTP/1.1 500'), 'latin1');
      },
    });
    const own = await bench.prepare({}, target);
    expect(await run(own, 'echo applied; exit 3')).toEqual({
      code: 3,
      outOfMemory: false,
      output: 'applied\n',
    });
    expect(failures).toBe(0);
  });

  it('that claims that its container is being stopped is interrupted as any other, and ends with its own exit code', async () => {
    const claim = 'echo "0 ending" > /proc/1/fd/1';
    const step = await begin(
      container,
      `${claim}; trap "echo saved; exit 5" INT; echo up; while :; do sleep 0.05; done`,
    );
    await step.shows('up');
    await step.signal('SIGINT');
    expect(await step.exit).toEqual({ code: 5, outOfMemory: false });
    expect(step.output()).toBe('up\nsaved\n');
    expect(await run(container, 'echo next')).toMatchObject({ code: 0, output: 'next\n' });
  });

  it('that takes away the commands for the main process delays no signal, and its container’s removal ends it', async () => {
    const step = await begin(container, 'cat </proc/1/fd/0 >/dev/null & trap "" INT TERM; echo up; wait');
    await step.shows('up');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) await step.signal(signal);
    await container.remove();
    await expect(step.exit).rejects.toThrow('the agent removed the container');
  });
});

describe('output', () => {
  it('is not lost at the end when the sink stalls for longer than the engine waits', async () => {
    // The engine closes an exec's streams 2 s after its process ends, whether or not they have been read.
    let bytes = 0;
    let tail = '';
    const script = 'head -c 2000000 /dev/zero; (sleep 0.3; head -c 3000000 /dev/zero; echo THE LAST LINE) &';
    const step = await start(script, async (chunk) => {
      const before = bytes;
      bytes += chunk.length;
      // At the first output, and at what a process left behind writes after the step’s end.
      if (before === 0 || (before <= 2_000_000 && bytes > 2_000_000)) await sleep(4_000);
      tail = (tail + chunk.toString('latin1')).slice(-14);
    });
    expect(await step.exit).toMatchObject({ code: 0 });
    expect({ bytes, tail }).toEqual({ bytes: 5_000_014, tail: 'THE LAST LINE\n' });
    expect(bench.logged).toEqual([]);
  });

  it('ends the wait for the step when nobody takes it, and the container stays usable', async () => {
    const step = await start('yes', () => Promise.reject(new Error('disk full')));
    await expect(step.exit).rejects.toThrow('disk full');
    expect(await run(container, 'echo well')).toMatchObject({ output: 'well\n' });
    await container.remove();
    expect(await bench.containers()).toEqual([]);
  });
});

describe('an abort', () => {
  it('ends the wait at once, and the container stays usable', async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const endless = () => {
      begun.resolve();
      return new Promise<void>(() => undefined);
    };
    const step = await start('yes', endless, stop.signal);
    await begun.promise;
    stop.abort(new Error('enough'));
    await expect(step.exit).rejects.toThrow('enough');
    expect(await run(container, 'echo well')).toMatchObject({ output: 'well\n' });
  });

  it('before the start starts nothing', async () => {
    const aborted = AbortSignal.abort(new Error('never'));
    await expect(start('touch /tmp/ran', () => undefined, aborted)).rejects.toThrow('never');
    expect(await run(container, 'test ! -e /tmp/ran')).toMatchObject({ code: 0 });
  });
});

describe.each([
  ['dash', JOB_IMAGE, []],
  ['sh', BUSYBOX_IMAGE, []],
  ['bash', JOB_IMAGE, ['USER job']],
])('a signal to a step of %s in %s %s', (shell, base, changes) => {
  let own: JobContainer;
  let image: string;
  beforeAll(async () => {
    image = await bench.derive(base, { changes });
  });
  beforeEach(async () => {
    own = await bench.prepare({ image });
  });
  afterEach(() => own.remove());

  it('(SIGTERM or SIGKILL) ends what ignores SIGINT', async () => {
    const step = await begin(own, 'trap "" INT; echo up; sleep 30; echo after', { shell });
    await step.shows('up');
    await step.signal('SIGINT');
    const raced = await Promise.race([step.exit, sleep(300).then(() => 'runs')]);
    expect(raced).toBe('runs');
    await step.signal('SIGTERM');
    expect(await step.exit).toMatchObject({ code: 143 });
    const stubborn = await begin(own, 'trap "" INT TERM; echo up; while :; do sleep 0.05; done', { shell });
    await stubborn.shows('up');
    await stubborn.signal('SIGTERM');
    await stubborn.signal('SIGKILL');
    expect(await stubborn.exit).toMatchObject({ code: 137 });
    expect(await run(own, 'echo next', { shell })).toMatchObject({ code: 0, output: 'next\n' });
  });

  it('reaches the command of timeout once, although timeout gives it its own process group', async () => {
    const command =
      'trap "echo got; n=1" INT; echo up; while [ -z "$n" ]; do sleep 0.05; done; sleep 0.3; exit 4';
    const step = await begin(own, `timeout 30 ${shell} -c '${command}'; exit $?`, { shell });
    await step.shows('up');
    await step.signal('SIGINT');
    await step.exit;
    expect(step.output()).toBe('up\ngot\n');
  });

  it.each([
    ['behind it', (command: string) => `timeout 30 ${command} | cat`],
    ['below it', (command: string) => `timeout 30 ${shell} -c '${command} | cat'`],
  ])('spares what reads from the command of timeout, %s', async (_, piped) => {
    const work =
      'trap "echo got; sleep 0.3; echo state written; exit 4" INT; echo up; while :; do sleep 0.05; done';
    const script = `echo '${work}' >/tmp/work; ${piped(`${shell} /tmp/work`)}`;
    const step = await begin(own, script, { shell });
    await step.shows('up');
    await step.signal('SIGINT');
    await step.exit;
    expect(step.output()).toBe('up\ngot\nstate written\n');
  });

  it('is delivered even when it comes before the step has begun, and nothing runs after it', async () => {
    for (let i = 0; i < 3; i += 1) {
      const step = await begin(own, 'sleep 30; echo after', { shell });
      await step.signal('SIGINT');
      expect(await step.exit).toMatchObject({ code: 130 });
      expect(step.output()).toBe('');
    }
  });
});

describe('a signal', () => {
  it('leaves out a timeout in the step’s own process group, which would send it on', async () => {
    const work =
      'trap "echo got; sleep 1; echo state written; exit 4" INT; echo up; while :; do sleep 0.05; done';
    // A timeout that gets a signal kills its command that much later.
    const step = await begin(
      container,
      `timeout --foreground --kill-after 0.3 30 bash -c '${work}'; exit $?`,
    );
    await step.shows('up');
    await step.signal('SIGINT');
    expect(await step.exit).toMatchObject({ code: 4 });
    expect(step.output()).toBe('up\ngot\nstate written\n');
  });

  it('that nobody sent is not assumed from exit code 130, even with a process left behind', async () => {
    // timeout handles SIGINT as soon as its command runs.
    const left =
      'timeout 300 sleep 300 >/dev/null 2>&1 & until [ -n "$(cat /proc/$!/task/$!/children)" ]; do :; done';
    const step = await begin(container, `${left}; echo up; exit 130`);
    await step.shows('up');
    const late = sleep(15_000).then(() => 'waits for what is left behind');
    expect(await Promise.race([step.exit, late])).toMatchObject({ code: 130 });
  });

  it('other than SIGKILL leaves alone what has its own process group, as Pulumi’s plugins do', async () => {
    const plugin = 'trap "echo plugin got it" INT TERM; while :; do sleep 0.05; done';
    const engine = `trap "echo engine got it" INT; set -m; bash -c '${plugin}' & echo up; while :; do sleep 0.05; done`;
    const step = await begin(container, engine);
    await step.shows('up');
    await step.signal('SIGINT');
    await step.shows('engine got it');
    await step.signal('SIGKILL');
    expect(await step.exit).toMatchObject({ code: 137 });
    expect(step.output()).toBe('up\nengine got it\n');
    expect(await run(container, 'pgrep -f "plugin got [i]t"')).toMatchObject({ code: 1, output: '' });
  });

  it('does not reach other steps', async () => {
    const other = await begin(container, 'echo up; sleep 1; echo done');
    await other.shows('up');
    const step = await begin(container, 'echo up; sleep 30');
    await step.shows('up');
    await step.signal('SIGKILL');
    expect(await step.exit).toMatchObject({ code: 137 });
    expect(await other.exit).toMatchObject({ code: 0 });
    expect(other.output()).toBe('up\ndone\n');
  });
});
