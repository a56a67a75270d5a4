import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContainerLostError, type JobContainer } from '../../../src/executor/executor.ts';
import { docker } from '../../support/docker/images.ts';
import { begin, NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
// Steps may be granted MKNOD, and so make a device.
const withDevices = bench.newExecutor({ containment: { extraCapabilities: ['MKNOD'] } });
const read = (container: JobContainer) => container.readEnvironmentFile(NEVER);

describe('the environment file', () => {
  let container: JobContainer;
  beforeEach(async () => {
    container = await bench.prepare({}, withDevices);
  });
  afterEach(() => container.remove());
  const step = (script: string) => run(container, script, { shell: 'sh' });

  it('is what the steps left, and empty when it is untouched, missing or emptied', async () => {
    expect(await read(container)).toBe('');
    await step('rm /PULUMI_ENV');
    expect(await read(container)).toBe('');
    await step('echo A=1 > /PULUMI_ENV');
    expect(await read(container)).toBe('A=1\n');
    await step('printf "ü=é\\r\\n" > /tmp/new; mv /tmp/new /PULUMI_ENV');
    expect(await read(container)).toBe('ü=é\r\n');
    await step(': > /PULUMI_ENV');
    expect(await read(container)).toBe('');
  });

  it('may hold 1 MiB, and no more', async () => {
    await step('head -c 1048576 /dev/zero | tr "\\0" x > /PULUMI_ENV');
    expect(await read(container)).toBe('x'.repeat(1024 ** 2));
    await step('echo >> /PULUMI_ENV');
    await expect(read(container)).rejects.toMatchObject({
      name: 'ContainerError',
      message:
        'Failed to read the environment file for the next step: /PULUMI_ENV: it has 1048577 bytes. Keep it under 1 MiB.',
    });
    await step('truncate -s 1099511627776 /PULUMI_ENV');
    await expect(read(container)).rejects.toThrow(/it has 1099511627776 bytes/);
  });

  it.each([
    ['an endless device', 'ln -s /dev/zero /PULUMI_ENV'],
    ['a link to a file', 'echo A=1 > /tmp/env; ln -s /tmp/env /PULUMI_ENV'],
    ['a folder', 'mkdir /PULUMI_ENV'],
    ['a FIFO that nobody writes to', 'mkfifo /PULUMI_ENV'],
    ['a device', 'mknod /PULUMI_ENV c 1 5'],
  ])('is not read when it is %s', async (_, script) => {
    expect(await step(`rm /PULUMI_ENV; ${script}`)).toMatchObject({ code: 0 });
    await expect(read(container)).rejects.toThrow('it is not a regular file. Only append lines to it.');
    expect(await step('echo well')).toMatchObject({ output: 'well\n' });
  });
});

it('the environment file is found where the job wants it, through linked folders', async () => {
  const path = '/tmp/a folder/env';
  const container = await bench.prepare({
    environmentFile: path,
    files: [{ path, mode: 0o600, content: 'START=1\n' }],
  });
  expect(await read(container)).toBe('START=1\n');
  await run(
    container,
    'mv "/tmp/a folder" /tmp/moved; ln -s moved "/tmp/a folder"; echo B=2 >> "/tmp/a folder/env"',
  );
  expect(await read(container)).toBe('START=1\nB=2\n');
});

it('the environment file is read even when a step takes away the main process’s commands', async () => {
  const container = await bench.prepare();
  const step = await begin(
    container,
    'echo A=1 > /PULUMI_ENV; cat </proc/1/fd/0 >/dev/null 2>&1 & kill -KILL $PPID',
  );
  await step.exit;
  expect(await read(container)).toBe('A=1\n');
});

it('the environment file is lost with its container', async () => {
  const container = await bench.prepare();
  await docker.getContainer(container.id).remove({ force: true });
  await expect(read(container)).rejects.toBeInstanceOf(ContainerLostError);
});
