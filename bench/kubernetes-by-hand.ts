import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, Exec, KubeConfig } from '@kubernetes/client-node';
import { defined } from '../src/base/defined.ts';
import { podFor } from '../src/executor/kubernetes/pod/pod.ts';

const NAMESPACE = 'default';
const CONTAINER = 'main';
const LOOK_MS = 100;

/**
 * The bare way to run commands in a pod, with the client library that the agent uses. The pod is contained as a job's
 * is: the seccomp profile alone makes an exec some 15 ms slower.
 */
export class PodByHand implements AsyncDisposable {
  readonly #api: CoreV1Api;
  readonly #exec: Exec;
  readonly name = `by-hand-${randomBytes(5).toString('hex')}`;

  constructor(kubeconfig: string) {
    this.#api = apiOf(kubeconfig);
    this.#exec = new Exec(configOf(kubeconfig));
  }

  /** Creates the pod and waits until it runs, polling as often as the agent does. */
  async start(image: string): Promise<void> {
    const job = podFor(
      { image, labels: {} },
      { name: this.name, settings: { cancelGracePeriodMs: 0, podStartTimeoutMs: 0 } },
    );
    const container = {
      name: CONTAINER,
      image,
      imagePullPolicy: 'IfNotPresent',
      command: ['sleep', '600'],
      ...defined({ securityContext: job.spec?.containers[0]?.securityContext }),
    };
    await this.#api.createNamespacedPod({
      namespace: NAMESPACE,
      body: { metadata: { name: this.name }, spec: { restartPolicy: 'Never', containers: [container] } },
    });
    for (;;) {
      const { status } = await this.#api.readNamespacedPod({ namespace: NAMESPACE, name: this.name });
      if (status?.containerStatuses?.[0]?.state?.running !== undefined) return;
      await sleep(LOOK_MS);
    }
  }

  /** Runs a script. Returns the milliseconds to its first byte and to its end, and the number of bytes. */
  async run(script: string): Promise<{ first: number; end: number; bytes: number }> {
    const began = performance.now();
    let first = Number.NaN;
    let bytes = 0;
    const output = new Writable({
      write: (piece: Buffer, _, done) => {
        if (bytes === 0) first = performance.now() - began;
        bytes += piece.length;
        done();
      },
    });
    const ended = Promise.withResolvers<void>();
    await this.#exec.exec(
      NAMESPACE,
      this.name,
      CONTAINER,
      ['sh', '-c', script],
      output,
      output,
      null,
      false,
      () => ended.resolve(),
    );
    await ended.promise;
    return { first, end: performance.now() - began, bytes };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#api.deleteNamespacedPod({ namespace: NAMESPACE, name: this.name, gracePeriodSeconds: 0 });
  }
}

/** The cluster's API as the kubeconfig's user. */
export function apiOf(kubeconfig: string): CoreV1Api {
  return configOf(kubeconfig).makeApiClient(CoreV1Api);
}

function configOf(path: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(path);
  return config;
}
