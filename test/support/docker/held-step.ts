import type Docker from 'dockerode';

/** A step's script up to `letGo`. */
export const HOLD = 'until [ -e /tmp/go ]; do sleep 0.05; done';

/** Lets a container's step go on. */
export async function letGo(container: Docker.Container): Promise<void> {
  const exec = await container.exec({ Cmd: ['touch', '/tmp/go'] });
  await exec.start({ Detach: true });
}
