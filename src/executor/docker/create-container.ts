import type Docker from 'dockerode';
import { NEVER } from '../deadline.ts';
import type { ContainerSpec } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import type { Engine } from './engine.ts';
import { type HostConfigOptions, hostConfig } from './host-config.ts';
import type { LocalImage } from './image.ts';
import { KEEPER_SCRIPT, ORPHAN_GRACE_SECONDS, STOP_SIGNAL } from './keeper-script.ts';

/** Milliseconds; a loaded engine with a slow disk still makes it. */
export const CREATE_MS = 120_000;

export interface CreateOptions extends HostConfigOptions {
  readonly name: string;
  readonly image: LocalImage;
  readonly spec: ContainerSpec;
  /** Link-local addresses that are to be the container's own; only a network that users made can give them. */
  readonly linkLocalAddresses: readonly string[];
}

/**
 * Makes the container and returns its ID, and what the engine warns of. Its network needn't be there before it starts. Not aborted
 * half-way: only an answer tells what is there to be removed.
 */
export async function createContainer(
  engine: Engine,
  options: CreateOptions,
): Promise<{ id: string; warnings: readonly string[] }> {
  const { name, image, spec, network, linkLocalAddresses } = options;
  const body = {
    // The ID: a tag may have moved on since the image was looked at.
    Image: image.id,
    Entrypoint: ['sh', '-c', KEEPER_SCRIPT, spec.environmentFile, String(ORPHAN_GRACE_SECONDS)],
    Cmd: [],
    WorkingDir: '/',
    Labels: { ...spec.labels },
    OpenStdin: true,
    // The stdin ends with the agent's connection, and with it the container.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    // Whoever stops the container, or the engine with it, gives what runs the time to end in order.
    StopSignal: String(STOP_SIGNAL),
    StopTimeout: ORPHAN_GRACE_SECONDS + 5,
    HostConfig: hostConfig(options),
    ...(linkLocalAddresses.length === 0
      ? {}
      : {
          NetworkingConfig: {
            EndpointsConfig: { [network]: { IPAMConfig: { LinkLocalIPs: [...linkLocalAddresses] } } },
          },
        }),
  };
  const query = { name, ...(spec.platform === undefined ? {} : { platform: spec.platform }) };
  const answer = await engine.call((docker, abortSignal) => post(docker, { _query: query, _body: body }, abortSignal), {
    signal: NEVER,
    ms: CREATE_MS,
  });
  return { id: answer.Id, warnings: (answer.Warnings ?? []).map(oneLine) };
}

interface Created {
  readonly Id: string;
  readonly Warnings?: readonly string[] | null;
}

/** As `docker.createContainer`, which keeps the engine's warnings to itself. */
function post(docker: Docker, options: object, abortSignal: AbortSignal): Promise<Created> {
  const modem = docker.modem as { dial(call: object, done: (error: unknown, answer: Created) => void): void };
  const statusCodes = { 200: true, 201: true, 400: 'bad parameter', 404: 'no such container', 500: 'server error' };
  const call = { path: '/containers/create?', method: 'POST', options, abortSignal, statusCodes };
  return new Promise((resolve, reject) => {
    modem.dial(call, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}
