import { expect, it } from 'vitest';
import { LIBRARY } from '../../../src/executor/container/shell.ts';
import { BUSYBOX_IMAGE, JOB_IMAGE } from '../../support/docker/images.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
const MIB = 2 ** 20;

it("a container's memory is what it holds, without the file pages that the kernel can drop", async () => {
  const container = await bench.prepare();
  const memory = async () => (await container.memory(NEVER)) ?? Number.NaN;
  const before = await memory();
  await run(container, 'head -c 100m /dev/zero >/tmp/file');
  expect((await memory()) - before).toBeLessThan(40 * MIB);
  await run(container, 'head -c 60m /dev/zero >/dev/shm/held');
  expect((await memory()) - before).toBeGreaterThanOrEqual(60 * MIB);
});

it.each([
  [JOB_IMAGE, 'bash'],
  [JOB_IMAGE, 'sh'],
  [BUSYBOX_IMAGE, 'sh'],
])('%s reads its memory with %s from cgroup v2 or v1', async (image, shell) => {
  const container = await bench.prepare({ image });
  const script = `mkdir -p /tmp/v1/memory /tmp/v2 /tmp/none
    echo 7000 >/tmp/v2/memory.current; printf 'file 9\\ninactive_file 3000\\nactive_file 8\\n' >/tmp/v2/memory.stat
    echo 5000 >/tmp/v1/memory/memory.usage_in_bytes
    printf 'inactive_file 1\\ntotal_inactive_file 2000\\n' >/tmp/v1/memory/memory.stat
    for version in v1 v2 none; do
      answer=no
      (${LIBRARY.replaceAll('/sys/fs/cgroup', '/tmp/$version')}
      memory; echo "$version $answer")
    done`;
  const { output } = await run(container, script, { shell });
  expect(output).toBe('v1 5000 2000\nv2 7000 3000\nnone no\n');
});
