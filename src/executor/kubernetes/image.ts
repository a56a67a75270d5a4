import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.ts';
import { jobStatus, readPod } from './look.ts';

/** Milliseconds between two looks at the pod. A kubelet tells within a second or two of the start. */
const LOOK_MS = 500;

/** The image that really runs in a job's pod. Its status tells, a moment after the container runs. */
export class PodImage {
  #digest: string;
  #isKnown = false;

  constructor(pod: V1Pod, image: string) {
    this.#digest = image;
    this.#see(pod);
  }

  /** `name@sha256:…`, or the image's ID where the node knows no digest; the name as the job has it until the status tells. */
  get digest(): string {
    return this.#digest;
  }

  /** Looks at the pod until it tells, or is gone, or the signal aborts. Never rejects: nothing of the job depends on it. */
  async learn(cluster: Cluster, name: string, signal: AbortSignal): Promise<void> {
    try {
      while (!this.#isKnown) {
        await sleep(LOOK_MS, undefined, { signal });
        this.#see(await readPod(cluster, name, signal));
      }
    } catch {
      // It stays what it is.
    }
  }

  #see(pod: V1Pod): void {
    const { imageID = '' } = jobStatus(pod) ?? {};
    if (imageID === '') return;
    this.#digest = imageID.replace(/^docker-pullable:\/\//, '');
    this.#isKnown = true;
  }
}
