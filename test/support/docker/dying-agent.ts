/** A bare executor for a test to kill: prepares a container, starts a step, and prints its output and the ID. */
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';

const [image = '', labels = '{}', script = ''] = process.argv.slice(2);
const never = new AbortController().signal;
const { RUNTIME: containerRuntime, ORPHAN_GRACE } = process.env;
const containment = containerRuntime === undefined ? {} : { containerRuntime };
const orphanGraceSeconds = Number(ORPHAN_GRACE);
const container = await createDockerExecutor({
  environment: process.env,
  containment,
  orphanGraceSeconds,
}).prepare(
  { image, pull: false, labels: JSON.parse(labels), files: [], environmentFile: '/PULUMI_ENV' },
  async () => undefined,
  never,
);
await container.start(
  { shell: 'sh', script, environment: {} },
  (chunk) => void process.stdout.write(chunk),
  never,
);
console.log(container.id);
