import { JOB_CONTAINER } from './pod.ts';

/** Milliseconds in words: `90 s`, `10 min`. */
export function formatSeconds(ms: number): string {
  const seconds = ms / 1000;
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.round(seconds * 10) / 10} s`;
}

/** Which pod of which namespace a sentence is about, and whether it stays there. */
export interface PodPlace {
  readonly pod: string;
  readonly namespace: string;
  readonly kept: boolean;
}

/** Where to look for more of a pod that failed: what is removed leaves its events only. */
export function lookAt({ pod, namespace, kept }: PodPlace): string {
  return kept
    ? `See kubectl describe pod ${pod} -n ${namespace}.`
    : `See kubectl get events -n ${namespace} --field-selector involvedObject.name=${pod}; PULUMI_AGENT_DEBUG_POD=true keeps such a pod.`;
}

/** The same of one of its containers. */
export function lookInto(container: string, place: PodPlace): string {
  return place.kept
    ? `See kubectl logs ${place.pod} -c ${container} -n ${place.namespace}.`
    : 'PULUMI_AGENT_DEBUG_POD=true keeps such a pod, for kubectl logs.';
}

/** Of a pod that stays when its job is over. */
export function keptForALook({ pod, namespace }: Pick<PodPlace, 'pod' | 'namespace'>): string {
  return `Pod ${pod} is kept for a look into it: kubectl exec -it ${pod} -c ${JOB_CONTAINER} -n ${namespace} -- sh. It ends by itself.`;
}

/** Of one that stays although it did not start. Nothing ends it: it may be waiting still. */
export function keptUnstarted({ pod, namespace }: Pick<PodPlace, 'pod' | 'namespace'>): string {
  return `Pod ${pod}, which failed to start, is kept for a look at it: kubectl describe pod ${pod} -n ${namespace}. Then remove it: kubectl delete pod ${pod} -n ${namespace}.`;
}
