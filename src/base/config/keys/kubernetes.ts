import type { KeyTable } from '../key-definition.ts';
import { duration, filePath, ignored, off, oneOf, template, text, word } from '../kinds.ts';

/**
 * Keys for jobs on a cluster. Names follow Pulumi's own variables for its Kubernetes target
 * (protocol section 6).
 */
export const KUBERNETES_KEYS = {
  kubeconfig: {
    key: 'kubeconfig',
    kind: filePath,
    target: 'kubernetes',
    unsetMeans: "KUBECONFIG's, the home directory's, or the pod's own service account",
    help: 'Kubeconfig of the cluster where jobs run.',
  },
  kubeContext: {
    key: 'kube_context',
    kind: text,
    target: 'kubernetes',
    unsetMeans: "the kubeconfig's current context",
    help: 'Context of the kubeconfig.',
  },
  namespace: {
    key: 'namespace',
    kind: word,
    target: 'kubernetes',
    unsetMeans: "the context's, or the agent's own",
    help: "Namespace of jobs' pods.",
  },
  podTemplate: {
    key: 'pod_template',
    kind: template,
    target: 'kubernetes',
    help: "Strategic merge patch for each job's pod: YAML, or the path of a YAML file.",
  },
  serviceAccount: {
    key: 'service_account',
    kind: word,
    target: 'kubernetes',
    environment: ['PULUMI_AGENT_SERVICE_ACCOUNT_NAME', 'PULUMI_AGENT_SERVICE_ACCOUNT'],
    unsetMeans: "the namespace's default, without its token",
    help: "Service account of jobs' pods.",
  },
  imagePullPolicy: {
    key: 'image_pull_policy',
    kind: oneOf('Always', 'IfNotPresent', 'Never'),
    target: 'kubernetes',
    default: 'IfNotPresent',
    help: "When nodes pull a job's image.",
  },
  podStartTimeoutMs: {
    key: 'pod_start_timeout',
    kind: duration,
    target: 'kubernetes',
    default: '10m',
    help: "Time limit for the start of a job's pod.",
  },
  debugPod: {
    key: 'debug_pod',
    ...off,
    target: 'kubernetes',
    help: 'Keep pods after their jobs end, and log the command that enters them.',
  },
  agentImage: {
    key: 'agent_image',
    kind: ignored,
    environment: ['PULUMI_AGENT_IMAGE'],
    noEffect:
      "has no effect: a job's pod needs nothing from the agent's image; to replace the image of jobs set PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE",
    help: "The image of Pulumi's own agent in a job's pod. No effect here.",
  },
} as const satisfies KeyTable;
