import { once } from 'node:events';
import type { Readable } from 'node:stream';
import Docker from 'dockerode';

/** What to do with plain dockerode. */
export type Order =
  /**
   * Creates a network, starts a container on it, and runs the script to its first byte of output. The container gets
   * no option that the agent's own doesn't have.
   */
  | { readonly order: 'first-output'; readonly image: string; readonly script: string }
  /** Creates and starts a container for later execs. */
  | { readonly order: 'open'; readonly image: string }
  /** Runs the script in that container: exec create, start, read to the end, inspect. */
  | { readonly order: 'exec'; readonly script: string };

/** Milliseconds that the order took. */
export type Done = number;

const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETFCAP', 'SETGID', 'SETUID'];
const docker = new Docker();
let opened: Docker.Container | undefined;

/** With `network`, uses the options of the agent's own container; without, leaves network and limits to the engine. */
function create(image: string, network?: string): Promise<Docker.Container> {
  return docker.createContainer({
    Image: image,
    Entrypoint: ['sh', '-c', 'read -r line'],
    Cmd: [],
    WorkingDir: '/',
    Labels: { 'pulumi-runner.bench': 'true' },
    OpenStdin: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      AutoRemove: true,
      Init: false,
      LogConfig: { Type: 'none', Config: {} },
      SecurityOpt: ['no-new-privileges'],
      ...(network === undefined
        ? {}
        : {
            NetworkMode: network,
            CapDrop: ['ALL'],
            CapAdd: CAPABILITIES,
            PidsLimit: 8_192,
            IpcMode: 'private',
          }),
    },
  });
}

/** Resolves with the time of the first byte once all output is read and the exit code is known. */
async function exec(container: Docker.Container, script: string): Promise<number> {
  const process = await container.exec({
    Cmd: ['bash', '-c', script],
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream: Readable = await process.start({});
  let first: number | undefined;
  stream.on('data', () => {
    first ??= performance.now();
  });
  await once(stream, 'end');
  const { ExitCode: code } = await process.inspect();
  if (code !== 0 || first === undefined) throw new Error(`the script ended with exit code ${code}`);
  return first;
}

async function run(order: Order): Promise<Done> {
  const from = performance.now();
  switch (order.order) {
    case 'first-output': {
      const name = `pulumi-runner-bench-${process.pid}`;
      const network = await docker.createNetwork({ Name: name });
      const container = await create(order.image, name);
      try {
        await container.start();
        return (await exec(container, order.script)) - from;
      } finally {
        await container.remove({ force: true });
        await network.remove();
      }
    }
    case 'open':
      opened = await create(order.image);
      await opened.start();
      break;
    case 'exec':
      if (opened === undefined) throw new Error('an exec needs an open container');
      await exec(opened, order.script);
      break;
  }
  return performance.now() - from;
}

// Load and connect up front, like an agent that waits for work.
await docker.ping();
process.on('message', (order: Order) => {
  void run(order).then((done) => process.send?.(done));
});
process.once('disconnect', () => {
  void opened?.remove({ force: true });
});
process.send?.('ready');
